"""AWS Lambda handler of the Python runner. One call executes one run and the runs that follow it.

The event is a RunRequest and the return value a RunOutcome (`runners/protocol.ts`). The handler never raises for an error
of user code. It prints one JSON line per call, which contains neither arguments, output nor tokens. On AWS the role of a
runner may not write logs, because scripts could forge lines and metrics: the line is for the local engine, and the caller
logs and counts outcomes.
"""

import atexit
import json
import os
import re
import sys
import time
import traceback

_here = os.path.dirname(os.path.abspath(__file__))
if _here not in sys.path:
    sys.path.insert(0, _here)

from svc_supervisor import invocation, strays, tmp, work
from svc_supervisor.hosts import HostFailed, Pool

# User code runs under the same user id and must not read credentials from this process.
strays.take_control()
work.remove_leftovers()
_tmp = tmp.TmpPolicy(os.environ.get("SVC_TMP_MODE", "none"))
_pool = Pool(_tmp)
atexit.register(_pool.close)
try:
    # The spare host starts while the function initialises, so that it is ready for the first run.
    _pool.prepare()
except HostFailed:
    pass


def handler(event, _context=None):
    started = time.monotonic()
    facts = {}
    try:
        with _pool.lock:
            outcome = invocation.handle(event, _pool, _tmp, facts, started)
    except Exception as error:  # noqa: BLE001 - an exception would cost the caller its answer and the runner a cold start
        facts["bug"] = _describe(error)
        outcome = invocation.failed("RunnerError", "The runner failed before the script's outcome was known.", started)
        outcome["problem"] = facts["bug"]
    if fault := strays.take_survivors():
        outcome["problem"] = facts["bug"] = facts.get("bug", fault)
    _print_line(event, outcome, facts)
    return outcome


def _describe(error):
    """Describes a fault of the supervisor in at most 2,000 characters. The path and the query of an address can contain a signature."""
    text = "".join(traceback.format_exception(error))
    return re.sub(r"(https?://[^\s/?#\"')]*)[^\s\"')]*", r"\1", text)[-2000:]


def _print_line(event, outcome, facts):
    line = {"level": "ERROR" if "bug" in facts else "INFO", "message": "run", "language": "python3"}
    line |= {name: event.get(name) for name in ("job", "workspace", "attempt", "dedicated")}
    line |= {"outcome": outcome["outcome"], "error": outcome.get("error", {}).get("name"), "tmp": _tmp.mode}
    if _tmp.note:
        line["tmpNote"] = _tmp.note
    line |= outcome["timings"] | facts
    print(json.dumps({name: value for name, value in line.items() if value is not None}), flush=True)
