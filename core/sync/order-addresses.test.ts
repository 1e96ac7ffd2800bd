import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fieldsOf, type SyncItem } from "./item.ts";
import { type AddressedChange, orderAddresses } from "./order-addresses.ts";

const kinds: Readonly<Record<string, (address: string) => Record<string, unknown>>> = {
  http_trigger: (address) => ({ route_path: address, http_method: "get" }),
  email_trigger: (address) => ({ local_part: address }),
  app: (address) => ({ custom_path: address }),
};

const itemOf = (kind: string, path: string, address: string | undefined): SyncItem | undefined =>
  address === undefined ? undefined : { kind, path, value: kinds[kind]?.(address) };

const readAddress = (item: SyncItem): string => {
  const { route_path, local_part, custom_path } = fieldsOf(item);
  return String(route_path ?? local_part ?? custom_path);
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
  it.each(Object.keys(kinds))("frees each address before another %s gets it", (kind) => {
    const sides = fc.array(fc.tuple(address, address), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(sides, (pairs) => {
        // No two items have one address at once, before or after.
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
});
