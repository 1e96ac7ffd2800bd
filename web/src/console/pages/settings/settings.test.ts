import { expect, it } from "vitest";
import { parseHandler } from "./handler.tsx";
import { areSame } from "./settings.ts";

it("a setting that another person has changed is noticed, and a change of another setting is not", () => {
  const seen = { workspace_id: "demo", name: "Demo", failed_runs: { status: 500 } };
  expect(areSame(["name"], seen, { ...seen, failed_runs: { status: 200 } })).toBe(true);
  expect(areSame(["name", "failed_runs"], seen, { ...seen, failed_runs: { status: 200 } })).toBe(false);
  expect(areSame(["color"], seen, { ...seen, color: "#fff" })).toBe(false);
});

it.each([
  ["script/f/ops/alarm", { kind: "script", path: "f/ops/alarm" }],
  ["flow/f/ops/alarm", { kind: "flow", path: "f/ops/alarm" }],
  ["f/ops/alarm", { kind: "script", path: "f/ops/alarm" }],
  [undefined, undefined],
])("the handler %s is a script or a flow", (path, runnable) => {
  expect(parseHandler(path)).toEqual(runnable);
});
