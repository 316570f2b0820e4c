"""Who a policy is: its files decide, not where they lie."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil

import pytest

from bestrand_drive.errors import DataRefused, UsageError
from bestrand_drive.simulation.attempts.identity import PolicyIdentity, identify_policy


@pytest.fixture
def files(tmp_path):
    """An agent, a configuration, a folder of checkpoints."""
    home = tmp_path / "home"
    (home / "ckpt" / "part").mkdir(parents=True)
    (home / "agent.py").write_text("class Agent: ...\n")
    (home / "config.py").write_text("speed = 3\n")
    (home / "ckpt" / "a.bin").write_bytes(b"\0weights")
    (home / "ckpt" / "part" / "b.bin").write_bytes(b"\1weights")
    return home


def digest(home, config: str | None = None) -> str:
    given = f"{home}/config.py+{home}/ckpt" if config is None else config
    return identify_policy("p", agent=home / "agent.py", agent_config=given).digest


def test_the_hash_is_that_of_the_documented_content(files):
    def sha(content: bytes) -> str:
        return hashlib.sha256(content).hexdigest()

    folder = {"a.bin": sha(b"\0weights"), "part/b.bin": sha(b"\1weights")}
    parts = [
        ["file", sha(b"speed = 3\n")],
        ["folder", sha(json.dumps(folder, sort_keys=True, separators=(",", ":")).encode())],
    ]
    whole = {"agent": ["file", sha(b"class Agent: ...\n")], "config": parts}
    expected = sha(json.dumps(whole, sort_keys=True, separators=(",", ":")).encode())
    assert digest(files) == f"sha256:{expected}"


def test_a_moved_policy_is_the_same_one(files, tmp_path):
    shutil.copytree(files, tmp_path / "elsewhere")
    os.utime(tmp_path / "elsewhere" / "agent.py", (0, 0))
    assert digest(files) == digest(tmp_path / "elsewhere")


def test_a_folder_that_cannot_be_listed_is_refused_and_not_left_out(files, monkeypatch):
    def closed(place):
        if str(place).endswith("part"):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(place))
        return scandir(place)

    scandir = os.scandir
    monkeypatch.setattr(os, "scandir", closed)
    with pytest.raises(DataRefused, match=r"part: cannot be read \(Permission denied\)"):
        digest(files)


def test_a_text_that_is_too_long_for_a_name_is_a_text(files):
    assert digest(files, "x" * 300) != digest(files, "x" * 301)


@pytest.mark.parametrize(
    ("name", "content"),
    [("agent.py", b"x"), ("config.py", b"speed = 4\n"), ("ckpt/part/b.bin", b"\2weights"), ("ckpt/new.bin", b"")],
)
def test_any_changed_byte_is_another_policy(files, name, content):
    before = digest(files)
    (files / name).write_bytes(content)
    assert digest(files) != before


def test_a_renamed_checkpoint_inside_a_folder_and_another_order_are_other_policies(files):
    before = digest(files)
    assert digest(files, f"{files}/ckpt+{files}/config.py") != before
    (files / "ckpt" / "a.bin").rename(files / "ckpt" / "c.bin")
    assert digest(files) != before


def test_parts_that_are_no_files_count_as_text(files):
    assert digest(files, "fast") != digest(files, "slow")
    assert digest(files, "") != digest(files, "slow")


def test_what_python_leaves_behind_does_not_count(files):
    before = digest(files)
    (files / "ckpt" / "__pycache__").mkdir()
    (files / "ckpt" / "__pycache__" / "x.pyc").write_bytes(b"1")
    assert digest(files) == before


def test_a_looping_link_ends(files):
    before = digest(files)
    (files / "ckpt" / "part" / "up").symlink_to(files / "ckpt")
    assert digest(files) == before


def test_a_declared_id_replaces_the_files(files):
    identity = identify_policy("p", agent=files / "agent.py", policy_id="release 3")
    assert identity == PolicyIdentity(name="p", declared="release 3")
    assert identity.digest == "id:release 3"


def test_a_policy_needs_one_identity(files):
    with pytest.raises(UsageError, match="--policy-id"):
        identify_policy("p")
    with pytest.raises(UsageError, match=r"absent\.py: there is no such file"):
        identify_policy("p", agent=files / "absent.py")
    with pytest.raises(ValueError, match="either"):
        PolicyIdentity(name="p")
