"""Files of a run that are changed and sealed again, as no command leaves them."""

from pathlib import Path

from reproduction import artifacts
from reproduction.training.run_directory import CONFIG, RESULTS, read_config, write_results


def change_run(directory: Path, config: dict | None = None, results: dict | None = None) -> None:
    """Changes what config.json and results.json say, and makes them fit each other again."""
    row = {**read_config(directory), **(config or {})}
    artifacts.write_json(directory / CONFIG, row)
    stored = {**artifacts.read_json(directory / RESULTS), **(results or {})}
    write_results(directory, row, {name: value for name, value in stored.items() if name not in ("run", "files")})
