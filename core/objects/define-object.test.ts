import { describe, expect, it } from "vitest";
import * as z from "zod";
import { UnreadableRecordError } from "../records/record-format.ts";
import { defineObject, inWorkspace } from "./define-object.ts";

const schema = z.object({ name: z.string() });
const folder = { name: "folder", partition: "F", ...inWorkspace, sort: (name: string) => name };
const folderObject = defineObject({ ...folder, schema });
const stored = (sk: string, value?: unknown) => ({ pk: "F#ops", sk, value });

describe("the value of a stored object", () => {
  it("is read by its schema, and fails with its key if it does not match", () => {
    expect(folderObject.parse(stored("a", { name: "a" }))).toEqual({ name: "a" });
    expect(() => folderObject.parse(stored("b", { name: 1 }))).toThrow(UnreadableRecordError);
    expect(() => folderObject.parse(stored("c"))).toThrow("The record c of F#ops cannot be read.");
  });

  it("does not fail a list if it cannot be read", () => {
    const listed = folderObject.parseReadable([stored("a", { name: "a" }), stored("b", {}), stored("c", { name: "c" })]);
    expect(listed).toEqual([{ name: "a" }, { name: "c" }]);
  });

  it.each(["FL#ops", "F", "f#ops"])("is not read as that of another kind, in partition %s", (pk) => {
    expect(() => folderObject.parse({ pk, sk: "a", value: { name: "a" } })).toThrow(UnreadableRecordError);
  });
});

describe("the format of a value", () => {
  const renamed = defineObject({
    ...folder,
    schema: z.object({ title: z.string() }),
    version: 3,
    upgrade: (value, version) => ({ title: `${(value as { name: string }).name} of version ${version}` }),
  });

  it("is stored with each write of the key, unless it is the first one", () => {
    expect(folderObject.key("ops", "a")).toEqual({ pk: "F#ops", sk: "a" });
    expect(renamed.key("ops", "a")).toEqual({ pk: "F#ops", sk: "a", format: 3 });
  });

  it("of an earlier version is upgraded, and that of a later one is not read", () => {
    expect(renamed.parse({ ...renamed.key("ops", "a"), value: { title: "a" } })).toEqual({ title: "a" });
    expect(renamed.parse(stored("a", { name: "a" }))).toEqual({ title: "a of version 1" });
    expect(renamed.parse({ ...stored("a", { name: "a" }), format: 2 })).toEqual({ title: "a of version 2" });
    expect(() => renamed.parse({ ...stored("a", { title: "a" }), format: 4 })).toThrow(UnreadableRecordError);
  });
});
