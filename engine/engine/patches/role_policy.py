"""Evaluates the policies of a role as IAM does: nothing is allowed without a statement that allows it, and a statement that denies wins.

Everything that this module cannot evaluate counts against the request: an unknown element, condition operator or condition key makes a
statement that allows match nothing, and a statement that denies match everything.

Needed until function_roles.py, of which this is a part.
Test: engine/engine/checks/function_roles.py
"""

import re
from typing import NamedTuple

# The condition keys that needed_rights.py derives from a request, and the prefixes of families of keys. Lower case, like all keys here.
KNOWN_KEYS = {
    "dynamodb:leadingkeys",
    "dynamodb:enclosingoperation",
    "iam:passedtoservice",
    "ses:fromaddress",
    "lambda:functionarn",
    "sns:protocol",
    "sns:endpoint",
    "events:targetarn",
}
# Keys with several values. AWS needs ForAllValues or ForAnyValue for these.
MULTIVALUED_KEYS = {"dynamodb:leadingkeys", "events:targetarn"}
KNOWN_FAMILIES = ("kms:encryptioncontext:", "aws:resourcetag/")


class Right(NamedTuple):
    """One right that a request needs. Without a resource, a right to any resource suffices. `keys` are lists of values by condition key."""

    action: str
    resource: str | None
    keys: dict = {}


class Unsupported(Exception):
    pass


def as_list(value):
    return value if isinstance(value, list) else [value]


def wildcard(patterns, flags=0):
    """A regular expression for IAM's wildcards. Policy variables depend on the caller, which nothing here needs."""
    for pattern in patterns:
        if not isinstance(pattern, str) or "${" in pattern:
            raise Unsupported(pattern)
    parts = ("".join(".*" if c == "*" else "." if c == "?" else re.escape(c) for c in pattern) for pattern in patterns)
    return re.compile("|".join(f"(?:{part})" for part in parts), flags | re.DOTALL).fullmatch


def comparison(operator, expected):
    """Compares one value of a request with all values of a condition."""
    if operator == "StringEquals":
        return set(expected).__contains__
    if operator == "StringNotEquals":
        return lambda value: value not in expected
    if operator in ("StringLike", "ArnLike", "ArnEquals"):
        return wildcard(expected)
    if operator in ("StringNotLike", "ArnNotLike"):
        like = wildcard(expected)
        return lambda value: not like(value)
    raise Unsupported(operator)


def condition(operator, key, expected):
    """A function of a request's keys. A key that is absent satisfies Null, ForAllValues and operators that negate."""
    key = key.lower()
    if key not in KNOWN_KEYS and not key.startswith(KNOWN_FAMILIES):
        raise Unsupported(key)
    expected = [str(value) for value in as_list(expected)]
    if operator == "Null":
        absent = expected[0].lower() == "true"
        return lambda keys: (key not in keys) == absent
    scope, _, name = operator.rpartition(":")
    matches = comparison(name, expected)
    if scope == "ForAllValues":
        return lambda keys: all(map(matches, keys.get(key, ())))
    if scope == "ForAnyValue":
        return lambda keys: any(map(matches, keys.get(key, ())))
    if scope != "" or key in MULTIVALUED_KEYS:
        raise Unsupported(operator)
    negates = "Not" in name
    # An operator without a scope is for keys with one value. With more values it is undefined, so it counts as not met.
    return lambda keys: negates if key not in keys else len(keys[key]) == 1 and bool(matches(keys[key][0]))


class Statement:
    ELEMENTS = {"Sid", "Effect", "Action", "Resource", "Condition"}

    def __init__(self, given):
        self.denies = given.get("Effect") != "Allow"
        try:
            unknown = given.keys() - self.ELEMENTS
            if unknown or given.get("Effect") not in ("Allow", "Deny"):
                raise Unsupported(unknown)
            self.action = wildcard(as_list(given["Action"]), re.IGNORECASE)
            self.resource = wildcard(as_list(given["Resource"]))
            operators = given.get("Condition", {}).items()
            self.conditions = [condition(operator, key, value) for operator, keys in operators for key, value in keys.items()]
        except (Unsupported, KeyError, AttributeError):
            self.action = self.resource = (lambda _: True) if self.denies else (lambda _: False)
            self.conditions = []

    def matches(self, resource, keys):
        if resource is not None and not self.resource(resource):
            return False
        return all(holds(keys) for holds in self.conditions)


class Policy:
    def __init__(self, documents):
        self.statements = [Statement(given) for document in documents for given in as_list(document["Statement"])]
        self.by_action = {}

    def allows(self, right):
        about = self.by_action.get(right.action)
        if about is None:
            about = [statement for statement in self.statements if statement.action(right.action)]
            about.sort(key=lambda statement: not statement.denies)
            self.by_action[right.action] = about
        for statement in about:
            if statement.matches(right.resource, right.keys):
                return not statement.denies
        return False
