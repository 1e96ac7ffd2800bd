"""Removes a job's writes to /tmp according to `SVC_TMP_MODE`: `sweep`, `private` or `none`."""

import os
import sys

from . import work

_HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class TmpPolicy:
    def __init__(self, mode):
        self.mode = mode if mode in ("sweep", "private") else "none"
        self.note = None

    def mounts(self, home):
        """Prepares a private /tmp for a host: its directory and the paths that must remain visible in it. None in other modes."""
        if self.mode != "private":
            return None
        directory = os.path.join(home, "tmp")
        os.makedirs(directory, exist_ok=True)
        os.chmod(directory, 0o1777)
        binds = []
        for path in visible_below_tmp(home):
            target = directory + path[len(work.TMP) :]
            os.makedirs(target, exist_ok=True)
            binds.append([path, target])
        return {"directory": directory, "binds": binds}

    def give_up(self, reason):
        """Falls back after a failed mount: jobs now share the machine's /tmp, and the log line contains the reason."""
        self.mode = "none"
        self.note = f"no private /tmp: {reason}"

    def undo(self, host):
        """Removes a run's files from /tmp. Call this after the last process of the run has ended."""
        if self.mode == "sweep":
            work.empty(work.TMP, {work.WORK, *visible_below_tmp(host.home)})
        elif self.mode == "private" and host.mounts:
            work.empty(host.mounts["directory"], {target for _, target in host.mounts["binds"]})


def visible_below_tmp(home):
    """Lists the directories that a host needs and that are below /tmp: the artefacts, its jobs, this runner and the interpreter."""
    wanted = [
        os.path.join(work.WORK, "artefacts"),
        os.path.join(home, "jobs"),
        _HERE,
        sys.prefix,
        sys.base_prefix,
        os.path.dirname(os.path.realpath(sys.executable)),
    ]
    kept = []
    for path in sorted(set(wanted)):
        below = path.startswith(work.TMP + os.sep)
        if below and os.path.isdir(path) and not any(path == other or path.startswith(other + os.sep) for other in kept):
            kept.append(path)
    return kept
