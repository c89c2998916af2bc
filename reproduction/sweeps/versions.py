"""What a worker has to share with the one who asks: the code that trains, and the data."""

import hashlib
import socket

from .. import artifacts
from ..data.dataset import fingerprint_of
from ..errors import InputError
from .trials import Data

KINDS = (".py", ".h", ".cc", ".txt", ".json")


def code_digest() -> str:
    """A digest of the package's sources as they lie on this machine's disk now."""
    digest, package = hashlib.sha256(), artifacts.ROOT / "reproduction"
    for path in sorted(path for path in package.rglob("*") if path.suffix in KINDS):
        digest.update(f"{path.relative_to(package).as_posix()}\0".encode())
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:12]


def why_unfit(data: Data, code: str | None) -> str | None:
    """A sentence if this machine has other code or other data than a training is asked for with; else None."""
    here = f"the worker on {socket.gethostname()}"
    if code is not None and (own := code_digest()) != code:
        return f"{here} has another version of the code ({own}, not {code}): all machines need the same sources"
    try:
        found = fingerprint_of(data.directory) if data.directory.is_dir() else None
    except InputError:
        found = None
    if found is None:
        return f"{here} does not see {data.directory}: all machines need the same files under the same paths"
    if found != data.fingerprint:
        return f"{here} has other data in {data.directory} ({found}, not {data.fingerprint})"
    return None
