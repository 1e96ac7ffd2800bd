import { expect, it } from "vitest";
import { toRunDraft } from "./use-run-draft.ts";

const plain = { properties: { name: { type: "string" } } };
const secret = { properties: { name: { type: "string" }, key: { type: "string", format: "password" } } };

it("the draft of a run has the values without secrets, and no unfinished JSON that could contain one", () => {
  expect(toRunDraft(plain, { name: "Ann" }, undefined)).toEqual({ values: { name: "Ann" } });
  expect(toRunDraft(plain, { name: "Ann" }, '{"name": "Bo')).toEqual({ values: { name: "Ann" }, text: '{"name": "Bo' });
  expect(toRunDraft(secret, { name: "Ann", key: "s-1" }, '{"key": "s-1')).toEqual({ values: { name: "Ann" } });
});
