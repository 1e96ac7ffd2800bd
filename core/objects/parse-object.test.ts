import { describe, expect, it } from "vitest";
import * as z from "zod";
import { UnreadableRecordError } from "../records/record-format.ts";
import { parseObject, parseReadableObjects } from "./parse-object.ts";

const schema = z.object({ name: z.string() });
const stored = (sk: string, value?: unknown) => ({ pk: "F#ops", sk, value });

describe("the value of a stored object", () => {
  it("is read by its schema, and fails with its key where it does not match", () => {
    expect(parseObject(schema, stored("a", { name: "a" }))).toEqual({ name: "a" });
    expect(() => parseObject(schema, stored("b", { name: 1 }))).toThrow(UnreadableRecordError);
    expect(() => parseObject(schema, stored("c"))).toThrow("The record c of F#ops cannot be read.");
  });

  it("does not fail a list where it cannot be read", () => {
    const listed = parseReadableObjects(schema, [stored("a", { name: "a" }), stored("b", {}), stored("c", { name: "c" })]);
    expect(listed).toEqual([{ name: "a" }, { name: "c" }]);
  });
});
