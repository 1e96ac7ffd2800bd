import { expect, it } from "vitest";
import { parseEditedDraft, restoreValues } from "./edited-values.ts";

it("the values of a draft replace those of a form, and what it leaves out stays", () => {
  const values = { path: "f/ops/db", value: { host: "a", login: { user: "ann", key: "s-1" } }, isSecret: false };
  expect(restoreValues(values, { path: "f/ops/other", value: { host: "b", login: { user: "bob" } } })).toEqual({
    path: "f/ops/other",
    value: { host: "b", login: { user: "bob", key: "s-1" } },
    isSecret: false,
  });
});

it("a value of another type, and a field that the form does not have, are ignored", () => {
  expect(restoreValues({ path: "a", isOn: true, list: ["a"] }, { path: 1, isOn: "yes", list: {}, more: 1 })).toEqual({
    path: "a",
    isOn: true,
    list: ["a"],
  });
  expect(restoreValues({ runnable: undefined }, { runnable: { kind: "script", path: "f/a/b" } })).toEqual({
    runnable: { kind: "script", path: "f/a/b" },
  });
});

it("a draft names the version that its form was filled from", () => {
  expect(parseEditedDraft({ version: '"3"', values: { path: "a" } })).toEqual({ version: '"3"', values: { path: "a" } });
  expect(parseEditedDraft({ values: {} })).toEqual({ values: {} });
  for (const stored of [undefined, null, "text", { values: "text" }]) expect(parseEditedDraft(stored)).toBeUndefined();
});
