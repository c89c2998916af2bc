# What checks the project; sourced by run_all.sh in the project's directory.

# The commands beside the stages: a sentence and a line each, as in run_all.sh.
commands() {
  about "Only make the environment."
  always setup make_environment
  about "Make it with what tests, the notebook and Dask's dashboard need."
  always setup-checks add_checks
  about "Check style and types, then run the tests; options go to pytest."
  always test run_tests
  about "Check the report and the page of serve in Chromium, which has to be installed."
  always test-report run_report_check
  about "Kill every stage hundreds of times; goes on where it was stopped (--fresh: from the beginning)."
  always test-crash run_campaign crash
  about "Put damaged files before every reader, likewise."
  always test-damage run_campaign damage
  about "Put a million hostile texts before every reader, likewise."
  always test-fuzz run_campaign fuzz
  about "Compare the judges with mpmath at poles, branch cuts and large numbers, likewise."
  always test-judges run_campaign judges
  about "Attack the server with hostile and half-open connections, likewise."
  always test-server run_campaign server
  about "Build the operators with sanitizers and every warning, and run the engines' tests on them."
  always test-sanitizers run_campaign sanitizers
  about "Prove 100,000 equations of known truth by the second prover, as above."
  always test-prover run_campaign prover
  about "Make the hashes and licences of the packages anew, and ask for known vulnerabilities."
  always audit run_audit
}

# Style, types, then the tests; options go to pytest.
run_tests() {
  add_checks
  "$python" -m ruff check .
  "$python" -m ruff format --check .
  "$python" -m mypy
  "$python" -m pytest -n 2 "$@"
}

# The report and the page of serve in Chromium, which has to be installed.
run_report_check() {
  add_checks
  "$python" -m pytest tests/report/check_report_page.py tests/serving/check_page.py "$@"
}

# A campaign: hundreds of attempts to break a promise, counted in docs/reliability; it goes on where it was stopped.
run_campaign() {
  add_checks
  PYTHONPATH=tests "$python" -m "campaigns.$1" "${@:2}"
}

# The hashes and the list of licences anew, and known vulnerabilities, by tools in their own environment.
run_audit() {
  local tools=.venv-audit/bin before stale=0
  add_checks
  if ! cmp -s requirements/audit.txt .venv-audit/installed.txt; then
    "$python" -m venv .venv-audit
    $tools/python -m pip install --quiet --disable-pip-version-check --require-hashes --only-binary :all: -r requirements/audit.txt
    cp requirements/audit.txt .venv-audit/installed.txt
  fi
  before=$(checksum_of requirements/*-hashes.txt)
  find_hashes requirements/run.txt -o requirements/run-hashes.txt
  # shellcheck disable=SC2046 # one word a package
  find_hashes requirements/check.txt -c requirements/run.txt -o requirements/check-hashes.txt \
    $(sed -nE 's/^([A-Za-z0-9_-]+)==.*/--no-emit-package \1/p' requirements/run.txt)
  [[ $before == "$(checksum_of requirements/*-hashes.txt)" ]] || stale=1
  printf '# Licences of what is installed\n\nMade by `./run_all.sh audit`.\n\n' >docs/licences.md
  $tools/pip-licenses --python "$python" --format=markdown --order=name >>docs/licences.md
  if ((stale)); then echo "the hashes in requirements/ were out of date and have been made anew: look at the difference, then commit it"; fi
  for list in requirements/cpu.txt requirements/check-hashes.txt; do
    $tools/pip-audit -r "$list" --no-deps --disable-pip
  done
}

# The hashes of all packages that a list of pins needs, for all supported versions of Python.
find_hashes() {
  $tools/uv pip compile --quiet --universal --python-version 3.10 --generate-hashes --no-annotate --no-header \
    --no-emit-package gluonnlp --no-emit-find-links --no-emit-index-url "$@"
}
