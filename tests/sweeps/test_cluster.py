"""The cluster on this machine: it leaves nothing behind outside its workspace."""

import tempfile

from reproduction import artifacts
from reproduction.sweeps.cluster import Cluster


def test_nothing_is_written_to_the_systems_temporary_directory(tmp_path, monkeypatch):
    """Workers have a directory of ours; Dask's scheduler would take one of the system's, and leave it after a kill."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with Cluster(workers=1) as cluster:
        assert cluster.size == 1
        assert list(tmp_path.iterdir()) == []
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_one_left_is_removed_even_if_nothing_has_to_run(tmp_path, monkeypatch):
    monkeypatch.setattr(artifacts, "CACHE", tmp_path)
    with Cluster():
        assert list(tmp_path.iterdir()) == []
    (tmp_path / "scratch" / "dask-old").mkdir(parents=True)
    (tmp_path / "scratch" / "dask-old" / ".lock").touch()
    with Cluster():
        assert list((tmp_path / "scratch").iterdir()) == []
