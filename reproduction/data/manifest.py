"""The manifest of a data set: it names every file with its SHA-256, and is written last.

Data sets are read through it: a file that is missing, damaged or of another data set is refused. The SHA-256 of a
split, which is compressed JSON, is that of the JSON.
"""

from pathlib import Path
from typing import NamedTuple

from .. import VERSION, artifacts, shapes
from ..artifacts import parse_json
from ..errors import InputError

MANIFEST, UNFINISHED = "manifest.json", "unfinished.txt"
RECORD_FILES = SYMBOLIC_FILE, NUMERIC_FILE = "symbolic.jsonl.gz", "numeric.jsonl.gz"
PACKED_JSON = ".json.gz"  # how the names of splits end
PATTERNS = ("*.jsonl*", "statistics.json", "table-2.json", f"splits/*{PACKED_JSON}")  # of the files of a data set


class Manifest(NamedTuple):
    """The files of a data set by name with their SHA-256, and what the data set was made with."""

    version: str  # of the code that made it
    files: dict[str, str]
    made_with: dict
    directory: Path = Path()  # where the file lies; not in it

    @property
    def fingerprint(self) -> str:
        """A short name for the records."""
        return artifacts.fingerprint_of_checksums(self.files[name] for name in RECORD_FILES)

    def content(self, name: str) -> bytes:
        """The content of a file, of a split the JSON in it, if it is the one that the manifest names."""
        path = self.directory / name
        if name not in self.files:
            raise InputError(f"{path}: not a file of this data set, its {MANIFEST} does not name it")
        content = _content(path)
        if artifacts.checksum(content) != self.files[name]:
            raise InputError(f"{path}: damaged or of another data set, it is not the file that {MANIFEST} names")
        return content

    def json(self, kind, name: str):
        """The value of a JSON file, as this kind."""
        path = self.directory / name
        return shapes.shaped(kind, parse_json(artifacts.decoded(self.content(name), path), path), path)

    def check(self) -> "Manifest":
        """The manifest itself; the data set is refused if one of its files is not the one that is named."""
        for name in self.files:
            self.content(name)
        return self


def _content(path: Path) -> bytes:
    """What the SHA-256 of a file is computed from."""
    content = artifacts.read_bytes(path)
    return artifacts.unpacked(content, path) if path.name.endswith(PACKED_JSON) else content


def is_whole(directory: Path) -> bool:
    """Whether there is a finished data set."""
    return artifacts.is_there(Path(directory) / MANIFEST)


def read_manifest(directory: Path) -> Manifest:
    """The manifest of the data set in a directory; a directory without one is refused."""
    directory = Path(directory)
    if artifacts.is_there(directory / UNFINISHED):
        raise InputError(f"{directory}: not a whole data set, the command that wrote it was stopped; start it again")
    if not is_whole(directory):
        raise InputError(f"{directory}: not a data set, {MANIFEST} is missing (make one with `generate --replace`)")
    manifest: Manifest = shapes.read(Manifest, directory / MANIFEST, sealed=True)._replace(directory=directory)
    for name in RECORD_FILES:
        if name not in manifest.files:
            raise InputError(f"{directory / MANIFEST}: files.{name} is missing")
    return manifest


def begin(directory: Path) -> None:
    """Removes the data set of a directory, its manifest first: from now on there is none, until `finish`."""
    artifacts.write_text(directory / UNFINISHED, "A data set is being written here, or its writer was stopped.\n")
    (directory / MANIFEST).unlink(missing_ok=True)
    for path in (*directory.glob("*.jsonl*"), *directory.glob("splits/*.json*")):
        path.unlink()


def manifest_of(directory: Path, made_with: dict) -> Manifest:
    """The manifest of what lies in a directory by now."""
    names = [path.relative_to(directory).as_posix() for pattern in PATTERNS for path in directory.glob(pattern)]
    files = {name: artifacts.checksum(_content(directory / name)) for name in sorted(names)}
    return Manifest(VERSION, files, made_with, directory)


def finish(manifest: Manifest) -> None:
    """Writes the manifest: what it names is the data set."""
    row = {"version": manifest.version, "files": manifest.files, "made_with": manifest.made_with}
    artifacts.write_sealed(manifest.directory / MANIFEST, row)
    (manifest.directory / UNFINISHED).unlink(missing_ok=True)
