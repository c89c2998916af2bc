# What the words after run_all.sh ask for, and how stages are run; sourced by run_all.sh in the project's directory.

keep=--keep split_seeds=5 seeds="" recipe="" smoke="" named=${REPRODUCTION_WORKSPACE-} selected=() extra=() sentence="" current_stage=""

reproduce() { "$python" -m reproduction "$@"; }

generate() { reproduce generate ${recipe:+--recipe "$recipe"} "$@"; }

study() { reproduce study "$@" ${seeds:+--seeds "$seeds"}; } # it has its own number of seeds unless a person names one

score_deep() {
  generate --deep --keep --split-seeds 1
  reproduce score --only deep "$@"
}

# Takes the options of run_all.sh from anywhere on the line. Every other word before the first other option is a stage, a
# table or a figure; what follows goes to the command of a single stage. No name means all stages.
read_words() {
  local word
  while (($#)); do
    word=$1
    shift
    case $word in
      --seeds=* | --recipe=* | --workspace=*) set -- "${word%%=*}" "${word#*=}" "$@" ;;
      --seeds | --recipe | --workspace)
        read_option "$word" "${1-}"
        shift $(($# > 0))
        ;;
      *) if [[ $word == -* ]] || ((${#extra[@]})); then extra+=("$word"); else selected+=("$word"); fi ;;
    esac
  done
  if ((${#extra[@]} && ${#selected[@]} != 1)); then
    stop 2 "'${extra[0]}' can only be given to a single stage (./run_all.sh STAGE ${extra[0]} ...); stages: $(names_of stages)"
  fi
}

# Sets seeds, recipe or named from an option and its value.
read_option() {
  case $1 in
    --seeds) read_seeds "$2" ;;
    --recipe) recipe=$2 && [[ $2 == paper || $2 == hard ]] || stop 2 "--recipe must be paper or hard, not '$2'" ;;
    --workspace) named=$2 && [[ -n $2 ]] || stop 2 "--workspace needs a directory" ;;
  esac
}

# Sets seeds from N (0 to N-1) or A-B, and how many seeds have splits, five at least.
read_seeds() {
  local most
  seeds=$1
  if [[ $1 =~ ^(0|[1-9][0-9]{0,3})-(0|[1-9][0-9]{0,3})$ ]] && ((BASH_REMATCH[1] <= BASH_REMATCH[2])); then
    most=$((BASH_REMATCH[2] + 1))
  elif [[ $1 =~ ^[1-9][0-9]{0,3}$ ]]; then
    most=$1
  else
    stop 2 "--seeds must be a whole number from 1 to 9999, or two seeds as 5-9, not '$1'"
  fi
  split_seeds=$((most > 5 ? most : 5))
}

# Everything has its place in the workspace; the second benchmark is a directory of its runs and of its figures.
enter_workspace() {
  workspace=${named:-$PWD}
  if [[ $workspace != /* ]]; then workspace=$PWD/$workspace; fi
  origin=$workspace
  if [[ $smoke ]]; then workspace+=/runs/smoke; fi
  export REPRODUCTION_WORKSPACE=$workspace REPRODUCTION_BENCHMARK="" REPRODUCTION_SCALE=${smoke:+smoke}
  if [[ $recipe == hard ]]; then REPRODUCTION_BENCHMARK=hard; fi
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

# Runs of all stages come one after another in a workspace; single stages wait only where they write the same directory.
lock_workspace() {
  local place=$origin/runs
  { mkdir -p "$place" && exec 8>>"$place/.${smoke:+smoke}${recipe:-run}.lock"; } 2>/dev/null ||
    stop 1 "$place cannot be written"
  lock -x 8 "works on all stages in $workspace"
}

# Makes the environment and runs what the words ask for: all stages, or those that are named, then tables and figures.
run_words() {
  local known name others=()
  read_words "$@"
  if ((${#extra[@]})); then keep=""; fi # options that a person adds to a stage say what data to make
  enter_workspace
  known=" $(names_of stages) "
  for name in ${selected[@]+"${selected[@]}"}; do
    if [[ $name == *[!a-z0-9+-]* ]]; then refuse_name "$name"; fi
    [[ $known == *" $name "* ]] || others+=("$name")
  done
  make_environment
  for name in ${others[@]+"${others[@]}"}; do
    [[ " $(outputs) " == *" $name "* ]] || refuse_name "$name" "; tables and figures: $(outputs)"
  done
  if ((${#selected[@]} == 0)); then lock_workspace; fi
  if [[ $smoke ]]; then prepare_smoke; fi
  mode=run
  stages
  for name in ${others[@]+"${others[@]}"}; do
    announced "$name" "Make this table or figure anew." reproduce report "$name"
  done
}

refuse_name() { stop 2 "there is no stage or command '$1'; stages: $(names_of stages); commands: $(names_of commands)${2-}"; }

# The names of all tables and figures.
outputs() { reproduce report --list | cut -f 1 | paste -sd ' ' -; }

# The names in a table of stages or commands.
names_of() {
  mode=name
  "$1" | paste -sd ' ' -
}

# One line of the table: with a sentence before it. `always` is run when all stages are; `by_name` when it is named, and in
# the small twin of everything; `on_request` only when it is named.
about() { sentence=$1; }

always() { line yes "" "$@"; }
by_name() { line "$smoke" " (only by name)" "$@"; }
on_request() { line "" " (only by name)" "$@"; }

is_command() { [[ -n ${1-} && " $(names_of commands) " == *" $1 "* ]]; }

# Runs the command that the first word names, with the words after it as its options.
run_command() {
  mode=call selected=("$1") extra=("${@:2}")
  commands
}

# Describes, names or runs one line of a table, as `mode` says.
line() {
  local when=$1 note=$2 name=$3
  shift 3
  case $mode in
    describe) printf '  %-18s  %s%s\n' "$name" "$sentence" "$note" ;;
    name) printf '%s\n' "$name" ;;
    call) if [[ $name == "${selected[0]}" ]]; then "$@" ${extra[@]+"${extra[@]}"}; fi ;;
    run)
      if ((${#selected[@]})); then
        [[ " ${selected[*]} " == *" $name "* ]] || return 0
      elif [[ -z $when ]]; then
        return 0
      fi
      announced "$name" "$sentence" "$@" ${extra[@]+"${extra[@]}"}
      ;;
  esac
}

announced() {
  local started=$SECONDS
  current_stage=$1
  printf '== %s: %s\n' "$1" "$2"
  "${@:3}"
  printf '== %s: done in %d s\n' "$1" $((SECONDS - started))
  current_stage=
}

on_exit() {
  local code=$?
  if ((code)) && [[ -n $current_stage ]]; then
    printf "== %s: stopped with exit code %d; './run_all.sh %s%s%s' starts it again\n" \
      "$current_stage" "$code" "${smoke:+smoke }" "$current_stage" "${named:+ --workspace $named}" >&2
  fi
}
