# Makes and keeps the environment in .venv; sourced by run_all.sh in the project's directory. The outside needs
# make_environment (what running takes), add_checks (what checking takes besides) and stop.

# Ends the script with an exit code and a sentence.
stop() {
  local code=$1
  shift
  printf 'run_all.sh: %s\n' "$*" >&2
  exit "$code"
}

# The environment is there, made of the files of today, and this run holds its lock; sets python.
make_environment() {
  local reason version="" compiler include interpreter missing=()
  environment=.venv requirements=requirements/cpu.txt
  if [[ ${GPU:-0} != 0 ]]; then
    [[ $(uname -s) == Linux ]] || stop 2 "GPU=1 needs Linux and an NVIDIA driver"
    environment=.venv-gpu requirements=requirements/gpu.txt
  fi
  python=$PWD/$environment/bin/python stamp=$environment/stamp marker=made-by-run_all
  isolate
  if [[ -n ${PYTHON-} ]]; then choose_interpreter; fi
  exec 9>>"$environment.lock"
  until_current is_current build_environment
  if [[ $environment == .venv-gpu ]]; then add_cuda_libraries; fi
}

# The packages for checking are in the environment as well.
add_checks() {
  make_environment
  until_current has_checks install_checks
}

# Calls the second command, alone with the environment, until the first one is content; keeps a shared lock.
until_current() {
  lock_environment -s
  until "$1"; do
    lock_environment -x
    "$1" || "$2"
    lock_environment -s
  done
}

# The same surroundings on every machine: nothing of the user's Python, one thread a process, repeatable.
isolate() {
  unset PYTHONPATH PYTHONHOME PYTHONSTARTUP PYTHONWARNINGS PYTHONOPTIMIZE PIP_TARGET PIP_PREFIX
  export PYTHONNOUSERSITE=1 PYTHONHASHSEED=0 PYTHONUTF8=1
  export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MPLBACKEND=Agg
  export MXNET_ENFORCE_DETERMINISM=1 MXNET_CUDNN_AUTOTUNE_DEFAULT=0
}

add_cuda_libraries() {
  local directory
  for directory in "$PWD/$environment"/lib/python3*/site-packages/nvidia/*/lib; do
    export LD_LIBRARY_PATH=$directory${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
  done
}

# ------------------------------------------------------------------------------------------------ Python and compilers

supported="3.10 3.11 3.12 3.13 3.14"

# One line that installs everything a fresh system lacks, of packages that every release of it has.
packages() {
  if [[ $(uname -s) == Darwin ]]; then
    echo "xcode-select --install"
  elif ! type -P apt-get >/dev/null && type -P dnf >/dev/null; then
    echo "sudo dnf install python3-devel gcc gcc-c++"
  else
    echo "sudo apt install python3-venv python3-dev build-essential"
  fi
}

# What an interpreter says about itself: a reason against it (or "ok"), version, compiler, directory of Python.h.
# Python 2 must be able to read this.
probe='
import platform, sys, sysconfig
version = "%d.%d" % sys.version_info[:2]
system = platform.system() + " " + platform.machine()
missing = ""
try:
    import ensurepip, venv
except ImportError:
    missing = "has no venv module"
reason = "ok"
if version not in sys.argv[1].split():
    reason = "is Python %s, and supported are %s" % (version, ", ".join(sys.argv[1].split()))
elif system not in ("Linux x86_64", "Darwin x86_64") or "musl" in (sysconfig.get_config_var("SOABI") or ""):
    reason = "runs on %s, and the packages exist for Linux x86_64 (glibc) and macOS x86_64 only" % system
elif missing:
    reason = missing
sys.stdout.write("|".join([reason, version, sysconfig.get_config_var("CC") or "cc", sysconfig.get_paths()["include"]]))
'

# Sets reason, version, compiler and include; a command that does not run (a pyenv shim may not) has a reason too.
ask() {
  local answer
  answer=$("$1" -E -s -c "$probe" "$supported" 2>/dev/null </dev/null) || answer="does not run|||"
  IFS='|' read -r reason version compiler include <<<"$answer"
}

# Every command of these names, in order: on the PATH, then in pyenv's versions, which its shims may not reach.
candidates() {
  local name file
  type -aP "$@" || true
  for name in "$@"; do
    for file in "${PYENV_ROOT:-${HOME-}/.pyenv}"/versions/*/bin/"$name"; do
      if [[ -x $file ]]; then printf '%s\n' "$file"; fi
    done
  done
}

# Sets interpreter to the one that PYTHON names, or to the first supported one that is found; one that lacks nothing but
# the venv module is taken last, and that is missing then.
choose_interpreter() {
  local candidate names=(python3.11 python3.10 python3.12 python3.13 python3.14 python3 python) refused="" incomplete=""
  missing=()
  if [[ -n ${PYTHON-} ]]; then names=("$PYTHON"); fi
  while IFS= read -r candidate; do
    ask "$candidate"
    if [[ $reason == ok ]]; then
      interpreter=$candidate
      return
    fi
    if [[ $reason == "has no venv module" ]]; then incomplete=${incomplete:-$candidate}; fi
    refused+=$'\n'"  $candidate $reason"
  done < <(candidates "${names[@]}")
  if [[ $incomplete ]]; then
    ask "$incomplete"
    interpreter=$incomplete missing=("$incomplete $reason")
    return
  fi
  stop 2 "no supported Python (${supported// /, }) was found${PYTHON:+ as PYTHON=$PYTHON}; get one with the system's" \
    "packages (all that is needed: $(packages)), brew install python@3.11, pyenv install 3.11" \
    "or uv python install 3.11; or name one: PYTHON=/path/to/python3.11 ./run_all.sh" \
    $'\n'"looked at:${refused:- nothing, there is no such command}"
}

# gluonnlp comes as source only. Sets CC for pip when the interpreter's own compiler is not on this machine.
check_compiler() {
  local candidate words message
  for candidate in "${CC:-$compiler}" cc gcc clang; do
    read -ra words <<<"$candidate"
    if type -P "${words[0]}" >/dev/null; then
      export CC=$candidate
      message=$(echo '#include <Python.h>' | "${words[@]}" -I"$include" -fsyntax-only -x c - 2>&1) ||
        missing+=("the C compiler '$candidate' cannot compile a file that includes Python.h (${message%%$'\n'*})")
      return
    fi
  done
  missing+=("there is no C compiler")
  if [[ ! -e $include/Python.h ]]; then missing+=("there is no Python.h in $include"); fi
}

# Everything that is missing is said at once. Without a C++ compiler alone the generic engine runs, slower.
check_requirements() {
  check_compiler
  if ((${#missing[@]} == 0)); then return; fi
  type -P ${CXX:+"$CXX"} c++ g++ clang++ >/dev/null || missing+=("there is no C++ compiler")
  stop 2 "$(printf '%s; ' "${missing[@]}")install what is missing with: $(packages)"
}

# ------------------------------------------------------------------------------------------------ installing

checksum_of() {
  local checksum=(sha256sum)
  type -P sha256sum >/dev/null || checksum=(shasum -a 256)
  cat "$@" | "${checksum[@]}" | cut -d ' ' -f 1
}

# What the environment must have been made of. PYTHON, when given, must be its version.
fingerprint() {
  local wanted=${version-}
  [[ -n $wanted ]] || wanted=$("$python" -I -S -c 'import sys; print("%d.%d" % sys.version_info[:2])')
  printf '%s %s' "$(checksum_of requirements/run-hashes.txt requirements/source.txt "$requirements")" "$wanted"
}

is_current() { [[ -x $python && -f $stamp && $(<"$stamp") == "$(fingerprint)" ]]; }

has_checks() { [[ -f $stamp-checks && $(<"$stamp-checks") == "$(checksum_of requirements/check-hashes.txt)" ]]; }

# Only what this script has made is removed; the marker in it goes in first and stays, whenever the script is interrupted.
empty_environment() {
  mkdir -p "$environment"
  : >"$environment/$marker"
  find "$environment/" -mindepth 1 -maxdepth 1 ! -name "$marker" -exec rm -rf {} +
}

# A link leads to a place of somebody else: another checkout's environment has the marker, too.
refuse_foreign_environment() {
  if [[ ! -L $environment && (! -e $environment || -f $environment/$marker || -f $stamp) ]]; then return; fi
  stop 2 "$PWD/$environment was not made by this script and is left alone; move it away, then run the same command again"
}

# The stamp is written last: an installation that was interrupted is started over.
build_environment() {
  refuse_foreign_environment
  choose_interpreter
  check_requirements
  empty_environment
  printf 'Installing into %s with Python %s: 0.6 GB, a minute or more (log: %s) ...\n' "$environment" "$version" "$environment/install.log"
  logged make_and_fill
  "$python" -m reproduction.networks.fused.engine
  fingerprint >"$stamp"
}

install_checks() {
  printf 'Installing what checks the project: 0.2 GB (log: %s) ...\n' "$environment/install.log"
  logged install --only-binary :all: -r requirements/check-hashes.txt
  checksum_of requirements/check-hashes.txt >"$stamp-checks"
}

logged() {
  local started=$SECONDS log=$environment/install.log
  if ! "$@" >"$log" 2>&1; then
    tail -n 15 "$log" | cut -c 1-300 >&2
    stop 1 "the packages could not be installed; the whole log is in $log, and the same command tries again"
  fi
  printf 'Installed in %d s.\n' $((SECONDS - started))
}

# What comes as source is built with what is installed already.
make_and_fill() {
  "$interpreter" -m venv "$environment" &&
    install --only-binary :all: -r "$requirements" &&
    install --no-build-isolation -r requirements/source.txt
}

# Nothing is installed whose hash is not in the files, and nothing that they do not list.
install() {
  env -u PIP_CONSTRAINT -u PIP_BUILD_CONSTRAINT PIP_USER=0 "$python" -m pip install --no-input --progress-bar off \
    --disable-pip-version-check --require-hashes --no-deps "$@"
}

# Takes the lock of an open file, shared (-s) or alone (-x); where there is no flock, nobody waits.
lock() {
  if ! type -P flock >/dev/null; then return; fi
  flock -n "$1" "$2" && return
  echo "Waiting for another run_all.sh that $3 ..."
  flock "$1" "$2"
}

# Whoever uses the environment shares its lock, whoever builds it has it alone.
lock_environment() { lock "$1" 9 "uses $environment"; }
