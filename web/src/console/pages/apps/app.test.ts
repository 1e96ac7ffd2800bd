import { expect, it } from "vitest";
import { fromApp, isJson, toAppChange } from "./app.ts";

const stored = {
  path: "f/ops/board",
  summary: "Orders",
  value: { grid: [1, { id: "a" }] },
  policy: { execution_mode: "publisher" as const, on_behalf_of: "u/ann", triggerables: { a: {} } },
};

it("an app that is saved without an edit gets no version, and keeps the fields of its policy", () => {
  expect(toAppChange(fromApp(stored))).toEqual({ path: "f/ops/board", summary: "Orders", policy: stored.policy });
});

it("a changed value is a new version with its message", () => {
  expect(toAppChange({ ...fromApp(stored), value: '{"grid":[]}', message: "Empty it" })).toMatchObject({
    value: { grid: [] },
    deployment_message: "Empty it",
  });
});

it("a broken text is no value", () => {
  expect([isJson("{"), isJson("null"), isJson("")]).toEqual([false, true, false]);
});
