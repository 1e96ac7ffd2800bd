"""Ends the processes that runs left behind: those that the supervisor does not know."""

import os
import signal
import time

from svc_host import isolation

_older = {}
"""The start times of processes that are older than the first host, by process id."""
_unrelated = set()
"""Processes that are not below the supervisor, which none of them can become. Forgotten after a minute, because ids are reused."""
_forget_at = 0.0
_SWEEP_S = 5.0


def take_control():
    """Hides this process from scripts and makes it the parent of all orphans below it. Call it before the first host starts."""
    isolation.hide_from_children()
    isolation.adopt_orphans()
    _older.update({pid: started for pid, _, started, _ in _entries()})


def judge(pid, by_id, supervisor, older, hosts, ended, unrelated):
    """Returns what a process is: "stray", "known", "unrelated", or "torn" if its parent ended while the list was read.

    `by_id` contains (id, parent, start time) by id. A stray is a descendant of the supervisor that it does not know. No process of a run can
    leave its descendants, because supervisor and hosts adopt orphans. A host ends what its forks leave, so its descendants are known,
    except for those of `ended`, a host that ran a job itself.
    """
    if pid == supervisor or pid in hosts:
        return "known"
    while True:
        _, parent, started = by_id[pid]
        if pid == supervisor:
            return "stray"
        if pid in hosts:
            return "stray" if pid == ended else "known"
        if parent == 0 or parent in unrelated:
            return "unrelated"
        if older.get(pid) == started:
            return "known"
        if parent not in by_id:
            return "torn"
        pid = parent


def kill(hosts, ended):
    """Kills the strays, including those that they fork during the search, and returns their number. `hosts` are the ids of all hosts."""
    global _forget_at
    now = time.monotonic()
    if now > _forget_at:
        _unrelated.clear()
        _forget_at = now + 60
    killed = set()
    # A run that starts processes faster than they are killed must not stop the supervisor for longer.
    while time.monotonic() < now + _SWEEP_S:
        by_id = {}
        for pid, parent, started, is_zombie in _entries():
            if not is_zombie:
                by_id[pid] = (pid, parent, started)
            elif parent == os.getpid() and pid not in hosts:
                _reap(pid)
        verdicts = {pid: judge(pid, by_id, os.getpid(), _older, hosts, ended, _unrelated) for pid in by_id}
        _unrelated.update(pid for pid, verdict in verdicts.items() if verdict == "unrelated")
        found = [pid for pid, verdict in verdicts.items() if verdict == "stray" and pid not in killed]
        if not found and "torn" not in verdicts.values():
            break
        for pid in found:
            killed.add(pid)
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                # The process has ended.
                pass
    return len(killed)


def _reap(pid):
    try:
        os.waitpid(pid, os.WNOHANG)
    except ChildProcessError:
        pass


def _entries():
    """Yields (id, parent, start time, is a zombie) of each process that is not known to be unrelated; nothing on systems without /proc."""
    try:
        names = os.listdir("/proc")
    except OSError:
        return
    for name in names:
        if not name.isdigit() or int(name) in _unrelated:
            continue
        try:
            with open(f"/proc/{name}/stat", encoding="latin-1") as stat:
                # The name is in parentheses and may contain any character, so parsing starts after the last parenthesis.
                fields = stat.read().rpartition(")")[2].split()
            # A process whose first thread has ended is shown as a zombie, although its other threads run.
            yield int(name), int(fields[1]), fields[19], fields[0] in "ZX" and int(fields[17]) <= 1
        except (OSError, ValueError, IndexError):
            # The process has ended.
            continue
