"""Executes the calls of a test: reads one `{"call", "args"}` per line, calls that helper, and prints `{"result"}` or `{"error"}`."""

import json
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import svc  # noqa: E402


def to_snake_case(name):
    return re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", name).lower()


def answer(call, args):
    # The options of a request for an approval, and those of a message, are named arguments.
    named = {to_snake_case(name): value for name, value in args.pop().items()} if call.startswith(("requestInteractive", "sendTeams")) else {}
    try:
        result = getattr(svc, to_snake_case(call))(*args, **named)
        return {"result": result.decode() if isinstance(result, bytes) else result}
    except Exception as error:
        described = {"name": type(error).__name__, "message": str(error)}
        for name in ("status", "code"):
            if hasattr(error, name):
                described[name] = getattr(error, name)
        if hasattr(error, "error"):
            described["failure"] = error.error
        return {"error": described}


for line in sys.stdin:
    asked = json.loads(line)
    print("ANSWER", json.dumps(answer(asked["call"], asked["args"])), flush=True)
