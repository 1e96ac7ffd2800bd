"""Detects changes that other scripts made to unpacked artefacts.

The scripts of one environment have one user, so a script can change the unpacked files of another one. A script may change its own:
Python stores compiled modules there. The state of an artefact is therefore recorded when another one is about to run, and compared
before it runs again. Between two runs only hosts that wait for the same script live, and they end before another one's files are read.
"""

import hashlib
import os

from . import work

_seals = {}
_current = None
"""The artefact that ran last."""


def is_intact(root):
    """Call this before an artefact runs. Returns False if its files have changed since its own last run."""
    # Elsewhere other supervisors use the same files, and all jobs belong to the same developer.
    if not work.SOLE or root == _current:
        return True
    return root in _seals and _seals[root] == _describe(root)


def note_run(root):
    """Call this when an artefact is intact, or unpacked, and is about to run."""
    global _current
    if not work.SOLE or root == _current:
        return
    if _current is not None:
        _seals[_current] = _describe(_current)
    _current = root


def _describe(root):
    """Returns a hash of the path, type, size and time of change of every entry. No process can set that time (`ctime`), not even after a change."""
    digest = hashlib.sha256()

    def add(path, entry):
        digest.update(f"{path}\0{entry.st_ino} {entry.st_mode} {entry.st_size} {entry.st_ctime_ns}\0".encode(errors="surrogateescape"))

    def walk(directory):
        add(directory, os.lstat(directory))
        for entry in sorted(os.scandir(directory), key=lambda one: one.name):
            if entry.is_dir(follow_symlinks=False):
                walk(entry.path)
            else:
                add(entry.path, entry.stat(follow_symlinks=False))

    try:
        walk(root)
    except OSError:
        # It was removed, or a script made it unreadable: it equals no recorded state.
        return object()
    return digest.digest()
