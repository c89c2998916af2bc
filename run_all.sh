#!/usr/bin/env bash
# The whole reproduction, stage by stage. `./run_all.sh help` lists what it can do; the stages are in the table below.
# It makes its own environment in .venv. Paths in options are relative to the project's directory.
set -euo pipefail
CDPATH="" cd -- "$(dirname -- "${BASH_SOURCE[0]}")"

# ------------------------------------------------------------------------------------------------ the stages
# One sentence and one line a stage, in order. Words after the name are the command; options that a person
# adds to a single stage (./run_all.sh data --seed 1) come after them.

stages() {
  about "Make the data set: symbolic equations, function evaluations and the splits."
  stage data reproduce generate --recipe "$recipe" --seed "$data_seed" --split-seeds $((seeds > 5 ? seeds : 5)) ${smoke:+--scale smoke}

  about "Score what is no network: majority, Sympy, a bag of symbols, a lookup."
  stage baselines reproduce baselines

  about "Train every model on every split, once per seed, and on parts of the training set, two at a time."
  stage experiments reproduce experiments --seeds "$seeds" ${smoke:+--epochs 2 --fractions 0.5}

  about "Keep of each network the run that is best on dev, in runs/pretrained."
  on_request pretrained reproduce keep-best

  about "Train, calibrate and judge a network worth using, apart from the paper's tables: runs/showcase."
  on_request showcase reproduce showcase ${smoke:+--scale smoke}

  about "Score the networks on equations that are deeper than any they were trained on."
  stage deep score_deep_equations

  about "Fill blanks in the test equations of the random split (Figures 3 and 4)."
  stage completion complete_equations

  about "Try other settings where a number is not close to the paper's, beside the runs of the tables."
  on_request remedies try_remedies

  about "Compare the eight optimizers on TreeLSTM + data."
  on_request ablation reproduce ablate --seeds "$seeds" \
    ${smoke:+--optimizers adam sgd --epochs 1 --tuning-epochs 1}

  about "Search the paper's space of configurations by successive halving, for both networks with data."
  on_request search search_configurations

  about "Study whether function-evaluation data help: with and without them, from few equations to all."
  on_request data-study study_data

  about "Find out what makes the second benchmark hard, one choice of its recipe at a time."
  on_request ladder climb_ladder

  about "Measure the tree engine against simpler ways to run the same network."
  stage benchmark reproduce benchmark --json "$REPRODUCTION_RUNS/benchmark.json" \
    --figure "$REPRODUCTION_FIGURES/benchmark" ${smoke:+--quick}

  about "Write the tables beside the paper's, and the verdicts."
  on_request tables reproduce tables

  about "Draw the figures."
  on_request figures reproduce figures

  about "Write all tables and figures, and figures/report.html with everything in it."
  stage report reproduce report
}

reproduce() { "$python" -m reproduction "$@"; }

# One table or one figure, by the name of its files in figures/.
made_alone() { [[ -e figures/$1.csv || -e figures/$1.png ]]; }

make_alone() {
  local name=$1 command=tables
  shift
  if [[ -e figures/$name.png ]]; then command=figures; fi
  reproduce "$command" "$name" "$@"
}

names_in_figures() {
  local file
  for file in figures/*.{csv,png}; do
    file=${file##*/}
    if made_alone "${file%.*}"; then printf '%s\n' "${file%.*}"; fi
  done | sort -u | paste -sd ' ' -
}

score_deep_equations() {
  local data=$REPRODUCTION_RUNS/data-deep count=${smoke:+20}
  reproduce generate --recipe "$recipe" --out "$data" --counts {5,6,7}="${count:-400}" --split-seeds 1 ${smoke:+--scale smoke}
  reproduce deep --data "$data" "$@"
}

complete_equations() {
  local seed runs=()
  for ((seed = 0; seed < seeds; seed++)); do
    runs+=("$REPRODUCTION_RUNS"/experiments/*-generalization-"$seed")
  done
  reproduce evaluate-completion "${runs[@]}" "$@"
}

try_remedies() {
  local size=(--counts 1=32 2=5094 3=24434 4=5672) # twice the paper's; there are no more of depth 1
  if [[ $smoke ]]; then size=(--scale smoke --seed 1); fi
  reproduce generate --recipe "$recipe" --out "$REPRODUCTION_RUNS/data-double" --split-seeds $((seeds > 5 ? seeds : 5)) "${size[@]}"
  reproduce remedies --seeds "$seeds" ${smoke:+--epochs 1} "$@"
}

study_data() {
  reproduce generate --recipe "$recipe" --seed "$data_seed" --out "$REPRODUCTION_RUNS/data-all" --evaluations all \
    --split-seeds $((seeds > 5 ? seeds : 5)) ${smoke:+--scale smoke}
  reproduce data-study --seeds "$seeds" ${smoke:+--parts shares --shares 0.5 --epochs 1} "$@"
}

climb_ladder() {
  local size=(--seeds $((seeds > 3 ? seeds : 3)))
  if [[ $smoke ]]; then size=(--seeds 1 --scale smoke --rungs paper hard --epochs 1); fi
  reproduce ladder --seed "$data_seed" "${size[@]}" "$@"
}

search_configurations() {
  local model
  for model in tree-lstm+data tree-nn+data; do
    reproduce search --model "$model" ${smoke:+--trials 4 --epochs 2 --fewest-epochs 1 --factor 2} "$@"
  done
}

# ------------------------------------------------------------------------------------------------ the commands

help() {
  cat <<'TEXT'
usage: ./run_all.sh [--seeds N]            make the environment, then run the stages in order
       ./run_all.sh --recipe hard          the same on the second, harder data set, in runs/hard and figures/hard
       ./run_all.sh STAGE... [--seeds N]   run these stages; options after a single stage go to its command
       ./run_all.sh NAME...                make these tables and figures: table-3, figure-3a (figures/README.md)
       ./run_all.sh smoke [STAGE...]       the same, small, in runs/smoke
       ./run_all.sh test [OPTIONS]         ruff, then the tests; options go to pytest
       ./run_all.sh test-report [OPTIONS]  the report page in Chromium, which has to be installed
       ./run_all.sh setup                  only make the environment
       ./run_all.sh help                   this text

stages:
TEXT
  mode=describe
  stages
  cat <<'TEXT'

variables:
  CHROMIUM=/path      the browser of test-report; otherwise one is looked for
  PYTHON=python3.10   the interpreter of the environment (3.10, 3.11 or 3.12); otherwise one is looked for
  GPU=1               the GPU environment in .venv-gpu instead of .venv (untested)
TEXT
}

run_tests() {
  make_environment
  "$python" -m ruff check .
  "$python" -m ruff format --check .
  "$python" -m pytest -n 2 "$@"
}

run_report_check() {
  make_environment
  "$python" -m pytest tests/report/check_report_page.py "$@"
}

run_smoke() {
  smoke=yes
  export REPRODUCTION_RUNS=$PWD/runs/smoke REPRODUCTION_FIGURES=$PWD/runs/smoke/figures
  if [[ ${1--} == -* ]]; then rm -rf runs/smoke; fi
  run_stages "$@"
}

# Everything before the first option is a stage, or a table or figure; nothing means all stages.
run_stages() {
  local name
  selected=() extra=()
  while (($#)) && [[ $1 != -* ]]; do
    selected+=("$1")
    shift
  done
  while (($#)); do
    case $1 in
      --seeds) seeds=${2-} && shift ;;
      --seeds=*) seeds=${1#*=} ;;
      --recipe) recipe=${2-} && shift ;;
      --recipe=*) recipe=${1#*=} ;;
      *) extra+=("$1") ;;
    esac
    shift $(($# > 0))
  done
  [[ $seeds =~ ^[1-9][0-9]{0,3}$ ]] || stop 2 "--seeds must be a whole number from 1 to 9999, not '$seeds'"
  [[ $recipe == paper || $recipe == hard ]] || stop 2 "--recipe must be paper or hard, not '$recipe'"
  if [[ $recipe == hard ]]; then
    data_seed=0 REPRODUCTION_RUNS+=/hard REPRODUCTION_FIGURES+=/hard
  fi
  mode=name
  known=$(stages)
  for name in ${selected[@]+"${selected[@]}"}; do
    [[ " $known " == *" $name "* ]] || made_alone "$name" ||
      stop 2 "there is no stage or command '$name'; stages: ${known% };" \
        "commands: setup, test, test-report, smoke, help; tables and figures: $(names_in_figures)"
  done
  if ((${#extra[@]} && ${#selected[@]} != 1)); then
    stop 2 "'${extra[0]}' can only be given to a single stage (./run_all.sh STAGE ${extra[0]} ...); stages: ${known% }"
  fi
  make_environment
  mode=run
  stages
  about "Make this table or figure anew."
  for name in ${selected[@]+"${selected[@]}"}; do
    [[ " $known " == *" $name "* ]] || stage "$name" make_alone "$name"
  done
}

about() { sentence=$1; }

# A stage that takes long or is part of another one: run when it is named, and in the small twin of everything.
on_request() {
  if [[ $mode == run && -z $smoke ]] && ((${#selected[@]} == 0)); then return; fi
  sentence+=" (only by name)"
  stage "$@"
}

# Describes, names or runs one line of the table, as `mode` says.
stage() {
  local name=$1 started=$SECONDS
  shift
  case $mode in
    describe) printf '  %-18s  %s\n' "$name" "$sentence" ;;
    name) printf '%s ' "$name" ;;
    run)
      if ((${#selected[@]})) && [[ " ${selected[*]} " != *" $name "* ]]; then return; fi
      current_stage=$name
      printf '== %s: %s\n' "$name" "$sentence"
      "$@" ${extra[@]+"${extra[@]}"}
      printf '== %s: done in %d s\n' "$name" $((SECONDS - started))
      current_stage=
      ;;
  esac
}

stop() {
  local code=$1
  shift
  printf 'run_all.sh: %s\n' "$*" >&2
  exit "$code"
}

on_exit() {
  local code=$?
  if ((code)) && [[ -n $current_stage ]]; then
    printf "== %s: stopped with exit code %d; './run_all.sh %s%s' starts it again\n" \
      "$current_stage" "$code" "${smoke:+smoke }" "$current_stage" >&2
  fi
}

# ------------------------------------------------------------------------------------------------ the environment

supported="3.10 3.11 3.12"
get_python="get one with
  sudo apt install python3.11 python3.11-venv python3.11-dev, brew install python@3.11, pyenv install 3.11
  or uv python install 3.11; or name one: PYTHON=/path/to/python3.11 ./run_all.sh"

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
    missing = "has no venv module (on Debian and Ubuntu: sudo apt install python%s-venv)" % version
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

# Sets interpreter to the one that PYTHON names, or to the first supported one that is found.
choose_interpreter() {
  local candidate names=(python3.11 python3.10 python3.12 python3 python) refused=""
  if [[ -n ${PYTHON-} ]]; then names=("$PYTHON"); fi
  while IFS= read -r candidate; do
    ask "$candidate"
    if [[ $reason == ok ]]; then
      interpreter=$candidate
      return
    fi
    refused+=$'\n'"  $candidate $reason"
  done < <(candidates "${names[@]}")
  stop 2 "no supported Python (3.10, 3.11 or 3.12) was found${PYTHON:+ as PYTHON=$PYTHON}; $get_python" \
    $'\n'"looked at:${refused:- nothing, there is no such command}"
}

# gluonnlp comes as source only. Sets CC for pip when the interpreter's own compiler is not on this machine.
check_compiler() {
  local candidate words message
  for candidate in "${CC:-$compiler}" cc gcc clang; do
    read -ra words <<<"$candidate"
    if type -P "${words[0]}" >/dev/null; then
      export CC=$candidate
      message=$(echo '#include <Python.h>' | "${words[@]}" -I"$include" -fsyntax-only -x c - 2>&1) && return
      stop 2 "the C compiler '$candidate' cannot compile a file that includes Python.h, which gluonnlp needs;" \
        "install both with: sudo apt install build-essential python$version-dev; or xcode-select --install" \
        $'\n'"${message%%$'\n'*}"
    fi
  done
  stop 2 "there is no C compiler, and gluonnlp has to be compiled;" \
    "get one with: sudo apt install build-essential; or xcode-select --install"
}

# What the environment must have been made of. PYTHON, when given, must be its version.
fingerprint() {
  local wanted=${version-} checksum=(sha256sum)
  type -P sha256sum >/dev/null || checksum=(shasum -a 256)
  [[ -n $wanted ]] || wanted=$("$python" -I -S -c 'import sys; print("%d.%d" % sys.version_info[:2])')
  printf '%s %s' "$(cat requirements-common.txt "$requirements" | "${checksum[@]}" | cut -d ' ' -f 1)" "$wanted"
}

is_current() { [[ -x $python && -f $stamp && $(<"$stamp") == "$(fingerprint)" ]]; }

# The stamp is written last: an installation that was interrupted is started over.
build_environment() {
  local started=$SECONDS log=$environment/install.log
  choose_interpreter
  check_compiler
  rm -rf "$environment"
  mkdir "$environment"
  printf 'Installing into %s with Python %s: about 1 GB, some minutes (log: %s) ...\n' "$environment" "$version" "$log"
  if ! { "$interpreter" -m venv "$environment" && install_packages; } >"$log" 2>&1; then
    tail -n 15 "$log" | cut -c 1-300 >&2
    stop 1 "the packages could not be installed; the whole log is in $log, and the same command tries again"
  fi
  "$python" -m reproduction.networks.fused.library
  fingerprint >"$stamp"
  printf 'Installed in %d s.\n' $((SECONDS - started))
}

# The constraints pin what gluonnlp is built with, too (by two names, for older and newer versions of pip).
install_packages() {
  PIP_CONSTRAINT=requirements-common.txt PIP_BUILD_CONSTRAINT=requirements-common.txt PIP_USE_PEP517=1 PIP_USER=0 \
    "$python" -m pip install --no-input --disable-pip-version-check --progress-bar off -r "$requirements"
}

# Whoever uses the environment shares the lock, whoever builds it has it alone.
lock() {
  if ! type -P flock >/dev/null; then return; fi
  flock -n "$1" 9 && return
  echo "Waiting for another run_all.sh that uses $environment ..."
  flock "$1" 9
}

make_environment() {
  local reason version="" compiler include interpreter
  environment=.venv requirements=requirements.txt
  if [[ ${GPU:-0} != 0 ]]; then
    [[ $(uname -s) == Linux ]] || stop 2 "GPU=1 needs Linux and an NVIDIA driver"
    environment=.venv-gpu requirements=requirements-gpu.txt
  fi
  python=$PWD/$environment/bin/python stamp=$environment/stamp
  isolate
  if [[ -n ${PYTHON-} ]]; then choose_interpreter; fi
  exec 9>>"$environment.lock"
  lock -s
  until is_current; do
    lock -x
    if ! is_current; then build_environment; fi
    lock -s
  done
  if [[ $environment == .venv-gpu ]]; then add_cuda_libraries; fi
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

# ------------------------------------------------------------------------------------------------ what was asked for

smoke="" seeds=1 recipe=paper current_stage=""
data_seed=1 # settings were chosen on the data of seed 0: the tables are made on data that nobody had looked at
export REPRODUCTION_RUNS=${REPRODUCTION_RUNS:-$PWD/runs} REPRODUCTION_FIGURES=${REPRODUCTION_FIGURES:-$PWD/figures}
trap on_exit EXIT

case ${1-} in
  help | -h | --help) help ;;
  setup) make_environment ;;
  test) run_tests "${@:2}" ;;
  test-report) run_report_check "${@:2}" ;;
  smoke) run_smoke "${@:2}" ;;
  *) run_stages "$@" ;;
esac
