"""Maps the JSON arguments of a job to the parameters of the user's function.

Arguments are matched by name. Unknown ones are dropped, unless the function takes `**kwargs`. A missing parameter gets
its default or None; a null one gets its default if it has one. Text becomes `datetime`, `date`, `time`, `bytes` or
`bytearray` (base64) if the annotation is that type, also inside Optional, Annotated, lists, dictionaries and TypedDict, and
as text (`from __future__ import annotations`). If the annotation also allows `str`, it remains text.
"""

import base64
import binascii
import collections.abc
import datetime
import inspect
import json
import re
import sys
import types
import typing


class ArgumentError(ValueError):
    """An argument that does not fit the type of its parameter."""

    __module__ = "builtins"


def bind(function, args, names=None):
    """Returns positional and keyword arguments for `function`. Raises ArgumentError, which names the parameter that an argument does not fit.

    `names` are the parameters that the source shows, if it does. They are used for a wrapper that hides them (`def wrapper(*args)`).
    """
    try:
        parameters = _signature(function).parameters.values()
    except (TypeError, ValueError):
        # Some functions of C extensions have no signature.
        return [], dict(args)
    positional, keywords, known = [], {}, set()
    kinds = {parameter.kind for parameter in parameters}
    takes_all, takes_list = inspect.Parameter.VAR_KEYWORD in kinds, inspect.Parameter.VAR_POSITIONAL in kinds
    for parameter in parameters:
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        known.add(parameter.name)
        value = args.get(parameter.name)
        if value is None and parameter.default is not parameter.empty:
            value = parameter.default
        elif value is not None:
            value = _convert(parameter.name, parameter.annotation, value, function)
        if parameter.kind is parameter.POSITIONAL_ONLY:
            positional.append(value)
        else:
            keywords[parameter.name] = value
    if takes_all:
        # A wrapper passes its keywords on to a function that takes only these names.
        passed = args if names is None or known else {name: args[name] for name in names if name in args}
        keywords.update((name, value) for name, value in passed.items() if name not in known)
    elif takes_list and not known:
        positional = _listed(args, names)
    return positional, keywords


def _listed(args, names):
    """Returns the arguments of a function that takes only a list: the values of the known parameters, or all arguments as one dictionary."""
    if names is None:
        return [args] if args else []
    present = [at for at, name in enumerate(names) if name in args]
    # Parameters after the last argument have their defaults.
    return [args.get(name) for name in names[: max(present, default=-1) + 1]]


def _signature(function):
    if sys.version_info >= (3, 14):
        import annotationlib

        # Python 3.14 evaluates annotations on demand. One that only a type checker can resolve must not fail the run.
        return inspect.signature(function, annotation_format=annotationlib.Format.FORWARDREF)
    return inspect.signature(function)


def _convert(name, annotation, value, function):
    members = _members(annotation, function)
    if isinstance(value, (list, dict)) and len(members) == 1:
        inside = _convert_inside(name, members[0], value, function)
        if inside is not None:
            return inside
    # Compares by identity, because an annotation may be any object, including one that cannot be hashed.
    wanted = next((member for member in members if any(member is parsed for parsed in _PARSERS)), None)
    if wanted is None or (isinstance(value, str) and str in members):
        return value
    if isinstance(value, str):
        try:
            return _PARSERS[wanted](value)
        except (ValueError, binascii.Error):
            fault = f"{_shown(value)} is no {_NAMES[wanted]}."
    elif all(any(member is parsed for parsed in _PARSERS) for member in members):
        fault = f"it is a value of type {type(value).__name__} and no {_NAMES[wanted]}."
    else:
        return value
    raise ArgumentError(f'The argument "{name}" does not fit the type {wanted.__name__}: {fault}') from None


def _convert_inside(name, wanted, value, function):
    """Converts the items of a list or the values of a dictionary. None: the annotation names no such types. A key of a dictionary may be a secret."""
    origin, inner = typing.get_origin(wanted), typing.get_args(wanted)
    if isinstance(value, list):
        if origin not in _LISTS or not inner:
            return None
        return [item if item is None else _convert(f"{name}[{at}]", inner[0], item, function) for at, item in enumerate(value)]
    if origin in _DICTIONARIES and len(inner) == 2:
        return {key: item if item is None else _convert(f"{name}.*", inner[1], item, function) for key, item in value.items()}
    if typing.is_typeddict(wanted):
        fields = getattr(wanted, "__annotations__", {})
        return {
            key: _convert(f"{name}.{key}", fields[key], item, function) if item is not None and key in fields else item
            for key, item in value.items()
        }
    return None


def _shown(text):
    """Shows the beginning of a text. It may be a secret, so it is never shown in full."""
    if not text.strip():
        return "an empty text"
    return json.dumps(text[: min(10, len(text) // 2)] + "…", ensure_ascii=False) + f" ({len(text)} characters)"


def _evaluate(annotation, function):
    annotation = getattr(annotation, "__forward_arg__", annotation)
    if not isinstance(annotation, str):
        return annotation
    try:
        return eval(annotation, _globals_of(function))
    except Exception:
        # The annotation refers to a name that exists only for a type checker, so its text is matched instead.
        inner = re.fullmatch(r"(?:typing\.)?Optional\[(.*)\]|(.*?)\s*\|\s*None|None\s*\|\s*(.*)", annotation.strip())
        name = next((group for group in inner.groups() if group), "") if inner else annotation
        return {parsed.__name__: parsed for parsed in _PARSERS}.get(name.strip().rpartition(".")[2])


def _globals_of(function):
    """Returns the names of the module that defines a function, also behind decorators, `functools.partial`, methods and objects that can be called."""
    for _ in range(20):
        function = inspect.unwrap(function)
        if hasattr(function, "__globals__"):
            return function.__globals__
        inner = getattr(function, "func", None) or getattr(function, "__func__", None)
        function = inner if callable(inner) else type(function).__call__
    return {}


def _members(annotation, function):
    """Returns the types that an annotation allows, without None."""
    annotation = _evaluate(annotation, function)
    origin = typing.get_origin(annotation)
    if origin is typing.Annotated:
        return _members(typing.get_args(annotation)[0], function)
    if origin is typing.Union or origin is getattr(types, "UnionType", None):
        return [found for member in typing.get_args(annotation) if member is not type(None) for found in _members(member, function)]
    return [annotation]


def _datetime(text):
    # Python 3.10 parses neither "Z" nor a fraction that has other than 3 or 6 digits.
    text = re.sub(r"[zZ]$", "+00:00", text.strip())
    text = re.sub(r"\.(\d+)", lambda match: "." + (match[1] + "000000")[:6], text)
    text = re.sub(r"([+-]\d\d)(\d\d)$", r"\1:\2", text) if "T" in text.upper() or " " in text else text
    return datetime.datetime.fromisoformat(text)


def _time(text):
    return datetime.time.fromisoformat(re.sub(r"[zZ]$", "+00:00", text.strip()))


def _bytes(text):
    text = re.sub(r"\s", "", text).replace("-", "+").replace("_", "/").rstrip("=")
    return base64.b64decode(text + "=" * (-len(text) % 4), validate=True)


_LISTS = (list, collections.abc.Sequence, collections.abc.MutableSequence, collections.abc.Iterable, collections.abc.Collection)
_DICTIONARIES = (dict, collections.abc.Mapping, collections.abc.MutableMapping)
_PARSERS = {
    datetime.datetime: _datetime,
    datetime.date: lambda text: _datetime(text).date(),
    datetime.time: _time,
    bytes: _bytes,
    bytearray: lambda text: bytearray(_bytes(text)),
}
_NAMES = {
    datetime.datetime: "date and time in ISO 8601",
    datetime.date: "date in ISO 8601",
    datetime.time: "time in ISO 8601",
    bytes: "base64",
    bytearray: "base64",
}
