#!/usr/bin/env bash
# The whole reproduction, stage by stage. `./run_all.sh help` lists what it can do; the stages are in the table below.
# It makes its own environment in .venv. Paths in options are relative to the project's directory.
set -euo pipefail
script=${BASH_SOURCE[0]}
while [[ -L $script ]]; do # a link to this script means the project, not the directory of the link
  target=$(readlink -- "$script")
  if [[ $target != /* ]]; then target=$(dirname -- "$script")/$target; fi
  script=$target
done
CDPATH="" cd -- "$(dirname -- "$script")"

# ------------------------------------------------------------------------------------------------ the stages
# One sentence and one line a stage, in order. Words after the name are the command; options that a person
# adds to a single stage (./run_all.sh data --seed 1) come after them.

stages() {
  about "Make the data set: symbolic equations, function evaluations and the splits."
  stage data make_data

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

  about "Try other settings for the claims that do not come back, on data that no table is made of."
  on_request remedies try_remedies

  about "Compare the eight optimizers on all six networks."
  on_request ablation reproduce ablate --seeds "$seeds" \
    ${smoke:+--models tree-lstm+data --optimizers adam adadelta --epochs 1 --tuning-epochs 1}

  about "Search the paper's space of configurations by successive halving, for every network."
  on_request search search_configurations

  about "Study whether function-evaluation data help: with and without them, from few equations to all."
  on_request data-study study_data

  about "Find out what makes the second benchmark hard, one choice of its recipe at a time."
  on_request ladder climb_ladder

  about "Train every model on every split at the paper's own settings, and judge its claims under them as well."
  on_request protocol reproduce protocol --seeds "$seeds" \
    ${smoke:+--models tree-nn tree-nn+data --splits generalization --epochs 1}

  about "Measure the engines of trees and chains against simpler ways to run the same networks."
  on_request benchmark reproduce benchmark --json "$runs/benchmark.json" --figure "$figures/benchmark" ${smoke:+--quick}

  about "Write the tables beside the paper's, and the verdicts."
  part_of_report tables reproduce tables

  about "Draw the figures."
  part_of_report figures reproduce figures

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

# Whoever made a data set that is there, it is kept; options that a person adds say what to make instead.
make_data() {
  if (($# == 0)) && is_kept "$runs/data"; then
    reproduce splits --split-seeds "$split_seeds"
  else
    generate --seed "$data_seed" --split-seeds "$split_seeds" "$@"
  fi
}

generate() { reproduce generate ${recipe:+--recipe "$recipe"} ${smoke:+--scale smoke} "$@"; }

is_kept() { [[ -e $1/manifest.json ]] && printf '%s: this data set is kept\n' "$1"; }

score_deep_equations() {
  local data=$runs/data-deep count=${smoke:+20}
  is_kept "$data" || generate --out "$data" --counts {5,6,7}="${count:-400}" --split-seeds 1
  reproduce deep --data "$data" "$@"
}

complete_equations() {
  local seed chosen=()
  for ((seed = 0; seed < seeds; seed++)); do
    chosen+=("$runs"/experiments/*-generalization-"$seed")
  done
  reproduce evaluate-completion "${chosen[@]}" "$@"
}

# Settings are tried on data of another seed than that of the tables, whose test sets nobody looks at for it.
try_remedies() {
  is_kept "$runs/data-tuning" || generate --seed $((1 - data_seed)) --out "$runs/data-tuning" --split-seeds "$split_seeds"
  reproduce remedies --seeds "$seeds" ${smoke:+--epochs 1 --claims completion-error} "$@"
}

study_data() {
  local size=(--parts shares --shares 0.5 --weights 1 --models tree-nn --epochs 1)
  if [[ -z $smoke ]]; then
    size=()
    is_kept "$runs/data-all" ||
      generate --seed "$data_seed" --out "$runs/data-all" --evaluations all --split-seeds "$split_seeds"
  fi
  reproduce data-study --seeds "$seeds" ${size[@]+"${size[@]}"} "$@"
}

climb_ladder() {
  local size=(--seeds $((seeds > 3 ? seeds : 3)))
  if [[ $smoke ]]; then size=(--seeds 1 --scale smoke --rungs paper hard --epochs 1); fi
  reproduce ladder --seed "$data_seed" "${size[@]}" "$@"
}

search_configurations() {
  local model size=()
  if [[ $smoke ]]; then size=(--trials 2 --epochs 2 --fewest-epochs 1 --factor 2); fi
  for model in tree-lstm+data tree-nn+data tree-lstm tree-nn lstm rnn; do
    if [[ $smoke && $model != *+data ]]; then return; fi
    reproduce search --model "$model" ${size[@]+"${size[@]}"} "$@"
  done
}

# ------------------------------------------------------------------------------------------------ the commands

help() {
  cat <<'TEXT'
usage: ./run_all.sh [--seeds N]            make the environment, then run the stages in order
       ./run_all.sh --recipe hard          the same on the second, harder data set, in runs/hard and figures/hard
       ./run_all.sh STAGE... [--seeds N]   run these stages; options after a single stage go to its command
       ./run_all.sh NAME...                make these tables and figures: table-3, figure-3a (figures/README.md)
       ./run_all.sh --workspace DIR ...    data, runs and figures in a directory of your own, with its axioms.txt and
                                           recipe.json if they are there (docs/own-domain.md)
       ./run_all.sh smoke [STAGE...]       the same, small, in runs/smoke
       ./run_all.sh test [OPTIONS]         ruff, then the tests; options go to pytest
       ./run_all.sh test-report [OPTIONS]  the report and the page of serve in Chromium, which has to be installed
       ./run_all.sh test-crash [OPTIONS]   kills at every stage; goes on where it was stopped (--fresh: from the beginning)
       ./run_all.sh test-damage [OPTIONS]  damaged files before every reader, likewise
       ./run_all.sh test-fuzz [OPTIONS]    a million hostile texts before every reader, likewise
       ./run_all.sh test-judges [OPTIONS]  the judges against mpmath at poles, branch cuts and large numbers, likewise
       ./run_all.sh audit                  hashes and licences of the packages anew, and known vulnerabilities
       ./run_all.sh setup                  only make the environment
       ./run_all.sh help                   this text

stages:
TEXT
  enter_workspace
  mode=describe
  stages
  cat <<'TEXT'

variables:
  CHROMIUM=/path      the browser of test-report; otherwise one is looked for
  PYTHON=python3.10   the interpreter of the environment (3.10, 3.11 or 3.12); otherwise one is looked for
  REPRODUCTION_WORKSPACE=DIR   as --workspace DIR
  GPU=1               the GPU environment in .venv-gpu instead of .venv (untested)
TEXT
}

run_tests() {
  make_environment
  "$python" -m ruff check .
  "$python" -m ruff format --check .
  "$python" -m pytest -n 2 "$@"
}

# Makes the hashes and the list of licences anew and asks for known vulnerabilities, with tools in their own environment.
run_audit() {
  local tools=.venv-audit/bin stale=0
  make_environment
  if ! cmp -s requirements-audit.txt .venv-audit/installed.txt; then
    "$python" -m venv .venv-audit
    $tools/python -m pip install --quiet --disable-pip-version-check --require-hashes --only-binary :all: -r requirements-audit.txt
    cp requirements-audit.txt .venv-audit/installed.txt
  fi
  cp requirements-hashes.txt "$environment/hashes-before.txt"
  $tools/uv pip compile --quiet --universal --python-version 3.10 --generate-hashes --no-annotate --no-header \
    --no-emit-package gluonnlp --no-emit-find-links --no-emit-index-url requirements-common.txt -o requirements-hashes.txt
  cmp -s "$environment/hashes-before.txt" requirements-hashes.txt || stale=1
  printf '# Licences of what is installed\n\nMade by `./run_all.sh audit`.\n\n' >docs/licences.md
  $tools/pip-licenses --python "$python" --format=markdown --order=name >>docs/licences.md
  "$python" -m pip check --disable-pip-version-check
  if ((stale)); then echo "requirements-hashes.txt was out of date and has been made anew: look at the difference, then commit it"; fi
  $tools/pip-audit -r "$requirements" --no-deps --disable-pip
}

run_report_check() {
  make_environment
  "$python" -m pytest tests/report/check_report_page.py tests/serving/check_page.py "$@"
}

# A campaign: hundreds of attempts to break a promise, counted in docs/reliability.
run_campaign() {
  make_environment
  "$python" "tests/campaigns/$1.py" "${@:2}"
}

run_smoke() {
  smoke=yes origin=$workspace workspace+=/runs/smoke
  run_stages "$@"
}

# The small twin starts from nothing unless stages are named, with the axioms and the recipe of its workspace.
prepare_smoke() {
  local file
  if ((${#selected[@]} == 0)); then rm -rf "$workspace"; fi
  mkdir -p "$workspace"
  for file in axioms.txt recipe.json; do
    if [[ -e $origin/$file ]]; then cp "$origin/$file" "$workspace"; fi
  done
}

# --seeds and --recipe stand anywhere. Every other word before the first other option is a stage, or a table or figure;
# nothing means all stages.
run_stages() {
  local name
  selected=() extra=()
  while (($#)); do
    case $1 in
      --seeds) seeds=${2-} && shift ;;
      --seeds=*) seeds=${1#*=} ;;
      --recipe)
        recipe=${2-}
        [[ -n $recipe ]] || stop 2 "--recipe needs a name: paper or hard"
        shift
        ;;
      --recipe=*) recipe=${1#*=} ;;
      *) if [[ $1 == -* ]] || ((${#extra[@]})); then extra+=("$1"); else selected+=("$1"); fi ;;
    esac
    shift $(($# > 0))
  done
  [[ $seeds =~ ^[1-9][0-9]{0,3}$ ]] || stop 2 "--seeds must be a whole number from 1 to 9999, not '$seeds'"
  [[ -z $recipe || $recipe == paper || $recipe == hard ]] || stop 2 "--recipe must be paper or hard, not '$recipe'"
  enter_workspace
  mode=name
  known=$(stages)
  for name in ${selected[@]+"${selected[@]}"}; do
    [[ -n $name && " $known" == *" $name "* ]] || made_alone "$name" ||
      stop 2 "there is no stage or command '$name'; stages: ${known% };" \
        "commands: setup, test, test-report, test-crash, test-damage, test-fuzz, test-judges, audit, smoke, help; tables and figures: $(names_in_figures)"
  done
  if ((${#extra[@]} && ${#selected[@]} != 1)); then
    stop 2 "'${extra[0]}' can only be given to a single stage (./run_all.sh STAGE ${extra[0]} ...); stages: ${known% }"
  fi
  make_environment
  if ((${#selected[@]} == 0)); then lock_workspace; fi
  if [[ $smoke ]]; then prepare_smoke; fi
  mode=run
  stages
  about "Make this table or figure anew."
  for name in ${selected[@]+"${selected[@]}"}; do
    [[ " $known " == *" $name "* ]] || stage "$name" make_alone "$name"
  done
}

# Everything has its place in the workspace; the second benchmark is a directory of its runs and of its figures.
enter_workspace() {
  split_seeds=$((seeds > 5 ? seeds : 5)) runs=$workspace/runs figures=$workspace/figures
  export REPRODUCTION_WORKSPACE=$workspace REPRODUCTION_BENCHMARK=
  if [[ $recipe == hard ]]; then
    data_seed=0 runs+=/hard figures+=/hard REPRODUCTION_BENCHMARK=hard
  fi
}

about() { sentence=$1; }

# A stage whose work the report does, too.
part_of_report() {
  if [[ $mode == run ]] && ((${#selected[@]} == 0)); then return; fi
  sentence+=" (only by name)"
  stage "$@"
}

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
    printf "== %s: stopped with exit code %d; './run_all.sh %s%s%s' starts it again\n" \
      "$current_stage" "$code" "${smoke:+smoke }" "$current_stage" "${named:+ --workspace $named}" >&2
  fi
}

# ------------------------------------------------------------------------------------------------ the environment

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

supported="3.10 3.11 3.12"
get_python="get one with the system's packages (all that is needed: $(packages)), brew install python@3.11,
  pyenv install 3.11 or uv python install 3.11; or name one: PYTHON=/path/to/python3.11 ./run_all.sh"

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
  local candidate names=(python3.11 python3.10 python3.12 python3 python) refused="" incomplete=""
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

# What the environment must have been made of. PYTHON, when given, must be its version.
fingerprint() {
  local wanted=${version-} checksum=(sha256sum)
  type -P sha256sum >/dev/null || checksum=(shasum -a 256)
  [[ -n $wanted ]] || wanted=$("$python" -I -S -c 'import sys; print("%d.%d" % sys.version_info[:2])')
  printf '%s %s' "$(cat requirements-hashes.txt requirements-source.txt "$requirements" | "${checksum[@]}" | cut -d ' ' -f 1)" "$wanted"
}

is_current() { [[ -x $python && -f $stamp && $(<"$stamp") == "$(fingerprint)" ]]; }

# Only what this script has made is removed; the marker in it goes in first and stays, whenever the script is interrupted.
empty_environment() {
  mkdir -p "$environment"
  : >"$environment/$marker"
  find "$environment/" -mindepth 1 -maxdepth 1 ! -name "$marker" -exec rm -rf {} +
}

refuse_foreign_environment() {
  if [[ ! -e $environment && ! -L $environment || -f $environment/$marker || -f $stamp ]]; then return; fi
  stop 2 "$PWD/$environment was not made by this script and is left alone; move it away, then run the same command again"
}

# The stamp is written last: an installation that was interrupted is started over.
build_environment() {
  local started=$SECONDS log=$environment/install.log
  refuse_foreign_environment
  choose_interpreter
  check_requirements
  empty_environment
  printf 'Installing into %s with Python %s: about 1 GB, some minutes (log: %s) ...\n' "$environment" "$version" "$log"
  if ! { "$interpreter" -m venv "$environment" && install_packages; } >"$log" 2>&1; then
    tail -n 15 "$log" | cut -c 1-300 >&2
    stop 1 "the packages could not be installed; the whole log is in $log, and the same command tries again"
  fi
  "$python" -m reproduction.networks.fused.library
  fingerprint >"$stamp"
  printf 'Installed in %d s.\n' $((SECONDS - started))
}

# Nothing is installed whose hash is not in the files; what comes as source is built with what is installed already.
install_packages() {
  local install=("$python" -m pip install --no-input --disable-pip-version-check --progress-bar off --require-hashes)
  export PIP_USER=0
  unset PIP_CONSTRAINT PIP_BUILD_CONSTRAINT
  "${install[@]}" --only-binary :all: -r "$requirements" &&
    "${install[@]}" --no-build-isolation --no-deps -r requirements-source.txt
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

# Runs of all stages come one after another in a workspace; single stages wait only where they write the same directory.
lock_workspace() {
  local place=${origin-$workspace}/runs
  { mkdir -p "$place" && exec 8>>"$place/.${smoke:+smoke}${recipe:-run}.lock"; } 2>/dev/null ||
    stop 1 "$place cannot be written"
  lock -x 8 "works on all stages in $workspace"
}

make_environment() {
  local reason version="" compiler include interpreter missing=()
  environment=.venv requirements=requirements.txt
  if [[ ${GPU:-0} != 0 ]]; then
    [[ $(uname -s) == Linux ]] || stop 2 "GPU=1 needs Linux and an NVIDIA driver"
    environment=.venv-gpu requirements=requirements-gpu.txt
  fi
  python=$PWD/$environment/bin/python stamp=$environment/stamp marker=made-by-run_all
  isolate
  if [[ -n ${PYTHON-} ]]; then choose_interpreter; fi
  exec 9>>"$environment.lock"
  lock_environment -s
  until is_current; do
    lock_environment -x
    if ! is_current; then build_environment; fi
    lock_environment -s
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

smoke="" seeds=1 recipe="" current_stage=""
data_seed=1 # settings were chosen on the data of seed 0: the tables are made on data that nobody had looked at
named=${REPRODUCTION_WORKSPACE-} words=()
trap on_exit EXIT

while (($#)); do # --workspace stands anywhere
  case $1 in
    --workspace | --workspace=)
      named=${2-}
      [[ $1 == --workspace && -n $named ]] || stop 2 "--workspace needs a directory"
      shift
      ;;
    --workspace=*) named=${1#*=} ;;
    *) words+=("$1") ;;
  esac
  shift
done
set -- ${words[@]+"${words[@]}"}
workspace=${named:-$PWD}
if [[ $workspace != /* ]]; then workspace=$PWD/$workspace; fi

case ${1-} in
  help | -h | --help) help ;;
  setup) make_environment ;;
  test) run_tests "${@:2}" ;;
  audit) run_audit ;;
  test-report) run_report_check "${@:2}" ;;
  test-crash | test-damage | test-fuzz | test-judges) run_campaign "${1#test-}" "${@:2}" ;;
  smoke) run_smoke "${@:2}" ;;
  *) run_stages "$@" ;;
esac
