import { describe, expect, it } from "vitest";
import type { FlowStatus, ModuleStatus } from "../../contract/routes/flows/flow-status.ts";
import { listStepEvents, listStepJobs } from "./flow-steps.ts";

const job = "019a0000-0000-7000-8000-000000000001";
const inner = ["019a0000-0000-7000-8000-000000000002", "019a0000-0000-7000-8000-000000000003"];
const statusOf = (...modules: ModuleStatus[]): FlowStatus => ({
  step: 0,
  modules,
  failure_module: { type: "WaitingForPriorSteps", id: "failure" },
});
const running = (more: object): ModuleStatus => ({ type: "InProgress", id: "a", job, ...more });

describe("the events of a flow's steps", () => {
  it.each<[string, ModuleStatus, string[]]>([
    ["none before the step", { type: "WaitingForPriorSteps", id: "a" }, []],
    ["none while the step waits for a runner", { type: "WaitingForExecutor", id: "a", job }, []],
    ["a running step", running({}), ["a: running"]],
    ["an iteration", running({ iterator: { index: 1, itered_len: 3 } }), ["a: running, iteration 2 of 3"]],
    ["an iteration of a loop without a known end", running({ iterator: { index: 0 } }), ["a: running, iteration 1"]],
    ["a branch of all", running({ branchall: { branch: 0, len: 2 } }), ["a: running, branch 1 of 2"]],
    ["the chosen branch", running({ branch_chosen: { type: "branch", branch: 1 } }), ["a: running, branch 2"]],
    ["the default branch", running({ branch_chosen: { type: "default" } }), ["a: running, default branch"]],
    ["a pending approval", { type: "WaitingForEvents", id: "a", count: 2, job }, ["a: waits for approval (2 more)"]],
    ["a success", { type: "Success", id: "a", job }, ["a: succeeded"]],
    ["a skipped step", { type: "Success", id: "a", job, skipped: true }, ["a: skipped"]],
    ["a failure", { type: "Failure", id: "a", job }, ["a: failed"]],
  ])("contain %s", (_, module, texts) => {
    expect(listStepEvents(undefined, statusOf(module)).map(({ text }) => text)).toEqual(texts);
    expect(listStepEvents(statusOf(module), statusOf(module))).toEqual([]);
  });

  it("contain only what is new, with the preprocessor first and the failure module last", () => {
    const before = statusOf({ type: "Success", id: "a", job }, { type: "WaitingForPriorSteps", id: "b" });
    const after: FlowStatus = {
      ...statusOf({ type: "Success", id: "a", job }, { type: "Failure", id: "b", job }),
      preprocessor_module: { type: "Success", id: "preprocessor", job },
      failure_module: { type: "InProgress", id: "failure", job },
    };
    expect(listStepEvents(before, after).map(({ step, type }) => [step, type])).toEqual([
      ["preprocessor", "succeeded"],
      ["b", "failed"],
      ["failure", "running"],
    ]);
  });
});

describe("listStepJobs", () => {
  it.each<[string, ModuleStatus, [string, string][]]>([
    ["the job of a step", running({}), [[job, "a"]]],
    ["the jobs of iterations instead of the loop's", running({ flow_jobs: inner }), inner.map((id) => [id, "a"])],
    ["none for a step that waits", { type: "WaitingForEvents", id: "a", count: 1, job }, []],
  ])("lists %s", (_, module, expected) => {
    expect([...listStepJobs(statusOf(module))]).toEqual(expected);
  });
});
