"""The surroundings of one run inside its process: directory, environment, output, and the pipe that the result goes to."""

import atexit
import itertools
import json
import os
import signal
import sys
import time
import types

from . import isolation, script, wire

_pristine_path = list(sys.path)


def run_forked(control):
    """In the fork: waits for its run, becomes the job's process, and ends with it."""
    os.setsid()
    isolation.die_with_parent()
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    warm_up()
    try:
        message, (out, result) = wire.receive(control, max_fds=2)
    except wire.Closed:
        return
    control.close()
    job = message["run"]
    try:
        enter(job, out)
        sys.modules["__main__"] = types.ModuleType("__main__")
        last = next(reversed(sys.modules))
        header, body = script.run(lambda: script.load(job["root"], job["entry"]), job, teller(result, job))
        # From the end, not as a difference of sets: every object that is looked at costs a page of memory to copy.
        new = itertools.takewhile(lambda name: name != last, reversed(sys.modules))
        header["modules"] = [name for name in new if _of_python(name)][199::-1]
        _run_exit_functions()
        _flush()
    except BaseException as error:
        # Ours, not the script's: say what it was, since nobody sees this process's own output.
        trouble = {"name": "RunnerError", "message": f"The script could not be started: {type(error).__name__}: {error}"}
        header, body = {"ok": False, "error": trouble}, b""
    try:
        send_result(result, job["secret"], header, body)
    finally:
        # Not sys.exit: threads that the script left behind must not hold the run up.
        os._exit(0)


def warm_up():
    """Runs a script of our own once, without output, while nobody waits: a fork is slow where it touches memory first."""
    here = os.path.dirname(os.path.abspath(__file__))
    # Nothing of it is written beside our own files.
    sys.dont_write_bytecode = True
    sample = {"root": here, "entry": "sample.py", "entrypoint": "main", "args": {"name": "x"}, "maxResultBytes": 1 << 20}
    header, body = script.run(lambda: script.load(here, "sample.py"), sample)
    json.dumps(header)
    sys.modules.pop("sample", None)
    sys.dont_write_bytecode = False
    environment = dict(os.environ)
    os.environ.clear()
    os.environ.update(environment)


def enter(job, out):
    """Directory, environment, import path and output of this process become the job's. Closes `out`."""
    os.chdir(job["dir"])
    os.environ.clear()
    os.environ.update(job["env"])
    if "TZ" in job["env"]:
        time.tzset()
    sys.argv = [job["entry"].removeprefix("scripts/")]
    sys.path[:] = [os.path.join(job["root"], "scripts"), os.path.join(job["root"], "deps"), *_pristine_path]
    os.dup2(out, 1)
    os.dup2(out, 2)
    os.close(out)


def leave():
    """After a run in the host's own process: nothing of the job's but its modules stays."""
    _flush()
    os.chdir("/")
    os.environ.clear()
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.dup2(null, 2)
    os.close(null)


def teller(fd, job):
    """Takes what the preprocessor made, and sends it ahead of the result."""
    return lambda made: send_result(fd, job["secret"], {"preprocessed": True}, made)


def send_result(fd, secret, header, body):
    """One frame: the run's secret, the length, then header line and result. The secret tells it from what user code may have written there."""
    payload = json.dumps(header).encode() + b"\n" + body
    data = memoryview(f"{secret}{len(payload):016x}".encode() + payload)
    while data:
        data = data[os.write(fd, data) :]


def _run_exit_functions():
    try:
        atexit._run_exitfuncs()
    except BaseException:  # noqa: B036 - they belong to the user, and the result is already there
        pass


def _flush():
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except Exception:
            # Replaced or closed by the script.
            pass


def _of_python(name):
    """Whether the module is part of Python itself: the host may then hold it ready for the next run."""
    spec = getattr(sys.modules.get(name), "__spec__", None)
    origin = getattr(spec, "origin", None) or ""
    top = name.partition(".")[0]
    if top not in sys.stdlib_module_names or top in _NEVER_READY:
        return False
    library = os.path.dirname(os.path.abspath(os.__file__)) + os.sep
    return origin in ("built-in", "frozen") or (origin.startswith(library) and "site-packages" not in origin)


# Their state at import belongs to one process, or importing them does something.
_NEVER_READY = {"multiprocessing", "concurrent", "antigravity", "this", "idlelib", "test", "turtle", "tkinter", "__main__"}
