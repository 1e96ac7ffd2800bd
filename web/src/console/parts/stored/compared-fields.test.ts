import { expect, it } from "vitest";
import { mergeTexts } from "../code/merge-texts.ts";
import { type ComparedField, combineVersions, compared, differingFields } from "./compared-fields.ts";

interface Values {
  path: string;
  value: string;
  description: string;
  isOn: boolean;
  others: object;
}
const fields: ComparedField<Values>[] = [
  compared("Path", "path"),
  compared("Value", "value"),
  compared("Description", "description"),
  compared("Enabled", "isOn"),
];
const base: Values = { path: "f/a/b", value: "1", description: "", isOn: false, others: { a: 1 } };
const mine = { ...base, value: "2", isOn: true };
const theirs = { ...base, value: "3", description: "New", others: { a: 2 } };

it("two versions differ in the fields that have other texts, and a field that one person has changed suggests this change", () => {
  expect(differingFields(fields, { mine, theirs, base })).toEqual([
    { label: "Value", mine: "2", theirs: "3", base: "1", suggested: "mine" },
    { label: "Description", mine: "", theirs: "New", base: "", suggested: "theirs" },
    { label: "Enabled", mine: "✓", theirs: "", base: "", suggested: "mine" },
  ]);
  expect(differingFields(fields, { mine, theirs, base: undefined }).map(({ suggested }) => suggested)).toEqual(["mine", "mine", "mine"]);
});

it("each field of the saved version is that of the chosen person, and settings that the form does not show are the newest", () => {
  expect(combineVersions(fields, { mine, theirs }, { Description: "theirs" })).toEqual({
    path: "f/a/b",
    value: "2",
    description: "New",
    isOn: true,
    others: { a: 2 },
  });
  expect(combineVersions(fields, { mine, theirs }, { Value: "theirs", Description: "theirs", Enabled: "theirs" })).toEqual(theirs);
});

it("a value that is no text is compared as JSON", () => {
  expect(compared<{ args: unknown }, "args">("Arguments", "args").toText({ args: { a: [1] } })).toBe('{\n  "a": [\n    1\n  ]\n}');
});

it("texts of several lines and JSON can be merged, and a merged text that is no JSON is refused", () => {
  const of = compared<Values, "others">("Others", "others");
  const [field] = differingFields([of], { mine: base, theirs, base });
  const merged = mergeTexts({
    base: of.toText({ ...base, others: { a: 1, b: 1, c: 1 } }),
    mine: of.toText({ ...base, others: { a: 2, b: 1, c: 1 } }),
    theirs: of.toText({ ...base, others: { a: 1, b: 1, c: 3 } }),
  });
  expect(field?.accepts?.(merged)).toBe(true);
  expect(field?.accepts?.("{")).toBe(false);
  expect(combineVersions([of], { mine, theirs }, { Others: { merged } }).others).toEqual({ a: 2, b: 1, c: 3 });
  const lines = compared<Values, "value">("Value", "value");
  const versions = { mine: { ...base, value: "a\nb" }, theirs: { ...base, value: "a\nc" } };
  expect(differingFields([lines], { ...versions, base })[0]?.accepts?.("{")).toBe(true);
  expect(combineVersions([lines], versions, { Value: { merged: "a\nb\nc" } }).value).toBe("a\nb\nc");
});
