import { expect, it } from "vitest";
import { replaceUnchanged } from "./version.ts";

it.each([
  ["ann", "ann"],
  [undefined, "svc"],
])("a replaced object keeps the version of its format and names its author (%s)", (by, author) => {
  const stored = { pk: "NOTE#ops", sk: "f/a/b", format: 2, version: "1", value: { text: "a" }, changed: { by: "bob", atMs: 1 } };
  const put = replaceUnchanged({ stored, value: { text: "b" }, by, atMs: 2 });
  expect(put).toMatchObject({
    op: "put",
    expect: { version: "1" },
    object: { format: 2, value: { text: "b" }, changed: { by: author, atMs: 2 } },
  });
});
