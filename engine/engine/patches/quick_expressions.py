"""Reads each expression and each number once, and copies and measures items with less work.

The engine reads the expressions of a request character by character, up to three times, copies the item of an update four times with
`copy.deepcopy`, and encodes each of its texts for each index to measure it. All of this together takes longer than the rest of a write.

Needed until the engine keeps what it has read, and measures an item once. No issue of MiniStack asks for it.
Test: engine/engine/checks/effects.py
"""

import copy
import functools
import marshal
import types

from ministack.services import dynamodb as ddb

# The product has a few hundred expressions.
KEPT = 4096


def copied(value):
    """A copy of JSON. Other values, such as whole tables, are copied as before."""
    try:
        return marshal.loads(marshal.dumps(value))
    except ValueError:
        return copy.deepcopy(value)


def kept_for_texts(function):
    """A request may contain another value in place of a number."""
    kept = functools.lru_cache(KEPT)(function)
    return lambda value: kept(value) if type(value) is str else function(value)


def bytes_of(text):
    return len(text) if text.isascii() else len(text.encode())


def measure(other):
    """The size of a value of the frequent types; `other` measures the rest."""

    def size(value):
        if type(value) is dict and len(value) == 1:
            ((kind, content),) = value.items()
            if kind == "S" and type(content) is str:
                return bytes_of(content)
            if kind == "M" and type(content) is dict:
                return 3 + sum([1 + bytes_of(name) + size(inner) for name, inner in content.items()])
        return other(value)

    return size


def keep_expressions():
    tokens_of = functools.lru_cache(KEPT)(ddb._tokenize)
    # A caller may change its list.
    ddb._tokenize = lambda expression: list(tokens_of(expression))
    ddb._condition_syntax_error = functools.lru_cache(KEPT)(ddb._condition_syntax_error)
    for name in ("_number_size_bytes", "_number_error", "_ddb_canonicalize_number"):
        setattr(ddb, name, kept_for_texts(getattr(ddb, name)))
    ddb._attribute_value_size = size = measure(ddb._attribute_value_size)
    whole_size = ddb._item_size_bytes
    ddb._item_size_bytes = lambda item: (
        sum([bytes_of(name) + size(value) for name, value in item.items()]) if type(item) is dict else whole_size(item)
    )
    ddb.copy = types.SimpleNamespace(**{**vars(copy), "deepcopy": copied})
