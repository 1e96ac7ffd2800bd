"""Converts an exception of user code to the `error` of a run."""

import os
import re
import reprlib
import traceback

from .results import to_json, well_formed

_MAX_MESSAGE = 32 * 1024
_MAX_STACK = 64 * 1024
_SHAPES_REPLY = re.compile("(svc|windmill)_(status_code|content_type|headers)")
_HERE = os.path.dirname(os.path.abspath(__file__))
_STDLIB = os.path.dirname(os.path.dirname(os.path.abspath(os.__file__)))


def describe(error, root):
    """Returns `{name, message, stack, reply?}`. Paths in the artefact's folder `root` are shown as script paths."""
    message = _message(error)
    reply = _reply(error)
    return {
        **({"reply": reply} if reply else {}),
        "name": type(error).__name__,
        "message": _cut(_plain_paths(message, root), _MAX_MESSAGE),
        "stack": _cut(_plain_paths(_stack(error, message, root), root), _MAX_STACK),
    }


def _stack(error, message, root):
    try:
        shown = traceback.TracebackException.from_exception(error, compact=True)
        _drop_frames(shown, root, set())
        return "".join(shown.format()).rstrip("\n")
    except Exception:
        # The module formats the message itself, and fails as it does.
        frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not _is_internal(frame.filename)]
        return "".join(["Traceback (most recent call last):\n", *traceback.format_list(frames), f"{type(error).__name__}: {message}"])


def _reply(error):
    """Returns the attributes by which an exception shapes the reply of a synchronous call, with its `result`; None if it has none."""
    own = getattr(error, "__dict__", {})
    names = [name for name in own if _SHAPES_REPLY.fullmatch(name)]
    if not names:
        return None
    return {name: _shown(own[name]) for name in [*names, "result"] if name in own}


def _shown(value):
    """Returns a value like a result, or a text if it has no JSON form."""
    try:
        return to_json(value, "result", {}, 0)
    except Exception as error:  # noqa: BLE001 - the value is the script's own and may raise anything
        return f"[{error or type(error).__name__}]"


def _message(error):
    try:
        return str(error)
    except Exception:
        # A deep value, or a method of the script that fails. The other parts of the message are still worth showing.
        return ", ".join(_part(part) for part in BaseException.args.__get__(error)) or "(its message cannot be shown)"


def _part(value):
    try:
        return reprlib.repr(value)
    except Exception:
        return f"(a value of type {type(value).__name__} that cannot be shown)"


def _drop_frames(shown, root, seen):
    """Removes frames of the runner, of the import machinery, and of the event loop before the user's first frame."""
    if shown is None or id(shown) in seen:
        return
    seen.add(id(shown))
    kept = [frame for frame in shown.stack if not _is_internal(frame.filename)]
    first = next((index for index, frame in enumerate(kept) if frame.filename.startswith(root)), 0)
    shown.stack[:] = kept[first:]
    for other in (shown.__cause__, shown.__context__, *(getattr(shown, "exceptions", None) or ())):
        _drop_frames(other, root, seen)


def _is_internal(filename):
    return filename.startswith((_HERE + os.sep, "<frozen importlib"))


def _plain_paths(text, root):
    for prefix in (os.path.join(root, "scripts"), root, _STDLIB):
        text = text.replace(prefix + os.sep, "")
    return text


def _cut(text, limit):
    """Cuts the middle, because both ends of a traceback are the most informative."""
    text = well_formed(text)
    if len(text) <= limit:
        return text
    return f"{text[: limit // 2]}\n… cut here …\n{text[-limit // 2 :]}"
