import { beforeAll, describe, expect, it } from "vitest";
import { newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { asks, type Gate, runOf, sees, startRun, urls, visit, waiting } from "../../support/approvals/approvals.ts";
import { flow, saveFlow } from "../../support/flows/flow.ts";

let ws: Workspace;
beforeAll(async () => {
  ws = await newWorkspace();
});

const timedOut = { error: { name: "SuspendedTimedOut", message: "Timed out waiting to be resumed" } };

async function approve(gate: Gate | undefined, body: unknown = {}, query: Record<string, string> = { approver: "kim" }): Promise<void> {
  const { resume } = await urls(ws, gate?.gate_id ?? "", query);
  expect(await visit(resume, { body })).toMatchObject({ status: 201 });
}

describe.concurrent("suspend and resume", () => {
  it("a flow continues after the required number of approvals, in order of arrival", async () => {
    const run = await startRun(ws, [asks("ask", { required_events: 3 }), sees()]);
    const [gate] = await waiting(ws, run);
    await approve(gate, { n: 1 }, { approver: "a" });
    expect(await runOf(ws, run)).toMatchObject({ state: "suspended", gates: [{ approved_by: ["a"], required_events: 3 }] });
    await approve(gate, { n: 2 }, {});
    await approve(gate, { n: 3 }, { approver: "c" });
    expect(await ws.completed(run)).toMatchObject({
      result: { resume: { n: 3 }, resumes: [{ n: 1 }, { n: 2 }, { n: 3 }], approvers: ["a", "anonymous", "c"] },
    });
  });

  it("a flow continues after a timeout with continue_on_disapprove_timeout, with the error", async () => {
    const run = await startRun(ws, [asks("ask", { timeout: 1, continue_on_disapprove_timeout: true }), sees()]);
    expect(await ws.completed(run)).toMatchObject({ success: true, result: { resume: timedOut, resumes: [timedOut], approvers: [] } });
  });

  it("the failure module runs with the error of a timeout, and the flow is canceled", async () => {
    const value = {
      modules: [asks("ask", { timeout: 1 }), sees()],
      failure_module: flow.step("failure", "({ handled: previous_result.error.name })"),
    };
    expect(await ws.completed(await startRun(ws, value))).toMatchObject({
      success: false,
      canceled: true,
      result: { handled: "SuspendedTimedOut" },
    });
  });
});

describe.concurrent("nested gates", () => {
  it("a nested flow whose approval timed out fails the flow around it with that error", async () => {
    await saveFlow(ws, "f/t/impatient", [asks("ask", { timeout: 1 }), sees()]);
    const run = await startRun(ws, [{ id: "inner", value: { type: "flow", path: "f/t/impatient" } }]);
    expect(await ws.completed(run)).toMatchObject({ success: false, result: timedOut });
  });

  it("a timeout in a branch cancels the flow, unless the branch has skip_failure", async () => {
    const branch = [asks("ask", { timeout: 1 })];
    const cancels = await startRun(ws, [flow.all("b", [branch])]);
    expect(await ws.completed(cancels)).toMatchObject({ canceled: true, result: [timedOut] });
    const skips = { id: "b", value: { type: "branchall", branches: [{ modules: branch, skip_failure: true }] } };
    expect(await ws.completed(await startRun(ws, [skips]))).toMatchObject({ success: true, result: [timedOut] });
  });

  it("a waiting segment does not occupy the function", async () => {
    const run = await startRun(ws, { modules: [flow.step("a", "1"), asks("ask"), sees()], same_worker: true });
    await approve((await waiting(ws, run))[0], { n: 1 });
    expect(await ws.completed(run)).toMatchObject({ success: true, result: { resume: { n: 1 } } });
  });
});

describe.concurrent("early approvals", () => {
  /** Approves itself, by the link that it gets for its own job. */
  const approvesItself = {
    id: "ask",
    value: {
      type: "rawscript",
      language: "bun",
      content: `export async function main() {
        const { BASE_INTERNAL_URL: base, WM_WORKSPACE: w, WM_TOKEN: token, WM_JOB_ID: job } = process.env;
        const headers = { authorization: "Bearer " + token };
        const urls = await (await fetch(base + "/api/w/" + w + "/jobs/resume_urls/" + job + "/1?approver=itself", { headers })).json();
        const answer = await fetch(urls.resume, { method: "POST", body: JSON.stringify({ early: true }) });
        return answer.status;
      }`,
      input_transforms: {},
    },
    suspend: { required_events: 1 },
  };

  it("an approval before the end of the step counts, and the flow does not wait", async () => {
    const run = await startRun(ws, [approvesItself, sees()]);
    expect(await ws.completed(run)).toMatchObject({
      success: true,
      result: { resumes: [{ early: true }], approvers: ["itself"], previous: 201 },
    });
  });
});
