import { expect, it } from "vitest";
import { changedField } from "./changed-field.ts";

const branches = [{ expr: "a" }, { expr: "b" }];
const module = { id: "a", summary: "x", retry: { constant: { attempts: 1 } }, value: { type: "branchone", branches } };

it.each([
  ["a letter of a text", { ...module, summary: "xy" }, ".summary"],
  ["a number in a group", { ...module, retry: { constant: { attempts: 12 } } }, ".retry.constant.attempts"],
  ["a text in a list", { ...module, value: { ...module.value, branches: branches.with(1, { expr: "bc" }) } }, ".value.branches.1.expr"],
  ["an added option", { ...module, priority: 1 }, undefined],
  ["an added branch", { ...module, value: { ...module.value, branches: [...branches, { expr: "" }] } }, undefined],
  ["another kind of value", { ...module, summary: null }, undefined],
  ["two texts", { ...module, id: "b", summary: "y" }, undefined],
])("%s is found as the field of a change", (_, after, field) => {
  expect(changedField(module, after)).toBe(field);
});
