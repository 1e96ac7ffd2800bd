"""Stores the items of tables as JSON text and their indexes as sorted lists.

The engine keeps each item as nested dictionaries, which take about ten times the size of their JSON: 20 KB for a finished job. It also
sorts and compares a whole partition of an index for each query, which takes a second at 10,000 jobs. Here an item is one bytes object
that is parsed when it is read, and a query reads only its page.

Needed until the engine stores items in a compact form and reads pages from sorted indexes. No issue of MiniStack asks for it.
Test: engine/engine/checks/effects.py
"""

import bisect
import json
import os
import re
import sys
from collections import defaultdict
from decimal import Decimal

from ministack.core.responses import AccountRegionScopedDict
from ministack.services import dynamodb as ddb

# DynamoDB ends a page after 1 MB of entries. An entry of our indexes with INCLUDE or KEYS_ONLY has about this size.
PROJECTED_BYTES = 300


def pack(item):
    return json.dumps(item, separators=(",", ":"), ensure_ascii=False).encode()


class PackedItems(dict):
    """The items of one partition by sort key. Every read parses a new copy, so no caller can change a stored item in place."""

    __slots__ = ()

    def __getitem__(self, key):
        return json.loads(dict.__getitem__(self, key))

    def __setitem__(self, key, item):
        dict.__setitem__(self, sys.intern(key) if isinstance(key, str) else key, pack(item))

    def get(self, key, default=None):
        raw = dict.get(self, key)
        return default if raw is None else json.loads(raw)

    def pop(self, key, *default):
        raw = dict.pop(self, key, None)
        if raw is not None:
            return json.loads(raw)
        if default:
            return default[0]
        raise KeyError(key)

    def values(self):
        return [json.loads(raw) for raw in dict.values(self)]

    def items(self):
        return [(key, json.loads(raw)) for key, raw in dict.items(self)]

    def raw(self, key):
        return dict.get(self, key)

    def raw_items(self):
        return dict.items(self)

    def put_raw(self, key, raw):
        dict.__setitem__(self, sys.intern(key), raw)

    def __deepcopy__(self, _memo):
        copied = PackedItems()
        dict.update(copied, self)
        return copied


class Items(defaultdict):
    """The items of a table by partition. They are saved in a separate file, so a copy of the table for its state has none."""

    def __init__(self):
        super().__init__(PackedItems)

    def __deepcopy__(self, _memo):
        return {}


def sort_value(value):
    """The value of a sort key, comparable with others of its type."""
    if "N" in value:
        number = Decimal(value["N"])
        return int(number) if number == number.to_integral_value() else number
    return value.get("S", value.get("B"))


def index_key(item, hashes, ranges):
    """The partition of an item in an index and its position there. None if the index does not contain it."""
    partition = ddb._index_partition(item, hashes, ranges)
    if partition is None:
        return None
    return partition, tuple(sort_value(item[name]) for name in ranges)


class Indexes:
    """The entries of each partition of each index in order: position, then the item's own key."""

    def __init__(self, table):
        self.schemas = list(ddb._index_key_schemas(table))
        self.entries = {name: {} for name, _, _ in self.schemas}
        for pk, bucket in table["items"].items():
            for sk, item in bucket.items():
                for name, hashes, ranges in self.schemas:
                    key = index_key(item, hashes, ranges)
                    if key is not None:
                        self.entries[name].setdefault(key[0], []).append((key[1], pk, sk))
        for partitions in self.entries.values():
            for entries in partitions.values():
                entries.sort()

    def change(self, pk, sk, before, after):
        for name, hashes, ranges in self.schemas:
            old = None if before is None else index_key(before, hashes, ranges)
            new = None if after is None else index_key(after, hashes, ranges)
            if old == new:
                continue
            partitions = self.entries[name]
            if old is not None:
                entries = partitions.get(old[0], [])
                at = bisect.bisect_left(entries, (old[1], pk, sk))
                if at < len(entries) and entries[at] == (old[1], pk, sk):
                    del entries[at]
                if not entries:
                    partitions.pop(old[0], None)
            if new is not None:
                bisect.insort(partitions.setdefault(new[0], []), (new[1], pk, sk))

    def get(self, name):
        """The form in which the engine's own query reads an index: by partition, pairs of keys."""
        return Pairs(self.entries[name]) if name in self.entries else None


class Pairs:
    def __init__(self, partitions):
        self.partitions = partitions

    def get(self, partition, default=()):
        return [(pk, sk) for _, pk, sk in self.partitions.get(partition, default)]


def indexes_of(table):
    found = table.get(ddb._INDEX_MEMBERS)
    if not isinstance(found, Indexes) or [schema[0] for schema in found.schemas] != [s[0] for s in ddb._index_key_schemas(table)]:
        found = table[ddb._INDEX_MEMBERS] = Indexes(table)
    return found


def change_indexes(table, pk, sk, before, after):
    # An index that no query has read yet is built from all items by the first one.
    if isinstance(table.get(ddb._INDEX_MEMBERS), Indexes):
        indexes_of(table).change(pk, sk, before, after)


def packed_items(table):
    """The items of a table that the engine has created, or has loaded from the state of an earlier release, are packed on first use."""
    items = table["items"]
    if not isinstance(items, Items):
        table["items"] = Items()
        for pk, bucket in items.items():
            for sk, item in bucket.items():
                table["items"][pk][sk] = item
    return table["items"]


def set_item(table, pk, sk, item):
    bucket = packed_items(table)[pk]
    before = bucket.get(sk)
    if before is None:
        table["ItemCount"] = table.get("ItemCount", 0) + 1
        table["TableSizeBytes"] = table["ItemCount"] * 200
    bucket[sk] = item
    change_indexes(table, pk, sk, before, item)
    return before


def index_item(table, pk, sk, item, add):
    change_indexes(table, pk, sk, None if add else item, item if add else None)


NAME = r"#?[\w.]+"
KEY_CONDITION = re.compile(
    rf"^\(?({NAME}) = (:\w+)\)?"
    rf"(?: AND \(?(?:({NAME}) BETWEEN (:\w+) AND (:\w+)|({NAME}) (<=|<|>=|>|=) (:\w+)|begins_with\(({NAME}), (:\w+)\))\)?)?$"
)
LAST = "\U0010ffff"


def range_of(entries, match, values):
    """The range of sorted entries that a key condition selects, as two positions."""
    low_name, low, high, _, operator, operand, prefix_name, prefix = match.group(3, 4, 5, 6, 7, 8, 9, 10)
    position = lambda entry: entry[0][0]  # noqa: E731
    if low_name:
        return (
            bisect.bisect_left(entries, sort_value(values[low]), key=position),
            bisect.bisect_right(entries, sort_value(values[high]), key=position),
        )
    if prefix_name:
        text = sort_value(values[prefix])
        return bisect.bisect_left(entries, text, key=position), bisect.bisect_right(entries, text + LAST, key=position)
    if operator:
        value = sort_value(values[operand])
        left = bisect.bisect_left(entries, value, key=position)
        right = bisect.bisect_right(entries, value, key=position)
        return {"<=": (0, right), "<": (0, left), ">=": (left, len(entries)), ">": (right, len(entries)), "=": (left, right)}[operator]
    return 0, len(entries)


def needles_of(expression, values, names):
    """Texts of which the JSON of every matching item contains one of each group, so that the other items need not be parsed."""
    if re.search(r"\b(OR|NOT)\b", expression):
        return []
    text = lambda name, value: pack({names.get(name, name): values[value]})  # noqa: E731
    groups = [[text(name, value)[1:-1]] for name, value in re.findall(rf"({NAME}) = (:\w+)", expression)]
    for name, refs in re.findall(rf"({NAME}) IN \(([^)]*)\)", expression):
        groups.append([text(name, value.strip())[1:-1] for value in refs.split(",")])
    groups += [[text(name, value)[1:-3]] for name, value in re.findall(rf"begins_with\(({NAME}), (:\w+)\)", expression)]
    groups += [[pack(names.get(name, name)) + b":"] for name in re.findall(rf"attribute_exists\(({NAME})\)", expression)]
    return groups


def page_of(table, index, data, match):
    """Reads one page of a query. Returns None for a request that this does not cover; the engine's own query answers it."""
    values, names = data.get("ExpressionAttributeValues") or {}, data.get("ExpressionAttributeNames") or {}
    hashes, ranges = ddb._index_key_lists(index) if index else ([table["pk_name"]], [table["sk_name"]] if table["sk_name"] else [])
    resolved = [names.get(match.group(at), match.group(at)) for at in (1, 3, 6, 9) if match.group(at)]
    if len(hashes) != 1 or len(ranges) != 1 or resolved != (hashes + ranges)[: len(resolved)]:
        return None
    partition = sort_value(values[match.group(2)])
    if index:
        entries = indexes_of(table).entries[index["IndexName"]].get(partition, [])
    else:
        entries = [((sk,), partition, sk) for sk in sorted(table["items"].get(partition, ()))]
    first, last = range_of(entries, match, values)
    forward = data.get("ScanIndexForward", True)
    start = data.get("ExclusiveStartKey")
    if start:
        cursor = (sort_value(start[ranges[0]]),), sort_value(start[table["pk_name"]]), sort_value(start[table["sk_name"]])
        if forward:
            first = max(first, bisect.bisect_right(entries, cursor))
        else:
            last = min(last, bisect.bisect_left(entries, cursor))
    limit = int(data["Limit"]) if data.get("Limit") else sys.maxsize
    expression = data.get("FilterExpression")
    needles = needles_of(expression, values, names) if expression else []
    tokens = ddb._tokenize(expression) if expression else None
    counts = data.get("Select") == "COUNT"
    projected = index and (index.get("Projection") or {}).get("ProjectionType", "ALL") != "ALL"
    matched, count, scanned, size = [], 0, 0, 0
    entry = None
    step = range(first, last) if forward else range(last - 1, first - 1, -1)
    for at in step:
        if scanned >= limit or size >= ddb._DDB_PAGE_SIZE_BYTES:
            break
        entry = entries[at]
        bucket = table["items"][entry[1]]
        raw = bucket.raw(entry[2])
        scanned += 1
        size += PROJECTED_BYTES if projected else len(raw)
        if any(not any(needle in raw for needle in group) for group in needles):
            continue
        if counts and not expression:
            count += 1
            continue
        item = json.loads(raw)
        # The filter of an index reads what the index contains.
        shown = ddb._apply_index_projection(item, table, index["IndexName"]) if index else item
        if tokens and not ddb._ExprEval(list(tokens), shown, values, names).evaluate():
            continue
        count += 1
        if not counts:
            matched.append((shown, item))
    has_more = entry is not None and (scanned >= limit or size >= ddb._DDB_PAGE_SIZE_BYTES)
    result = {"Count": count, "ScannedCount": scanned}
    if not counts:
        result["Items"] = [ddb._apply_projection(shown, data) for shown, _ in matched]
    if has_more:
        item = table["items"][entry[1]][entry[2]]
        result["LastEvaluatedKey"] = {name: item[name] for name in dict.fromkeys([table["pk_name"], table["sk_name"], *hashes, *ranges])}
    ddb._add_consumed_capacity(result, data, ddb._normalize_table_name(data.get("TableName")), index_name=data.get("IndexName"))
    return ddb.json_response(result)


def fast_query(slow_query):
    def query(data):
        table = ddb._tables.get(ddb._normalize_table_name(data.get("TableName")))
        match = KEY_CONDITION.match((data.get("KeyConditionExpression") or "").strip())
        uses_more = any(data.get(name) for name in ("KeyConditions", "QueryFilter", "ConditionalOperator", "AttributesToGet"))
        if table and match and not uses_more and table.get("sk_name"):
            index = ddb._index_def(table, data["IndexName"]) if data.get("IndexName") else None
            is_valid = ddb._validate_expression_attrs(data, ("KeyConditionExpression", "FilterExpression", "ProjectionExpression")) is None
            if is_valid and bool(index) == bool(data.get("IndexName")) and not (index and data.get("ConsistentRead")):
                packed_items(table)
                found = page_of(table, index, data, match)
                if found is not None:
                    return found
        return slow_query(data)

    return query


def items_file(table_key):
    return os.path.join(os.environ["STATE_DIR"], f"items-{'-'.join(table_key)}.json")


def write_items(path, table):
    """One line for each item. JSON of all items in one document would be built and parsed in memory as a whole."""
    with open(path + ".tmp", "wb") as file:
        # Other threads may write to the table, so the loop is over a copy.
        for bucket in list(packed_items(table).values()):
            file.writelines(raw + b"\n" for raw in list(dict.values(bucket)))
    os.replace(path + ".tmp", path)


def read_items(path, table):
    items = packed_items(table)
    pk_name, sk_name = table["pk_name"], table["sk_name"]
    with open(path, "rb") as file:
        for line in file:
            item = json.loads(line)
            sk = ddb._extract_key_val(item[sk_name]) if sk_name else "__no_sort__"
            items[ddb._extract_key_val(item[pk_name])].put_raw(sk, line[:-1])


def save_items(get_state):
    """The engine's state without items, which are written to a separate file."""

    def state():
        written = set()
        for key, table in ddb._tables.all_items():
            path = items_file(key)
            write_items(path, table)
            written.add(os.path.basename(path))
        folder = os.environ["STATE_DIR"]
        for name in os.listdir(folder):
            if name.startswith("items-") and name not in written:
                os.remove(os.path.join(folder, name))
        return get_state()

    return state


def load_items(restore):
    def restored(data):
        restore(data)
        for key, table in ddb._tables.all_items():
            if os.path.exists(items_file(key)):
                read_items(items_file(key), table)
                table.pop(ddb._INDEX_MEMBERS, None)

    return restored


def pack_items():
    ddb._set_item = set_item
    ddb._index_item = index_item
    ddb._index_members = indexes_of
    ddb._query = fast_query(ddb._query)
    ddb.get_state = save_items(ddb.get_state)
    ddb.load_persisted_state = load_items(ddb.load_persisted_state)
