import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fieldsOf, type SyncItem } from "./item.ts";
import { type AddressedChange, addressedKinds, describeImpossibleChanges, orderAddresses } from "./order-addresses.ts";

/** Kinds whose items can have an interim address, and those whose items cannot. */
const movable: Readonly<Record<string, (address: string) => Record<string, unknown>>> = {
  http_trigger: (address) => ({ route_path: address, http_method: "get" }),
  email_trigger: (address) => ({ local_part: address }),
  app: (address) => ({ custom_path: address }),
};
const fixed: typeof movable = {
  sqs_trigger: (address) => ({ queue_url: address }),
  user: (address) => ({ username: address, role: "developer" }),
};
const kinds = { ...movable, ...fixed };

const itemOf = (kind: string, path: string, address: string | undefined): SyncItem | undefined =>
  address === undefined ? undefined : { kind, path, value: kinds[kind]?.(address) };

const readAddress = (item: SyncItem): string => {
  const { route_path, local_part, custom_path, queue_url, username } = fieldsOf(item);
  return String(route_path ?? local_part ?? custom_path ?? queue_url ?? username);
};

/** Applies steps to a workspace that refuses an address which another item has, and returns its addresses at the end. */
function apply(changes: readonly AddressedChange[]): Map<string, string> {
  const state = new Map<string, string>();
  for (const { before } of changes) if (before) state.set(before.path, readAddress(before));
  const { groups, rest } = orderAddresses(changes);
  const save = (item: SyncItem) => {
    const address = readAddress(item);
    const owner = [...state].find(([path, taken]) => taken === address && path !== item.path);
    if (owner && address !== "") throw new Error(`${item.path} wants ${address}, which ${owner[0]} has.`);
    state.set(item.path, address);
  };
  for (const { change, interim } of [...groups.flat(), ...rest.map((change) => ({ change, interim: undefined }))]) {
    const next = interim ?? change.after;
    if (next) save(next);
    else state.delete(change.before?.path ?? "");
  }
  return state;
}

const address = fc.option(fc.constantFrom("a", "b", "c", "d"), { nil: undefined });

describe("the order of a push", () => {
  it("is tested for every kind whose items have addresses", () => {
    expect(Object.keys(kinds).sort()).toEqual(addressedKinds.toSorted());
  });

  it.each(Object.keys(kinds))("frees each address before another %s gets it, unless it is refused", (kind) => {
    const sides = fc.array(fc.tuple(address, address), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(sides, (pairs) => {
        // No two items have the same address at any time.
        const used = [new Set<string>(), new Set<string>()] as const;
        const take = (side: 0 | 1, one: string | undefined) => {
          if (one === undefined || used[side].has(one)) return undefined;
          used[side].add(one);
          return one;
        };
        const changes = pairs
          .map(([old, next], at): AddressedChange => {
            const path = `f/t/item${at}`;
            return { kind, before: itemOf(kind, path, take(0, old)), after: itemOf(kind, path, take(1, next)) };
          })
          .filter(({ before, after }) => before ?? after);
        const refused = describeImpossibleChanges(changes);
        if (Object.hasOwn(movable, kind)) expect(refused).toEqual([]);
        if (refused.length > 0) return;
        const expected = changes.flatMap(({ after }) => (after ? [[after.path, readAddress(after)]] : []));
        expect([...apply(changes)].sort()).toEqual(expected.sort());
      }),
    );
  });

  it("parks one of two items that exchange their addresses", () => {
    const change = (path: string, before: string, after: string): AddressedChange => ({
      kind: "http_trigger",
      before: itemOf("http_trigger", path, before),
      after: itemOf("http_trigger", path, after),
    });
    const { groups } = orderAddresses([change("f/t/one", "a", "b"), change("f/t/two", "b", "a")]);
    expect(groups.map((group) => group.map(({ change: { before }, interim }) => [before?.path, interim && readAddress(interim)]))).toEqual([
      [["f/t/one", "svc-moving/f/t/one"]],
      [["f/t/two", undefined]],
      [["f/t/one", undefined]],
    ]);
  });

  it("treats routes whose parameters have other names as one address", () => {
    const route = (path: string, route_path: string): SyncItem => ({
      kind: "http_trigger",
      path,
      value: { route_path, http_method: "get" },
    });
    const { groups } = orderAddresses([
      { kind: "http_trigger", after: route("f/t/new", "a/:id") },
      { kind: "http_trigger", before: route("f/t/old", "a/:name") },
    ]);
    expect(groups.map((group) => group.map(({ change }) => (change.after ?? change.before)?.path))).toEqual([["f/t/old"], ["f/t/new"]]);
  });

  const exchange = (kind: string, pairs: readonly (readonly [before: string, after: string])[]): AddressedChange[] =>
    pairs.map(([before, after], at) => ({ kind, before: itemOf(kind, `item${at}`, before), after: itemOf(kind, `item${at}`, after) }));
  const ab = ["a", "b"] as const;

  it.each([
    ["sqs_trigger", [ab, ["b", "a"]], [/^item0, item1: a push cannot exchange the addresses of these items \(sqs_trigger\)/]],
    ["sqs_trigger", [["x", "a"], ab, ["b", "c"], ["c", "a"]], [/^item1, item2, item3: /]],
    ["sqs_trigger", [ab, ["b", "a"], ["c", "d"], ["d", "c"]], [/^item0, item1: /, /^item2, item3: /]],
    ["user", [ab, ["b", "a"]], [/^item0: a push cannot change the username a to b/, /^item1: a push cannot change the username b to a/]],
    ["user", [ab], [/^item0: /]],
    ["sqs_trigger", [ab, ["b", "c"]], []],
    ...Object.keys(movable).map((kind) => [kind, [ab, ["b", "a"]], []] as const),
  ] as const)("refuses only exchanges that have no order: %s %j", (kind, pairs, expected) => {
    const sentences = describeImpossibleChanges(exchange(kind, pairs));
    expect(sentences).toHaveLength(expected.length);
    for (const [at, pattern] of expected.entries()) expect(sentences[at]).toMatch(pattern);
  });
});
