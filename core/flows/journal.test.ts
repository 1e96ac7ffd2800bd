import { describe, expect, it } from "vitest";
import {
  endRef,
  FAILURE,
  journalJson,
  outcomeRef,
  parseEnd,
  parseJournalRef,
  parseOutcome,
  parseProgress,
  progressRef,
  UnreadableRecordError,
} from "./journal.ts";

const result = { of: "job", place: { in: "head" as const, json: "1" } };
const item = (json: string) => ({ parent: "flow-1", ref: outcomeRef("a", "", ""), json });

describe("items of a flow's journal", () => {
  it("a written item is read unchanged and contains its version", () => {
    const outcome = { state: "success", goes: "next", result, job: "j" } as const;
    expect(JSON.parse(journalJson(outcome))).toMatchObject({ version: 1 });
    expect(parseOutcome(item(journalJson(outcome)))).toEqual(outcome);
    const end = { reason: "failed", module: "a", result, handled: true } as const;
    expect(parseEnd(item(journalJson(end)))).toEqual(end);
  });

  it("items of release 0.1 can be read", () => {
    expect(parseOutcome(item(JSON.stringify({ state: "failure", goes: "fail", result })))).toMatchObject({ state: "failure" });
    expect(parseProgress(item(JSON.stringify({ index: 2, n: 1 })))).toEqual({ index: 2, execution: 1 });
    expect(parseEnd(item(JSON.stringify({ how: "again", n: 3, by: "each", result })))).toEqual({
      reason: "continued",
      execution: 3,
      module: "each",
      result,
    });
  });

  it.each([
    ["is no JSON", "{"],
    ["misses a field", JSON.stringify({ version: 1, state: "success" })],
    ["has a version of a later release", JSON.stringify({ version: 2, state: "success", goes: "next", result })],
    ["is empty", "null"],
  ])("an item that %s fails with the flow and the key of the record", (_, json) => {
    const read = () => parseOutcome(item(json));
    expect(read).toThrow(UnreadableRecordError);
    expect(read).toThrow("The record m#a@ of flow flow-1 cannot be read.");
  });

  it("a reference contains the kind, the module or list, and the path of an item", () => {
    expect(parseJournalRef(outcomeRef("a", "each.body", "3.7."))).toEqual({ kind: "outcome", id: "a", failureOf: undefined, path: "3.7." });
    expect(parseJournalRef(endRef("each.body", "3."))).toEqual({ kind: "listEnd", id: "each.body", failureOf: undefined, path: "3." });
    expect(parseJournalRef(outcomeRef(FAILURE, "each.body", "3."))).toMatchObject({ id: "failure:each.body", failureOf: "each.body" });
    expect(parseJournalRef(progressRef("a", "", ""))).toBeUndefined();
  });
});
