"""Converts an exception of user code to the `error` of a run."""

import os
import re
import traceback

from .results import to_json, well_formed

_MAX_MESSAGE = 32 * 1024
_MAX_STACK = 64 * 1024
_SHAPES_REPLY = re.compile("(svc|windmill)_(status_code|content_type|headers)")
_HERE = os.path.dirname(os.path.abspath(__file__))
_STDLIB = os.path.dirname(os.path.dirname(os.path.abspath(os.__file__)))


def describe(error, root):
    """Returns `{name, message, stack, reply?}`. Paths in the artefact's folder `root` are shown as script paths."""
    shown = traceback.TracebackException.from_exception(error, compact=True)
    _drop_frames(shown, root, set())
    reply = _reply(error)
    return {
        **({"reply": reply} if reply else {}),
        "name": type(error).__name__,
        "message": _cut(_plain_paths(_message(error), root), _MAX_MESSAGE),
        "stack": _cut(_plain_paths("".join(shown.format()).rstrip("\n"), root), _MAX_STACK),
    }


def _reply(error):
    """Returns the attributes by which an exception shapes the reply of a synchronous call, with its `result`; None if it has none."""
    own = getattr(error, "__dict__", {})
    names = [name for name in own if _SHAPES_REPLY.fullmatch(name)]
    if not names:
        return None
    return to_json({name: own[name] for name in [*names, "result"] if name in own}, "reply", {}, 0)


def _message(error):
    try:
        return str(error)
    except Exception:
        return "(its message cannot be shown)"


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
