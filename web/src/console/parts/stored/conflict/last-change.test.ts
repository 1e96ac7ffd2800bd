import { expect, it } from "vitest";
import { readLastChange } from "./last-change.ts";

it.each([
  ["an author and a time", '{"by":"bob","at":"2026-01-02T03:04:05.000Z"}', { by: "bob", at: "2026-01-02T03:04:05.000Z" }],
  ["an author with escaped letters", '{"by":"b\\u00f6b"}', { by: "böb" }],
  ["a time that is none", '{"by":"bob","at":"soon"}', { by: "bob" }],
  ["nothing", "", undefined],
  ["a header that a proxy has cut", '{"by":"bo', undefined],
  ["another value", '["bob"]', undefined],
  ["a time without an author", '{"at":"2026-01-02T03:04:05.000Z"}', undefined],
])("the author of a newer version is read from %s", (_, header, expected) => {
  expect(readLastChange(header)).toEqual(expected);
});
