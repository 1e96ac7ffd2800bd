import { describe, expect, it, onTestFinished } from "vitest";
import * as z from "zod";
import { registerTelemetry } from "../telemetry/telemetry.ts";
import { parseReadable, recordFormat, UnreadableRecordError } from "./record-format.ts";

const format = recordFormat({
  schema: z.object({ execution: z.number() }),
  version: 2,
  upgrade: ({ n, ...rest }, version) => (version === 0 ? { ...rest, execution: n } : rest),
});
const record = (json?: string) => ({ parent: "job-1", ref: "p#a", json });

describe("the format of stored records", () => {
  it("a record is read as it was written, and contains its version", () => {
    const json = format.toJson({ execution: 3 });
    expect(JSON.parse(json)).toEqual({ version: 2, execution: 3 });
    expect(format.parse(record(json))).toEqual({ execution: 3 });
  });

  it("a record of an earlier version is upgraded, with its version or without one", () => {
    expect(format.parse(record('{"n":4}'))).toEqual({ execution: 4 });
    expect(format.parse(record('{"version":1,"execution":5}'))).toEqual({ execution: 5 });
  });

  it.each([
    ["is not JSON", "{"],
    ["is null", "null"],
    ["is a list", "[]"],
    ["is absent", undefined],
    ["misses a field", '{"version":2}'],
    ["has a field of another type", '{"version":2,"execution":"3"}'],
    ["has a later version", '{"version":3,"execution":3}'],
    ["has a version that is no number", '{"version":"2","execution":3}'],
  ])("a record that %s fails with its owner and its reference", (_, json) => {
    expect(() => format.parse(record(json))).toThrow(UnreadableRecordError);
    expect(() => format.parse(record(json))).toThrow("The record p#a of job-1 cannot be read.");
  });

  it("one unreadable record of a list is reported and left out, and the others are read", () => {
    const reported: unknown[] = [];
    registerTelemetry({ failure: (_message, _error, context) => reported.push(context), count: () => undefined });
    onTestFinished(() => registerTelemetry({ failure: () => undefined, count: () => undefined }));
    const records = [record(format.toJson({ execution: 1 })), record("{"), record(format.toJson({ execution: 2 }))];
    expect(parseReadable(records, format.parse).map(([, { execution }]) => execution)).toEqual([1, 2]);
    expect(reported).toEqual([{ record: "p#a", parent: "job-1" }]);
  });

  it("an error that is not about the record itself fails the list", () => {
    const broken = () => {
      throw new Error("broken");
    };
    expect(() => parseReadable([record("{}")], broken)).toThrow("broken");
  });
});
