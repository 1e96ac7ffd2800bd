"""The host: prepares a fork for every run and reports its end. `main.py <control socket> <pipe that closes with the supervisor>`.

It has one thread and runs no user code, so it always answers. A dedicated host runs jobs itself and reuses their module.
Messages in: {start}, {kill: process id}, {preload}, and for a dedicated host {run} with two descriptors (output, result).
Out: {ready}, {next} with the socket of the fork that takes the next {run}, {exited}. Both sides name the process id, because
messages can cross: when a {kill} arrives, its fork may have ended and the next one may be waiting.
"""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True

import contextlib
import gc
import importlib
import select
import signal
import site
import socket
import threading
import time

from svc_host import isolation, processes, script, wire

# When imported, `job` records the sys.path with which every run must start.
del sys.path[0]
from svc_host import job as jobs

sys.dont_write_bytecode = False

READY = ("collections.abc", "copy", "csv", "functools", "hashlib", "io", "itertools", "logging", "math", "random", "string", "subprocess", "tempfile", "urllib.parse")
"""Modules that most scripts import. {preload} adds those that earlier runs of the same script imported."""


class Host:
    """Maintains one waiting fork. The supervisor sends the run directly to the fork's socket; the host observes its end."""

    def __init__(self, control, lifeline):
        self.control = control
        self.lifeline = lifeline
        self.marker = b""
        self.adopts = False
        self.child = None
        self.preloads = 0
        self.module = None
        # A signal makes the descriptor readable, so that one `select` waits for both a message and a child's end.
        self.wake, wake_writer = os.pipe()
        for fd in (self.wake, wake_writer):
            os.set_blocking(fd, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(wake_writer, warn_on_full_buffer=False)

    def serve(self):
        try:
            while True:
                readable, _, _ = select.select([self.wake, self.control], [], [])
                if self.wake in readable:
                    with contextlib.suppress(BlockingIOError):
                        os.read(self.wake, 4096)
                    self.collect()
                if self.control in readable:
                    message, fds = wire.receive(self.control, max_fds=2)
                    self.follow(message, fds)
        except wire.Closed:
            if self.child:
                self.end_children(self.child)

    def follow(self, message, fds):
        if "start" in message:
            self.start(message["start"])
        elif "run" in message:
            self.run_here(message["run"], *fds)
        elif "kill" in message and self.child == message["kill"]:
            processes.kill_group(self.child)
        elif "preload" in message:
            self.drop_fork()
            preload(message["preload"])
            self.preloads += 1
            self.fork()

    def start(self, options):
        self.marker = options["marker"].encode()
        if options["tmp"]:
            # A hidden process may not write the map of its user namespace.
            isolation.hide_from_children(False)
            try:
                isolation.make_tmp_private(options["tmp"]["directory"], options["tmp"]["binds"])
            except OSError as error:
                wire.send(self.control, {"ready": {"tmpError": str(error)}})
                return
        self.adopts = isolation.adopt_orphans()
        isolation.hide_from_children()
        wire.send(self.control, {"ready": {}})
        self.fork()

    def fork(self):
        """Creates the fork for the next run and sends its socket to the supervisor."""
        theirs, ours = socket.socketpair()
        with theirs, ours:
            self.child = os.fork()
            if self.child == 0:
                try:
                    self.control.close()
                    theirs.close()
                    os.close(self.wake)
                    os.close(self.lifeline)
                    jobs.run_forked(ours)
                finally:
                    os._exit(70)
            wire.send(self.control, {"next": self.child, "preloads": self.preloads}, [theirs.fileno()])

    def drop_fork(self):
        if self.child:
            self.end_children(self.child)
            self.child = None

    def collect(self):
        """If the fork has ended: ends its descendants, reports its exit, and creates the next fork."""
        ended = self.child and reap(self.child)
        if not ended:
            return
        status, usage = ended
        gone = self.end_children(self.child)
        code = os.waitstatus_to_exitcode(status)
        wire.send(self.control, {"exited": {"pid": self.child, "code": code, "memPeakKb": kilobytes(usage.ru_maxrss), "strays": not gone}})
        self.fork()

    def end_children(self, pid):
        """Ends a fork and its remaining descendants; returns whether none is left."""
        processes.kill_group(pid)
        end = time.monotonic() + 2
        while time.monotonic() < end:
            if not reap_all():
                return self.adopts or processes.kill_strays(os.getpid(), self.marker)
            processes.kill_strays(os.getpid(), self.marker, 0.1)
            time.sleep(0.001)
        return False

    def run_here(self, job, out, result):
        """In a dedicated host: runs the job in this process, with the module that the first job loaded."""
        if self.module is None:
            self.drop_fork()
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            threading.Thread(target=end_with, args=(self.lifeline,), daemon=True).start()
        isolation.hide_from_children(False)
        reset_peak()
        jobs.enter(job, out)
        header, body = script.run(lambda: self.keep(job), job, jobs.arguments_sender(result, job))
        jobs.leave()
        with contextlib.suppress(OSError):
            jobs.send_result(result, job["secret"], header, body)
        with contextlib.suppress(OSError):
            os.close(result)
        isolation.hide_from_children()
        peak = processes.memory_kb("self")
        # A module that failed to load may be incomplete, so this host must not execute another run.
        unfit = self.module is None or has_children()
        wire.send(self.control, {"exited": {"pid": os.getpid(), "code": 0, "memPeakKb": peak, "strays": unfit}})

    def keep(self, job):
        if self.module is None:
            self.module = script.load(job["root"], job["entry"])
        return self.module


def end_with(lifeline):
    """Ends a dedicated host with its supervisor. The main thread belongs to user code, so a second thread waits for the closed pipe.

    The kernel's parent-death signal would be too early: the host must first end the processes that the script started.
    """
    os.read(lifeline, 1)
    processes.kill_strays(os.getpid(), None, 0.5)
    os.kill(os.getpid(), signal.SIGKILL)


def reap(pid):
    """Returns status and usage of `pid` if it has ended, otherwise None. Also collects adopted children."""
    while True:
        found, status, usage = os.wait4(-1, os.WNOHANG)
        if found == pid:
            return status, usage
        if found == 0:
            return None


def reap_all():
    """Collects ended children; returns whether others still run."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0] != 0:
            pass
        return True
    except ChildProcessError:
        return False


def has_children():
    """Whether children remain. Does not collect them, because the script's own objects may read their exit codes."""
    try:
        if hasattr(os, "waitid"):
            os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return bool(processes.strays(os.getpid(), None))


def reset_peak():
    with contextlib.suppress(OSError):
        with open("/proc/self/clear_refs", "w") as file:
            file.write("5")


def kilobytes(max_rss):
    return max_rss // 1024 if sys.platform == "darwin" else max_rss


def preload(names):
    """Imports standard modules so that forks have them. The import path contains no user code here."""
    for name in names:
        with contextlib.suppress(Exception):
            importlib.import_module(name)
    gc.collect()
    gc.freeze()


def main():
    # A script with another key must not be able to change the interpreter of the next run.
    isolation.hide_from_children()
    control, lifeline = (int(text) for text in sys.argv[1:3])
    for fd in (control, lifeline):
        os.set_inheritable(fd, False)
    # The interpreter starts without `site`, so that the import path contains only Python; scripts still expect `exit()` and `help()`.
    site.setquit()
    site.setcopyright()
    site.sethelper()
    preload(READY)
    with contextlib.suppress(wire.Closed):
        Host(socket.socket(fileno=control), lifeline).serve()


main()
