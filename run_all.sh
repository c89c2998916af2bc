#!/usr/bin/env bash
# The whole reproduction, stage by stage, as the table below lists it; `./run_all.sh help` says what else there is.
# It makes its own environment in .venv. Paths in options are relative to the project's directory.
set -euo pipefail
script=${BASH_SOURCE[0]}
while [[ -L $script ]]; do # a link to this script means the project, not the directory of the link
  target=$(readlink -- "$script")
  if [[ $target != /* ]]; then target=$(dirname -- "$script")/$target; fi
  script=$target
done
CDPATH="" cd -- "$(dirname -- "$script")"
source scripts/environment.sh
source scripts/words.sh
source scripts/checks.sh

# One sentence and one line a stage, in order; options that a person adds to a single stage come after them.
stages() {
  about "Make the data set: symbolic equations, function evaluations and the splits."
  always data generate $keep --split-seeds "$split_seeds"

  about "Score what is no network: majority, Sympy, a bag of symbols, a lookup."
  always baselines reproduce baselines

  about "Train every model on every split, once per seed, and on parts of the training set, two at a time."
  always experiments study experiments

  about "Train every model on every split as the authors' released code ran, the first of the two protocols."
  always release study release

  about "Keep of each network the run that is best on dev, in runs/pretrained."
  by_name pretrained reproduce keep-best

  about "Train, calibrate and judge a network worth using, apart from the paper's tables: runs/showcase."
  by_name showcase reproduce showcase

  about "Score the networks on equations that are deeper than any they were trained on."
  always deep score_deep

  about "Fill blanks in the test equations of the random split (Figures 3 and 4)."
  always completion reproduce score --only blanks

  about "Try other settings for the claims that do not come back, on data that no table is made of."
  by_name remedies study remedies

  about "Compare the eight optimizers on all six networks."
  by_name ablation study ablation

  about "Search the paper's space of configurations by successive halving, for every network."
  by_name search study search

  about "Study whether function-evaluation data help: with and without them, from few equations to all."
  by_name data-study study data-study

  about "Find out what makes the second benchmark hard, one choice of its recipe at a time."
  by_name ladder study ladder

  about "Train every model on every split at the paper's own settings, and judge its claims under them as well."
  by_name protocol study protocol

  about "Train on depths 1 to 7 and test on depths 8 to 13, as the paper's follow-up does, its stack cell among the networks."
  by_name deeper study deeper

  about "Train trees with every leaf, with and without dropout and data: what the paper's effect of data is made of."
  by_name factors study factors

  about "Tune Transformers and train them on every split, beside the paper's networks."
  by_name beyond study beyond

  about "Train on the authors' own sample, --file FILE: with and without data, at equal epochs and at equal steps."
  on_request authors study authors

  about "Measure the engines of trees and chains against simpler ways to run the same networks."
  by_name benchmark reproduce benchmark --json --figure

  about "Write all tables and figures, and figures/report.html with everything in it."
  always report reproduce report
}

help() {
  cat <<'TEXT'
usage: ./run_all.sh [--seeds N]            make the environment, then run the stages in order
       ./run_all.sh --recipe hard          the same on the second, harder data set, in runs/hard and figures/hard
       ./run_all.sh STAGE... [--seeds N]   run these stages; options after a single stage go to its command
                                           (--seeds N: seeds 0 to N-1; --seeds A-B: these, beside the rows there are)
       ./run_all.sh NAME...                make these tables and figures: table-3, figure-3a (figures/README.md)
       ./run_all.sh --workspace DIR ...    data, runs and figures in a directory of your own, with its axioms.txt and
                                           recipe.json if they are there (docs/own-domain.md)
       ./run_all.sh smoke [STAGE...]       the same, small, in runs/smoke
       ./run_all.sh COMMAND [OPTIONS]      one of the commands below
TEXT
  mode=describe
  printf '\nstages:\n' && stages
  printf '\ncommands:\n' && commands
  cat <<'TEXT'

variables:
  CHROMIUM=/path      the browser of test-report; otherwise one is looked for
  PYTHON=python3.10   the interpreter of the environment (3.10 to 3.14); otherwise one is looked for
  REPRODUCTION_WORKSPACE=DIR   as --workspace DIR
  GPU=1               the GPU environment in .venv-gpu instead of .venv (untested)
TEXT
}

trap on_exit EXIT
case ${1-} in
  help | -h | --help) help ;;
  smoke) smoke=yes && run_words "${@:2}" ;;
  *) if is_command "$@"; then run_command "$@"; else run_words "$@"; fi ;;
esac
