import { expect, it } from "vitest";
import { parseIfMatch, toEtag } from "./etag.ts";

it.each([
  ["no header", undefined, undefined],
  ["any version", " * ", undefined],
  ["one version", '"a"', ["a"]],
  ["several versions", '"a", "b"', ["a", "b"]],
  ["a weak tag, as proxies make of it", 'W/"a"', ["a"]],
  ["a version without quotation marks", "a", ["a"]],
  ["nothing, which no version equals", "", [""]],
])("If-Match can be %s", (_, header, versions) => {
  expect(parseIfMatch(header)).toEqual(versions);
});

it("a version is shown as a tag that If-Match accepts", () => {
  expect(parseIfMatch(toEtag("4f1c"))).toEqual(["4f1c"]);
});
