import { describe, expect, it } from "vitest";
import { aFlow } from "../../../test/builders/flows.ts";
import type { Outcome, Progress } from "../journal.ts";
import { indexFlow } from "../scopes.ts";
import { executedSteps } from "./executed-steps.ts";

const script = (id: string, more: object = {}) => ({ id, value: { type: "script", path: "f/t/any" }, ...more });
const loop = (id: string, modules: object[], parallel = false) => ({
  id,
  value: { type: "forloopflow", iterator: { type: "static", value: [] }, skip_failures: false, parallel, modules },
});
const result = { jobId: "job", location: { in: "head" as const, json: "1" } };
const well: Outcome = { state: "success", transition: "next", result, job: "job" };
const badly: Outcome = { ...well, state: "failure", transition: "fail" };

/** Positions in the form `<module>@<at>#<attempt>`, from a journal whose keys are `<module>:<scope>@<at>`. */
function placesOf(flow: object, outcomes: Record<string, Outcome>, progress: Record<string, Progress> = {}): string[] {
  const value = aFlow(flow);
  const key = (module: string, scope: string, at: string) => `${module}:${scope}@${at}`;
  const journal = {
    outcome: (...place: Parameters<typeof key>) => outcomes[key(...place)],
    progress: (...place: Parameters<typeof key>) => progress[key(...place)],
  };
  return [...executedSteps(value, indexFlow(value), journal)].map(({ module, path, attempt }) => `${module}@${path}#${attempt}`);
}

describe("executed steps", () => {
  it("steps are listed in the flow's order with each attempt, up to the running one", () => {
    const modules = [script("a"), script("b"), script("c"), script("d")];
    expect(placesOf({ modules }, { "a:@": well, "b:@": { ...well, retries: ["x", "y"] } }, { "c:@": { failed: ["z"] } })).toEqual([
      ...["a@#0", "b@#0", "b@#1", "b@#2", "c@#0", "c@#1"],
    ]);
  });

  it("skipped steps are omitted, and the list ends with the step that stopped or failed the flow, and the failure module", () => {
    const modules = [script("a"), script("b"), script("c")];
    const { job: _, ...skipped } = well;
    expect(placesOf({ modules, failure_module: script("failure") }, { "a:@": skipped, "b:@": badly })).toEqual(["b@#0", "failure@#0"]);
    expect(placesOf({ modules, failure_module: script("failure") }, { "a:@": { ...well, transition: "stop" } })).toEqual(["a@#0"]);
  });

  it("steps of every started iteration, and of every parallel iteration that may have started, are listed", () => {
    const inside = { "b:l.body@0.": well, "b:l.body@1.": well };
    expect(placesOf({ modules: [loop("l", [script("b")])] }, inside, { "l:@": { index: 2, count: 9 } })).toEqual([
      "b@0.#0",
      "b@1.#0",
      "b@2.#0",
    ]);
    expect(placesOf({ modules: [loop("l", [script("b")], true)] }, inside, { "l:@": { index: 0, count: 9, width: 4 } })).toHaveLength(4);
    expect(placesOf({ modules: [loop("l", [script("b")], true)] }, inside, { "l:@": { index: 0, count: 2, width: 4 } })).toHaveLength(2);
  });

  it("both attempts of a loop are listed separately", () => {
    const outcomes = { "b:l.body@0.": badly, "b:l.body@l~1.0.": well, "l:@": { ...well, retries: [""] } };
    expect(placesOf({ modules: [loop("l", [script("b")])] }, outcomes, { "l:@": { index: 0, count: 1 } })).toEqual([
      "b@0.#0",
      "b@l~1.0.#0",
    ]);
  });

  it("steps of the chosen branch, and of all parallel branches, are listed", () => {
    const branches = [
      { expr: "true", modules: [script("x")] },
      { expr: "true", modules: [script("y")] },
    ];
    const one = { id: "o", value: { type: "branchone", branches, default: [script("z")] } };
    expect(placesOf({ modules: [one] }, {}, { "o:@": { branch: 1 } })).toEqual(["y@#0"]);
    expect(placesOf({ modules: [one] }, {}, { "o:@": { branch: "default" } })).toEqual(["z@#0"]);
    const all = (parallel: boolean) => ({ modules: [{ id: "p", value: { type: "branchall", branches, parallel } }] });
    expect(placesOf(all(true), {}, { "p:@": { index: 0 } })).toEqual(["x@#0", "y@#0"]);
    expect(placesOf(all(false), {}, { "p:@": { index: 0 } })).toEqual(["x@#0"]);
  });
});
