import { DescribeExecutionCommand, DescribeStateMachineCommand } from "@aws-sdk/client-sfn";
import { beforeAll, describe, expect, it } from "vitest";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { awsClients } from "../../support/engine/aws.ts";
import { flow, runFlow, saveFlow } from "../../support/flows/flow.ts";
import { until } from "../../support/until.ts";

const { sfn } = awsClients();
const { step, each } = flow;
let ws: Workspace;
beforeAll(async () => {
  ws = await newWorkspace();
});

type Json = Record<string, unknown>;
const jobOf = async (id: string) => (await ws.get(`jobs_u/get/${id}`)).json as Json;

describe("a flow's job", () => {
  it("the job contains the ARN of its execution, and no console URL with a local engine", async () => {
    const job = await runFlow(ws, [step("a", "1")]);
    const { execution } = (await jobOf(String(job["id"]))) as { execution: { arn: string } };
    expect(execution).toEqual({ arn: expect.stringMatching(/^arn:aws:states:/), earlier: [] });
    // The execution ends just after its last step has ended the job.
    const ended = await until(
      async () => {
        const now = await sfn.send(new DescribeExecutionCommand({ executionArn: execution.arn }));
        return now.status === "RUNNING" ? undefined : now;
      },
      { what: "the end of the execution" },
    );
    expect([ended.status, ended.name]).toEqual(["SUCCEEDED", `${String(job["id"])}.0`]);
  });
});

/** A step that prints what the expression yields. */
const says = (id: string, text: string, more: object = {}) =>
  flow.script(id, "export const main = (text: string) => console.log(text);", { text }, more);
const logsOf = async (id: unknown, at: Workspace = ws) => expectStatus(await at.get(`jobs_u/get_flow_all_logs/${String(id)}`), 200).text;
/** Lines as they are, but for the jobs' ids. */
const plain = (logs: string) => logs.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "#");

describe("the logs of a whole flow", () => {
  it("the logs are available during the run", async () => {
    const slow = flow.script("b", 'export const main = async () => { console.log("waiting"); await Bun.sleep(600_000); };', {}, {});
    const modules = [says("a", "'first'"), each("l", "[1, 2]", [slow], { parallel: true })];
    const id = expectStatus(await ws.post("jobs/run/preview_flow", { value: { modules } }), 201).text;
    const logs = await until(
      async () => {
        const now = await logsOf(id);
        return now.split("waiting").length === 3 ? now : undefined;
      },
      { what: "what both iterations print" },
    );
    expect(plain(logs)).toMatch(/^=== a, attempt 1, job #\nfirst\n=== b, iteration \d, attempt 1, job #\nwaiting\n=== b, iteration \d/);
    expectStatus(await ws.post(`jobs_u/queue/cancel/${id}`, {}), 200);
  });
});

describe("the state machine of a flow", () => {
  const built = async (path: string) => {
    const { job_id: job } = (await ws.get(`flows/deployment_status/p/${path}`)).json as { job_id: string };
    await ws.completed(job, 120_000);
  };
  const machineAt = (at: string, by: Workspace = ws) => by.get(`flows/machine/${at}`);

  it("the response contains the definition in Step Functions, its name and a diagram", async () => {
    await saveFlow(ws, "f/t/drawn", [step("a", "1", { summary: 'Say "hi"' }), each("l", "[1]", [step("b", "2")], { parallel: true })]);
    await built("f/t/drawn");
    const shown = expectStatus(await machineAt("p/f/t/drawn"), 200).json as Json;
    const there = await sfn.send(new DescribeStateMachineCommand({ stateMachineArn: String(shown["arn"]) }));
    expect(shown).toEqual({
      machine: there.name,
      arn: there.stateMachineArn,
      definition: JSON.parse(there.definition ?? ""),
      mermaid: expect.stringMatching(/^flowchart TD\n/),
      outdated: false,
    });
    expect(shown["mermaid"]).toContain('["a Say hi"]');
    expect(shown["mermaid"]).toContain('subgraph n3["l#58; run items"]');
  });
});
