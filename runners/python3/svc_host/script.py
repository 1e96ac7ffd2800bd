"""Loads the user's script, calls its function and encodes the result: the part of a run in which user code is on the stack."""

import importlib
import importlib.util
import inspect
import json
import os
import sys

from . import arguments, errors, results


_ENTRYPOINTS = ("main", "preprocessor")
"""The functions that the service calls by itself."""


class NoFunction(Exception):
    """The script does not define the requested function."""


class TooLarge(Exception):
    """The preprocessor returned more than a response can contain."""


def load(root, entry):
    """Returns the script's module. Raises any exception that the script raises while it loads."""
    file = os.path.join(root, *entry.split("/"))
    parts = entry.removeprefix("scripts/").removesuffix(".py").split("/")
    name = ".".join(parts)
    if len(parts) > 1 and all(part.isidentifier() for part in parts):
        # Other scripts import it by this name; a second name would create a second module.
        module = importlib.import_module(name)
        if os.path.abspath(getattr(module, "__file__", None) or "") == os.path.abspath(file):
            return module
    name = name if name not in sys.modules and name not in sys.stdlib_module_names else f"script_{name}"
    spec = importlib.util.spec_from_file_location(name, file)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        sys.modules.pop(name, None)
        raise
    return module


def run(get_module, job, send_arguments=None):
    """Returns the header and result bytes of one run: `{"ok": True}` and JSON, or `{"ok": False, "error": …}` and no bytes.

    `get_module` returns the loaded script; `job` has `root`, `entrypoint`, `args`, `maxResultBytes`; `send_arguments` receives
    the JSON of the preprocessor's arguments if the job has a preprocessor. Never raises for an error of user code. `sys.exit()`
    and `sys.exit(0)` end the run with a null result; any other code makes it a failure.
    """
    stage, args = "", job["args"]
    try:
        module = get_module()
        if job.get("preprocessor"):
            stage = "The preprocessor failed: "
            made = _preprocess(module, args, job["preprocessor"])
            send_arguments(made)
            if check := job["preprocessor"].get("check"):
                # Loaded here, because it loads the HTTP client.
                from . import check as checking

                if problem := checking.find_problem(check, made):
                    return _failed("", problem)
            stage, args = "", json.loads(made)
        body = results.encode(_call(module, job["entrypoint"], args, job.get("params")))
    except SystemExit as exit_request:
        body = b"null"
        if exit_request.code not in (None, 0):
            return _failed(stage, _exit_error(exit_request))
    except (NoFunction, results.NotJson) as error:
        name = "ResultError" if isinstance(error, results.NotJson) else "EntrypointError"
        return _failed(stage, {"name": name, "message": str(error)})
    except TooLarge as error:
        return _failed(stage, {"name": "ResultTooLarge", "message": str(error)})
    except BaseException as error:
        return _failed(stage, errors.describe(error, job["root"]))
    if len(body) > job["maxResultBytes"]:
        return {"ok": False, "error": too_large(job["maxResultBytes"])}, b""
    return {"ok": True}, body


def too_large(limit):
    """The error of a result above `limit` bytes, in the same words as the Node-hosted supervisor."""
    return {
        "name": "ResultTooLarge",
        "message": f"The result is larger than the limit of {_size(limit)}. Store large data as a file and return a reference to it.",
    }


def _failed(stage, error):
    return {"ok": False, "error": error | {"message": stage + error["message"]}}, b""


def _preprocess(module, args, preprocessor):
    """Returns JSON of the arguments that the preprocessor derives from the event. A value that is not an object becomes `{"value": …}`."""
    max_bytes = preprocessor["maxBytes"]
    made = results.encode(_call(module, "preprocessor", args | {"event": _with_body(args.get("event"))}, preprocessor.get("params")))
    if not made.startswith(b"{"):
        made = b'{"value":' + made + b"}"
    if len(made) > max_bytes:
        raise TooLarge(f"its result is larger than the limit of {_size(max_bytes)}.")
    return made


def _refuse_constant(name):
    """NaN and Infinity are no JSON, although Python accepts them."""
    raise ValueError(name)


def _with_body(event):
    """Adds the body to the event. The request omits a body that can be parsed from `raw_string`, to carry it only once."""
    if not isinstance(event, dict) or "body" in event:
        return event
    text = event.get("raw_string")
    try:
        body = json.loads(text, parse_constant=_refuse_constant)
    except (TypeError, ValueError, RecursionError):
        body = text
    return {"kind": event.get("kind"), "body": body} | event


def _call(module, entrypoint, args, names):
    function = getattr(module, entrypoint, None)
    if not callable(function) or not (entrypoint in _ENTRYPOINTS or _is_exported(module, entrypoint, function)):
        names = [name for name, value in vars(module).items() if inspect.isroutine(value) and _is_exported(module, name, value)]
        listing = f"It defines: {', '.join(names)}." if names else "It defines no function."
        raise NoFunction(f"The script does not define a function '{entrypoint}'. {listing}")
    positional, keywords = arguments.bind(function, args, names)
    return _settle(function(*positional, **keywords))


def _is_exported(module, name, function):
    """Whether a caller may choose the function: what a script has imported, such as `subprocess.run`, must be out of reach."""
    return not name.startswith("_") and getattr(function, "__module__", None) == module.__name__


def _settle(value):
    """Awaits an awaitable. Streams the items of a generator and returns their joined text as the result."""
    if inspect.isawaitable(value):
        return _settle(_await(value))
    if inspect.isasyncgen(value):
        return _await(_stream_async(value))
    if inspect.isgenerator(value):
        return "".join(_stream(item) for item in value)
    return value


def _stream(item):
    text = item if isinstance(item, str) else item.decode(errors="replace") if isinstance(item, bytes) else results.encode(item).decode()
    # A newline is written `\n`. A literal backslash before an n is split across two lines, so that readers do not take it for a newline.
    parts = (part.replace("\n", "\\n") for part in text.split("\\n"))
    print("WM_STREAM: " + "\\\nWM_STREAM: n".join(parts), flush=True)
    return text


def _await(awaitable):
    import asyncio

    async def wait():
        return await awaitable

    return asyncio.run(wait())


async def _stream_async(stream):
    return "".join([_stream(item) async for item in stream])


def _exit_error(exit_request):
    """Follows Python's rule: a number is the exit code; any other value is a message and means code 1."""
    code = exit_request.code
    if isinstance(code, int):
        return {"name": "SystemExit", "message": f"The script called sys.exit({code}).", "exit_code": code}
    return {"name": "SystemExit", "message": str(code), "exit_code": 1}


def _size(limit):
    if limit < 1024 * 1024:
        return f"{limit} bytes"
    return f"{limit / 1024 / 1024:.2f}".rstrip("0").rstrip(".") + " MB"
