"""Maps the JSON arguments of a job to the parameters of the user's function.

Arguments are matched by name. Unknown ones are dropped, unless the function takes `**kwargs`. A missing parameter gets
its default or None; a null one gets its default if it has one. Text becomes `datetime`, `date` or `bytes` (base64) if
the annotation is that type, also inside Optional and Annotated and as text (`from __future__ import annotations`). If
the annotation also allows `str`, it remains text.
"""

import base64
import binascii
import datetime
import inspect
import re
import sys
import types
import typing


def bind(function, args):
    """Returns positional and keyword arguments for `function`. Raises ValueError, which names the argument that cannot be parsed."""
    positional, keywords, known, takes_all = [], {}, set(), False
    for parameter in _signature(function).parameters.values():
        if parameter.kind is parameter.VAR_KEYWORD:
            takes_all = True
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        known.add(parameter.name)
        value = args.get(parameter.name)
        if value is None and parameter.default is not parameter.empty:
            value = parameter.default
        elif value is not None:
            value = _convert(parameter, value, function)
        if parameter.kind is parameter.POSITIONAL_ONLY:
            positional.append(value)
        else:
            keywords[parameter.name] = value
    if takes_all:
        keywords.update((name, value) for name, value in args.items() if name not in known)
    return positional, keywords


def _signature(function):
    if sys.version_info >= (3, 14):
        import annotationlib

        # Python 3.14 evaluates annotations on demand. One that only a type checker can resolve must not fail the run.
        return inspect.signature(function, annotation_format=annotationlib.Format.FORWARDREF)
    return inspect.signature(function)


def _convert(parameter, value, function):
    if not isinstance(value, str):
        return value
    wanted = _wanted(parameter.annotation, function)
    if wanted is None:
        return value
    try:
        return _PARSERS[wanted](value)
    except (ValueError, binascii.Error):
        shown = value if len(value) <= 60 else value[:60] + "…"
        raise ValueError(f'The argument "{parameter.name}" is not {_NAMES[wanted]}: "{shown}"') from None


def _evaluate(annotation, function):
    annotation = getattr(annotation, "__forward_arg__", annotation)
    if not isinstance(annotation, str):
        return annotation
    try:
        return eval(annotation, getattr(inspect.unwrap(function), "__globals__", {}))
    except Exception:
        # The annotation names something that exists only for a type checker, so its text is matched instead.
        inner = re.fullmatch(r"(?:typing\.)?Optional\[(.*)\]|(.*?)\s*\|\s*None|None\s*\|\s*(.*)", annotation.strip())
        name = next((group for group in inner.groups() if group), "") if inner else annotation
        return {"datetime": datetime.datetime, "date": datetime.date, "bytes": bytes}.get(name.strip().rpartition(".")[2])


def _wanted(annotation, function):
    """Returns the type of `_PARSERS` that text is parsed to, or None if it remains text."""
    annotation = _evaluate(annotation, function)
    # Compares by identity, because an annotation may be any object, including one that cannot be hashed.
    if any(annotation is known for known in _PARSERS):
        return annotation
    origin = typing.get_origin(annotation)
    if origin is typing.Annotated:
        return _wanted(typing.get_args(annotation)[0], function)
    if origin is typing.Union or origin is getattr(types, "UnionType", None):
        members = [member for member in typing.get_args(annotation) if member is not type(None)]
        if str in members:
            return None
        return next((found for member in members if (found := _wanted(member, function))), None)
    return None


def _datetime(text):
    # Python 3.10 parses neither "Z" nor a fraction that has other than 3 or 6 digits.
    text = re.sub(r"[zZ]$", "+00:00", text.strip())
    text = re.sub(r"\.(\d+)", lambda match: "." + (match[1] + "000000")[:6], text)
    text = re.sub(r"([+-]\d\d)(\d\d)$", r"\1:\2", text) if "T" in text.upper() or " " in text else text
    return datetime.datetime.fromisoformat(text)


def _bytes(text):
    text = re.sub(r"\s", "", text).replace("-", "+").replace("_", "/").rstrip("=")
    return base64.b64decode(text + "=" * (-len(text) % 4), validate=True)


_PARSERS = {datetime.datetime: _datetime, datetime.date: lambda text: _datetime(text).date(), bytes: _bytes}
_NAMES = {datetime.datetime: "a date and time", datetime.date: "a date", bytes: "base64"}
