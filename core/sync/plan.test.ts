import { describe, expect, it } from "vitest";
import { digestItem, equalsLocal, equalsStated, readStoredDigest } from "./digest.ts";
import { type Direction, planChanges } from "./plan.ts";

const version = (digest: string | undefined) => new Map(digest === undefined ? [] : [["item", { digest }]]);

describe("planChanges", () => {
  // Each letter is a version of the item; `-` is an absent one. The columns: base, local, remote, the plan of a pull and of a push.
  it.each([
    ["a", "a", "a", "", ""],
    ["a", "b", "a", "skip", "change"],
    ["a", "a", "b", "change", "skip"],
    ["a", "b", "c", "conflict", "conflict"],
    ["a", "b", "b", "", ""],
    ["a", "-", "a", "skip", "delete"],
    ["a", "a", "-", "delete", "skip"],
    ["a", "-", "b", "conflict", "conflict"],
    ["a", "b", "-", "conflict", "conflict"],
    ["-", "a", "-", "skip", "create"],
    ["-", "-", "a", "create", "skip"],
    ["-", "a", "b", "conflict", "conflict"],
    ["-", "a", "a", "", ""],
    ["none", "a", "b", "change", "change"],
    ["none", "a", "-", "delete", "create"],
    ["none", "-", "a", "create", "delete"],
  ])("base %s, local %s, remote %s: pull %j, push %j", (base, local, remote, pull, push) => {
    const at = (letter: string) => version(letter === "-" ? undefined : letter);
    const typesOf = (direction: Direction, force = false) =>
      planChanges({ direction, local: at(local), remote: at(remote), base: base === "none" ? undefined : at(base), force })
        .map(({ type }) => type)
        .join();
    expect([typesOf("pull"), typesOf("push")]).toEqual([pull, push]);
    // Forced, both directions make the sides equal.
    expect(typesOf("pull", true)).not.toMatch(/conflict|skip/);
    expect(typesOf("push", true)).not.toMatch(/conflict|skip/);
  });

  it("compares only files if nothing was bundled here", () => {
    const [local, remote, base] = [
      version("a"),
      new Map([["item", { digest: "a", bundle: "x" }]]),
      new Map([["item", { digest: "a", bundle: "y" }]]),
    ];
    const input = { direction: "push", local, remote, base } as const;
    expect(planChanges({ ...input, hasBundles: false })).toEqual([]);
    expect(planChanges(input)).toMatchObject([{ type: "conflict" }]);
    expect(planChanges({ ...input, local: version("b"), hasBundles: false })).toMatchObject([{ type: "change" }]);
  });

  it("ignores the deployed lock of a script that has none locally on a push, and fetches it on a pull", () => {
    const script = (lock: string) =>
      digestItem({ kind: "script", path: "f/a/b", language: "bun", content: "x", value: { summary: "", lock } });
    const plan = (direction: Direction, local: string, remote: string) =>
      planChanges({ direction, local: new Map([["s", script(local)]]), remote: new Map([["s", script(remote)]]) }).map(({ type }) => type);
    expect(plan("push", "", "left-pad@1")).toEqual([]);
    expect(plan("push", "left-pad@2", "left-pad@1")).toEqual(["change"]);
    expect(plan("pull", "", "left-pad@1")).toEqual(["change"]);
  });
});

describe("planChanges for scripts with locks", () => {
  // A letter is a source, a number a lock, `-` an absent script. The columns: base, local, remote, the plan of a pull and of a push.
  it.each([
    // The build has added a lock since the push.
    ["a", "a", "a1", "change", ""],
    ["a", "b", "a1", "skip", "change"],
    ["a", "a2", "a1", "skip", "change"],
    ["a", "-", "a1", "skip", "delete"],
    // Another person has changed the source too.
    ["a", "a", "b1", "change", "skip"],
    ["a", "b", "c1", "conflict", "conflict"],
    ["a", "-", "b1", "conflict", "conflict"],
    // Another person has saved without a lock, and the build has not ended or has found no packages.
    ["a1", "b1", "a", "skip", "change"],
    ["a1", "-", "a", "skip", "delete"],
    ["a1", "a1", "a", "change", "skip"],
    // Another person has sent another lock.
    ["a1", "a1", "a2", "change", "skip"],
    ["a1", "b1", "a2", "conflict", "conflict"],
    ["a1", "-", "a2", "conflict", "conflict"],
    ["a1", "a2", "a2", "", ""],
    ["a1", "a1", "a1", "", ""],
    // The lock was removed locally; the service still has it.
    ["a1", "a", "a1", "change", ""],
    ["a1", "b", "a1", "skip", "change"],
  ])("base %s, local %s, remote %s: pull %j, push %j", (base, local, remote, pull, push) => {
    const at = ([source = "-", lock = ""]: string) => {
      const script = { kind: "script", path: "f/a/b", language: "bun", content: source, value: { summary: "", lock } } as const;
      return new Map(source === "-" ? [] : [["item", digestItem(script)]]);
    };
    const typeOf = (direction: Direction) =>
      planChanges({ direction, local: at(local), remote: at(remote), base: at(base) })
        .map(({ type }) => type)
        .join();
    expect([typeOf("pull"), typeOf("push")]).toEqual([pull, push]);
  });
});

describe("planChanges for fields that a file may leave to the workspace", () => {
  const folder = (rights: object) => new Map([["f", digestItem({ kind: "folder", path: "a", value: { summary: "S", ...rights } })]]);
  const own = { owners: ["u/ann"], extra_perms: { "u/ann": true } };
  const more = { owners: ["u/ann"], extra_perms: { "u/ann": true, "g/all": false } };
  // The columns: base, local, remote, the plan of a pull and of a push.
  it.each([
    ["the service has added owners", {}, {}, own, "change", ""],
    ["another person has granted rights that the file does not state", {}, {}, more, "change", ""],
    ["another person has granted rights that the file states otherwise", own, own, more, "change", "skip"],
    ["both sides have other rights than before", own, { ...own, extra_perms: {} }, more, "conflict", "conflict"],
    ["the rights were removed from the file", own, {}, own, "change", ""],
    ["the file revokes all rights", own, { ...own, extra_perms: {} }, own, "skip", "change"],
  ])("%s", (_, base, local, remote, pull, push) => {
    const typeOf = (direction: Direction) =>
      planChanges({ direction, local: folder(local), remote: folder(remote), base: folder(base) })
        .map(({ type }) => type)
        .join();
    expect([typeOf("pull"), typeOf("push")]).toEqual([pull, push]);
  });

  it("reads the digests that an earlier release stored", () => {
    const script = (lock: string, content = "a") =>
      digestItem({ kind: "script", path: "f/a/b", language: "bun", content, value: { summary: "S", lock } });
    const stored = (lock: string) => {
      const { digest, fixed = "" } = script(lock);
      return readStoredDigest({ digest, withoutLock: fixed, ...(lock === "" ? {} : { locked: true }) });
    };
    expect([equalsStated(script("1"), stored("")), equalsStated(script("1"), stored("1"))]).toEqual([true, true]);
    expect([equalsStated(script("2"), stored("1")), equalsStated(script("1", "b"), stored(""))]).toEqual([false, false]);
    expect([equalsLocal(script(""), stored("1")), equalsLocal(script("1"), stored("1"))]).toEqual([true, true]);
  });
});

describe("digestItem", () => {
  const flow = (value: unknown) => digestItem({ kind: "flow", path: "f/a/b", value }).digest;

  it("ignores the order of keys, nulls, defaults, and the marks of other clients", () => {
    expect(flow({ summary: "a", value: { modules: [] } })).toBe(
      flow({ value: { modules: [] }, has_on_behalf_of: true, tag: null, description: "", extra_perms: {}, summary: "a" }),
    );
  });

  it("ignores what clients compute for the policy of an app, and distinguishes execution modes", () => {
    const app = (policy: object) => digestItem({ kind: "app", path: "f/a/b", value: { summary: "a", policy } }).digest;
    const computed = { triggerables_v2: { a: {} }, s3_inputs: [], on_behalf_of: "u/ann" };
    expect(app({ execution_mode: "publisher", ...computed })).toBe(app({ execution_mode: "publisher" }));
    expect(app({ execution_mode: "anonymous" })).not.toBe(app({ execution_mode: "publisher" }));
    expect(app({ execution_mode: "publisher", s3_inputs: [{}] })).not.toBe(app({ execution_mode: "publisher" }));
  });

  it("distinguishes values, paths and kinds", () => {
    const digests = [
      flow({ summary: "a" }),
      flow({ summary: "b" }),
      digestItem({ kind: "flow", path: "f/a/c", value: { summary: "a" } }).digest,
      digestItem({ kind: "app", path: "f/a/b", value: { summary: "a" } }).digest,
    ];
    expect(new Set(digests).size).toBe(digests.length);
  });
});
