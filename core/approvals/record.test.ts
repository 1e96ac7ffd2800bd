import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ApprovalEntry, approvalEntrySchema, verifyChain } from "../../contract/approval-record.ts";
import { anyText } from "../../test/builders/any-text.ts";
import { aRecorded } from "../../test/builders/approvals.ts";
import { appendEntry, type EntryContent } from "./record.ts";

const hex = (text: string) => createHash("sha256").update(text).digest("hex");

/** The chain of one run with these events. */
function chainOf(...changes: Partial<EntryContent>[]): ApprovalEntry[] {
  const first = aRecorded();
  const chain: ApprovalEntry[] = [];
  for (const change of changes) chain.push(appendEntry(chain.at(-1), { ...first, ...change }));
  return chain;
}
const verified = (chain: readonly ApprovalEntry[], of = { workspace: "w", root: chain[0]?.root ?? "" }) => verifyChain(chain, of);
const answered = (json: string): EntryContent["values"] => ({ digest: hex(json), of: "job", place: { in: "head", json } });

describe("chain entries", () => {
  it("entries of a run are numbered from 1 and contain the previous hash", () => {
    const [first, second, third] = chainOf({}, { what: "rejected", reason: "too dear" }, { what: "expired", who: {} });
    expect([first?.n, second?.n, third?.n]).toEqual([1, 2, 3]);
    expect([first?.prev, second?.prev, third?.prev]).toEqual(["0".repeat(64), first?.hash, second?.hash]);
  });

  it("the hash matches its documentation, so that others can compute it", () => {
    const recorded = aRecorded({ root: "r", flow: "f", gate: "g", who: { name: "ann" }, shown: undefined, values: answered("1") });
    const said = `{"atMs":1800000000000,"code":"0123456789abcdef","decides":true,"flow":"f","flowPath":"f/ops/pay","flowVersion":3,"gate":"g","module":"a","n":1,"root":"r","values":{"digest":"${hex("1")}","of":"job"},"what":"approved","who":{"name":"ann"},"workspace":"w"}`;
    expect(appendEntry(undefined, recorded).hash).toBe(hex(`${"0".repeat(64)}\n${said}`));
  });

  it("an entry cannot continue the chain of another run", () => {
    const [entry] = chainOf({});
    expect(() => appendEntry(entry, aRecorded())).toThrow("cannot follow");
  });

  it("the hash of an entry is the same after storage, for any text", () => {
    fc.assert(
      fc.property(anyText(), fc.constantFrom(undefined, "ann"), (reason, name) => {
        const entry = appendEntry(undefined, aRecorded({ reason: `\ud800${reason}`, who: { name, email: undefined } }));
        const read = approvalEntrySchema.parse(JSON.parse(Buffer.from(JSON.stringify(entry)).toString()));
        expect(read).toEqual(entry);
        expect(Buffer.from(entry.reason ?? "").toString()).toBe(entry.reason);
        expect(verified([read])).toBeUndefined();
      }),
    );
  });
});

describe("chain verification", () => {
  const chain = chainOf({}, { reason: "fine" }, { values: answered('{"sum":10}') }, { what: "rejected" });
  const at = (n: number, change: Partial<ApprovalEntry>) => chain.map((entry) => (entry.n === n ? { ...entry, ...change } : entry));
  const again = (n: number, change: Partial<EntryContent>) => {
    const { n: _, prev: __, hash: ___, ...recorded } = chain[n - 1] as ApprovalEntry;
    return chain.map((entry) => (entry.n === n ? appendEntry(chain[n - 2], { ...recorded, ...change }) : entry));
  };

  it("an unchanged or empty chain has no fault", () => {
    expect([verified(chain), verified([])]).toEqual([undefined, undefined]);
  });

  it("any changed field of any entry is found", () => {
    const changes: Partial<ApprovalEntry>[] = [
      { who: { name: "bob" } },
      { what: "expired" },
      { decides: false },
      { atMs: 1 },
      { shown: hex("another page") },
      { shown: undefined },
      { values: answered('{"sum":1000}') },
      { reason: "other" },
      { module: "b" },
      { flowVersion: 4 },
      { code: "ffffffffffffffff" },
    ];
    for (const change of changes) for (const { n } of chain) expect(verified(at(n, change))).toEqual({ n, why: "changed" });
  });

  it("a rewritten entry with a new hash is found at its successor", () => {
    expect(verified(again(2, { reason: "other" }))).toEqual({ n: 3, why: "broken" });
  });

  it("a missing, repeated or moved entry is found", () => {
    const [a, b, c, d] = chain as [ApprovalEntry, ApprovalEntry, ApprovalEntry, ApprovalEntry];
    expect(verified([b, c, d])).toEqual({ n: 1, why: "missing" });
    expect(verified([a, c, d])).toEqual({ n: 2, why: "missing" });
    expect(verified([a, b, b, c])).toEqual({ n: 3, why: "missing" });
    expect(verified([a, c, b, d])).toEqual({ n: 2, why: "missing" });
  });

  it("an entry of another run is found", () => {
    const [, stranger] = chainOf({}, {});
    expect(verified([chain[0] as ApprovalEntry, stranger as ApprovalEntry])).toEqual({ n: 2, why: "foreign" });
    expect(verified(chain, { workspace: "w", root: "another" })).toEqual({ n: 1, why: "foreign" });
  });

  it("values that do not match their digest are found, and erased values are accepted", () => {
    const values = chain[2]?.values as NonNullable<ApprovalEntry["values"]>;
    expect(verified(at(3, { values: { ...values, place: { in: "head", json: '{"sum":99}' } } }))).toEqual({ n: 3, why: "values" });
    expect(verified(at(3, { values: { digest: values.digest, of: values.of } }))).toBeUndefined();
  });
});
