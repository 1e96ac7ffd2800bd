"""Converts the value that the user's function returned to JSON.

- None, true, false, text, lists and dicts are unchanged; tuples, sets (sorted if possible), ranges, other
  sequences and generators become lists; other mappings become objects.
- NaN and the infinities become null. A whole number of any size is a number with all of its digits.
- Decimal: a number if a parser reads exactly that value, otherwise text.
- datetime, date, time: ISO 8601. timedelta: seconds. bytes: base64. UUID and paths: text. Enum: its value.
- dataclasses, pydantic models and attrs classes: an object of their fields. numpy and pandas: the value of `.tolist()`,
  `.to_dict()` or `.item()`; data frames become a list of rows.
- Keys that are not text become text, by the same rules (True is "true", None is "null"). Two keys with the same text are an error.
- A value that contains itself, and everything else (functions, classes, connections …), is an error that names the path.
"""

import base64
import dataclasses
import datetime
import decimal
import enum
import inspect
import io
import json
import math
import pathlib
import sys
import types
import uuid
from collections import abc

MAX_SAFE_INTEGER = 2**53 - 1
"""The largest whole number of a Decimal that is not text."""

MAX_DIGITS = 4000
"""Digits of a whole number, as in `contract/json/exact-json.ts`."""
_MAX_BITS = 13287
"""A number of as many bits has at most `MAX_DIGITS` digits."""

MAX_DEPTH = 400
"""Levels of nesting. The supervisor's JSON parser fails at about a thousand."""


class NotJson(Exception):
    """The result, or a part of it, has no JSON form. The message names the path."""


def encode(value):
    """Returns UTF-8 JSON without spaces. Raises NotJson."""
    # A level takes up to three calls, and the script may have changed Python's recursion limit.
    sys.setrecursionlimit(max(sys.getrecursionlimit(), 4 * MAX_DEPTH + 1000))
    plain = to_json(value, "result", {}, 0)
    text = json.dumps(plain, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    try:
        return text.encode()
    except UnicodeEncodeError:
        return well_formed(text).encode()


def well_formed(text):
    """Returns `text` with U+FFFD for every lone surrogate, which has no UTF-8 form."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def to_json(value, path, above, depth):
    """Returns `value` as None, bool, int, float, str, list and dict. `above` maps the ids of the enclosing containers to their paths."""
    kind = type(value)
    if value is None or kind is bool or kind is str:
        return value
    if kind is int:
        return _integer(value, path)
    if kind is float:
        return value if math.isfinite(value) else None
    if depth >= MAX_DEPTH:
        raise NotJson(f"The result cannot be converted to JSON: it is nested more than {MAX_DEPTH} levels deep")
    if id(value) in above:
        raise NotJson(f"The result cannot be converted to JSON: {path} refers back to {above[id(value)]}")
    above[id(value)] = path
    try:
        if kind is dict:
            return _object(value.items(), path, above, depth)
        if kind is list or kind is tuple:
            return _array(value, path, above, depth)
        return _other(value, path, above, depth)
    finally:
        del above[id(value)]


def _integer(value, path):
    if value.bit_length() > _MAX_BITS:
        raise NotJson(f"The result cannot be converted to JSON: {path} is a number of more than {MAX_DIGITS} digits")
    return value


def _object(items, path, above, depth):
    result = {}
    for key, item in items:
        name = key if type(key) is str else _key(key, path, above, depth)
        if name in result:
            raise NotJson(f"The result cannot be converted to JSON: {path} has two keys that are the same text {json.dumps(name, ensure_ascii=False)}")
        result[name] = to_json(item, f"{path}[{json.dumps(name, ensure_ascii=False)}]", above, depth + 1)
    return result


def _array(items, path, above, depth):
    return [to_json(item, f"{path}[{index}]", above, depth + 1) for index, item in enumerate(items)]


def _key(key, path, above, depth):
    if isinstance(key, tuple):
        return str(key)
    try:
        plain = to_json(key, path, above, depth)
    except NotJson:
        return str(key)
    return plain if isinstance(plain, str) else json.dumps(plain)


def _other(value, path, above, depth):
    """Converts every type that JSON does not have. The order matters for types that are subclasses of others."""
    if isinstance(value, enum.Enum):
        return to_json(value.value, path, above, depth + 1)
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int):
        return _integer(int(value), path)
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, decimal.Decimal):
        return _decimal(value)
    if isinstance(value, (bytes, bytearray, memoryview)):
        return base64.b64encode(value).decode()
    if isinstance(value, (datetime.datetime, datetime.date, datetime.time)):
        # pandas' NaT is a datetime that differs from itself.
        return value.isoformat() if value == value else None
    if isinstance(value, datetime.timedelta):
        return value.total_seconds()
    if isinstance(value, (uuid.UUID, pathlib.PurePath)):
        return str(value)
    name = _unserialisable(value)
    if name:
        raise NotJson(f"The result cannot be converted to JSON: {path} is {name}")
    return _by_shape(value, path, above, depth)


def _by_shape(value, path, above, depth):
    """Converts types of libraries, recognised by their methods: importing the libraries here would be too expensive."""
    if dataclasses.is_dataclass(value):
        return _object(((field.name, getattr(value, field.name)) for field in dataclasses.fields(value)), path, above, depth)
    if hasattr(value, "__attrs_attrs__"):
        return _object(((field.name, getattr(value, field.name)) for field in value.__attrs_attrs__), path, above, depth)
    if isinstance(value, abc.Mapping):
        return _object(value.items(), path, above, depth)
    if isinstance(value, abc.Set):
        return _array(_sorted(value), path, above, depth)
    if callable(getattr(value, "model_dump", None)):
        return to_json(value.model_dump(), path, above, depth + 1)
    if type(value).__name__ == "datetime64":
        return None if str(value) == "NaT" else str(value)
    if type(value).__name__ == "DataFrame" and callable(getattr(value, "to_dict", None)) and not hasattr(value, "to_dicts"):
        return to_json(value.to_dict(orient="records"), path, above, depth + 1)
    for method in ("to_dicts", "tolist", "to_list", "to_dict", "item", "isoformat"):
        if callable(getattr(value, method, None)):
            return to_json(getattr(value, method)(), path, above, depth + 1)
    if hasattr(value, "__fields__") and callable(getattr(value, "dict", None)):
        return to_json(value.dict(), path, above, depth + 1)
    if isinstance(value, (abc.Sequence, abc.ValuesView, abc.Iterator)) or type(value).__name__ == "deque":
        return _array(value, path, above, depth)
    raise NotJson(f"The result cannot be converted to JSON: {path} is an object of class {type(value).__name__}")


def _decimal(value):
    if not value.is_finite():
        return None
    if value == value.to_integral_value() and abs(value) <= MAX_SAFE_INTEGER:
        return int(value)
    number = float(value)
    exact = math.isfinite(number) and decimal.Decimal(repr(number)) == value
    return number if exact and abs(value) <= MAX_SAFE_INTEGER else str(value)


def _sorted(values):
    try:
        return sorted(values)
    except TypeError:
        return list(values)


def _unserialisable(value):
    if isinstance(value, type):
        return "a class"
    if isinstance(value, types.ModuleType):
        return "a module"
    if inspect.isawaitable(value):
        return "a coroutine that was not awaited"
    if inspect.isroutine(value) or (type(value).__name__ == "partial" and callable(value)):
        return "a function"
    if isinstance(value, io.IOBase):
        return "an open file"
    return None
