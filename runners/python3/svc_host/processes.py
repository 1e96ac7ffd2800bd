"""Finds and ends the processes of a run, including those that left its process group.

This requires Linux's /proc. On other systems a run's processes are those of its process group.
"""

import os
import signal
import time


def kill_group(pid):
    """Kills a process and its group. Both, because a new child may not have created its group yet."""
    for kill in (os.kill, os.killpg):
        try:
            kill(pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass


def strays(root, marker):
    """Returns the living descendants of `root` and every process whose environment contains `marker` (bytes), without `root`."""
    parents = {}
    found = set()
    for pid in _pids():
        state, parent = _stat(pid)
        if state is None or state == b"Z":
            continue
        parents[pid] = parent
        if marker is not None and marker in _environment(pid):
            found.add(pid)
    below = {root}
    grown = True
    while grown:
        more = {pid for pid, parent in parents.items() if parent in below and pid not in below}
        grown = bool(more)
        below |= more
    return (found | below) - {root, os.getpid()}


def kill_strays(root, marker, seconds=2.0):
    """Kills all of `strays` until none is left or `seconds` have passed; returns whether none is left.

    One pass is not enough, because a process may fork between the listing and the kill.
    """
    end = time.monotonic() + seconds
    while True:
        living = strays(root, marker)
        if not living:
            return True
        for pid in living:
            try:
                os.kill(pid, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                pass
        if time.monotonic() > end:
            return False
        time.sleep(0.002)


def memory_kb(pid, field="VmHWM"):
    """Returns `VmHWM` (peak) or `VmRSS` (current) of a process in KB; None if unknown."""
    try:
        with open(f"/proc/{pid}/status", "rb") as status:
            for line in status:
                if line.startswith(field.encode() + b":"):
                    return int(line.split()[1])
    except (OSError, ValueError):
        pass
    return None


def _pids():
    try:
        return [int(name) for name in os.listdir("/proc") if name.isdigit()]
    except OSError:
        return []


def _stat(pid):
    try:
        with open(f"/proc/{pid}/stat", "rb") as stat:
            # The name is in parentheses and may contain any character, so parsing starts after the last parenthesis.
            fields = stat.read().rpartition(b")")[2].split()
            return fields[0], int(fields[1])
    except (OSError, ValueError, IndexError):
        return None, None


def _environment(pid):
    try:
        with open(f"/proc/{pid}/environ", "rb") as environ:
            return environ.read()
    except OSError:
        return b""
