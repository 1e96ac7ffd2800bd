"""The environment of one run inside its process: directory, variables, output, and the pipe for the result."""

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
    """Runs in the fork: waits for a run, becomes the job's process, and ends with it."""
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
    # Scripts may inspect themselves.
    isolation.hide_from_children(False)
    job = message["run"]
    try:
        enter(job, out)
        sys.modules["__main__"] = types.ModuleType("__main__")
        last = next(reversed(sys.modules))
        header, body = script.run(lambda: script.load(job["root"], job["entry"]), job, arguments_sender(result, job))
        # Iterates from the end instead of comparing sets: each object that a fork touches costs a copied page of memory.
        new = itertools.takewhile(lambda name: name != last, reversed(sys.modules))
        header["modules"] = [name for name in new if _of_python(name)][199::-1]
        _run_exit_functions()
        _flush()
    except BaseException as error:
        # This is a fault of the runner, not of the script. This process has no visible output, so the result carries the cause.
        trouble = {"name": "RunnerError", "message": f"The script could not be started: {type(error).__name__}: {error}"}
        header, body = {"ok": False, "error": trouble}, b""
    try:
        send_result(result, job["secret"], header, body)
    finally:
        # Not sys.exit, because threads of the script must not delay the end of the run.
        os._exit(0)


def warm_up():
    """Runs a sample script once before the job arrives, because a fork is slow when it first touches memory."""
    here = os.path.dirname(os.path.abspath(__file__))
    # The sample must not leave bytecode files next to the runner's own files.
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
    """Sets directory, environment, import path and output of this process to those of the job. Closes `out`."""
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
    """Resets the process after a run in a dedicated host: only the job's modules remain."""
    _flush()
    os.chdir("/")
    os.environ.clear()
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.dup2(null, 2)
    os.close(null)


def arguments_sender(fd, job):
    """Returns a function that sends the preprocessor's arguments before the result."""
    return lambda made: send_result(fd, job["secret"], {"preprocessed": True}, made)


def send_result(fd, secret, header, body):
    """Writes one frame: the run's secret, the length, header line and result. The secret distinguishes it from bytes that user code wrote."""
    payload = json.dumps(header).encode() + b"\n" + body
    data = memoryview(f"{secret}{len(payload):016x}".encode() + payload)
    while data:
        data = data[os.write(fd, data) :]


def _run_exit_functions():
    try:
        atexit._run_exitfuncs()
    except BaseException:  # noqa: B036 - these are user code, and the result is already known
        pass


def _flush():
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except Exception:
            # The script replaced or closed the stream.
            pass


def _of_python(name):
    """Whether the module is part of Python itself, so that the host may preload it for the next run."""
    spec = getattr(sys.modules.get(name), "__spec__", None)
    origin = getattr(spec, "origin", None) or ""
    top = name.partition(".")[0]
    if top not in sys.stdlib_module_names or top in _NEVER_PRELOADED:
        return False
    library = os.path.dirname(os.path.abspath(os.__file__)) + os.sep
    return origin in ("built-in", "frozen") or (origin.startswith(library) and "site-packages" not in origin)


# Modules whose state belongs to one process, or whose import has side effects.
_NEVER_PRELOADED = {"multiprocessing", "concurrent", "antigravity", "this", "idlelib", "test", "turtle", "tkinter", "__main__"}
