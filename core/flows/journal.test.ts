import { describe, expect, it } from "vitest";
import { UnreadableRecordError } from "../records/record-format.ts";
import {
  endFormat,
  endRef,
  FAILURE,
  outcomeFormat,
  outcomeRef,
  parseJournalRef,
  progressFormat,
  progressRef,
  resultOfItem,
  withResult,
} from "./journal.ts";

const result = { jobId: "job", location: { in: "head" as const, json: "1" } };
const item = (json: string) => ({ parent: "flow-1", ref: outcomeRef("a", "", ""), json });

describe("items of a flow's journal", () => {
  it("a written item is read unchanged and contains its version", () => {
    const outcome = { state: "success", transition: "next", result, job: "j" } as const;
    expect(JSON.parse(outcomeFormat.toJson(outcome))).toMatchObject({ version: 1 });
    expect(outcomeFormat.parse(item(outcomeFormat.toJson(outcome)))).toEqual(outcome);
    const end = { reason: "failed", module: "a", result, handled: true } as const;
    expect(endFormat.parse(item(endFormat.toJson(end)))).toEqual(end);
  });

  it("items of release 0.1 can be read", () => {
    const old = { of: "job", place: { in: "head", json: "1" }, shown: { in: "head", json: '"***"' } };
    const current = { ...result, redacted: { in: "head", json: '"***"' } };
    const outcome = { state: "failure", transition: "fail", result: current };
    expect(outcomeFormat.parse(item(JSON.stringify({ state: "failure", goes: "fail", result: old })))).toEqual(outcome);
    const progress = { index: 2, n: 1, nested: "other", list: old };
    expect(progressFormat.parse(item(JSON.stringify(progress)))).toEqual({ index: 2, execution: 1, subflowJob: "other", list: current });
    expect(endFormat.parse(item(JSON.stringify({ how: "again", n: 3, by: "each", result: old })))).toEqual({
      reason: "continued",
      execution: 3,
      module: "each",
      result: current,
    });
  });

  it("the result of an item is found and replaced, and an item of another kind has none", () => {
    const outcome = { ...item(outcomeFormat.toJson({ state: "success", transition: "next", result, job: "j" })) };
    const end = { ...item(endFormat.toJson({ reason: "stopped", module: "a", result })), ref: endRef("", "") };
    const other = { jobId: "other", location: { in: "head" as const, json: "null" } };
    for (const one of [outcome, end]) {
      expect(resultOfItem(one)).toEqual(result);
      expect(resultOfItem({ ...one, json: withResult(one, other) })).toEqual(other);
    }
    expect(resultOfItem({ ...item("{}"), ref: progressRef("a", "", "") })).toBeUndefined();
  });

  it.each([
    ["is no JSON", "{"],
    ["misses a field", JSON.stringify({ version: 1, state: "success" })],
    ["has a version of a later release", JSON.stringify({ version: 2, state: "success", transition: "next", result })],
    ["is empty", "null"],
  ])("an item that %s fails with the flow and the key of the record", (_, json) => {
    const read = () => outcomeFormat.parse(item(json));
    expect(read).toThrow(UnreadableRecordError);
    expect(read).toThrow("The record m#a@ of flow-1 cannot be read.");
  });

  it("a reference contains the kind, the module or list, and the path of an item", () => {
    expect(parseJournalRef(outcomeRef("a", "each.body", "3.7."))).toEqual({ kind: "outcome", id: "a", failureOf: undefined, path: "3.7." });
    expect(parseJournalRef(endRef("each.body", "3."))).toEqual({ kind: "listEnd", id: "each.body", failureOf: undefined, path: "3." });
    expect(parseJournalRef(outcomeRef(FAILURE, "each.body", "3."))).toMatchObject({ id: "failure:each.body", failureOf: "each.body" });
    expect(parseJournalRef(progressRef("a", "", ""))).toBeUndefined();
  });
});
