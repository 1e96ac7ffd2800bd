import { ListStateMachinesCommand } from "@aws-sdk/client-sfn";
import { beforeEach, expect, it } from "vitest";
import { shared } from "../../support/api/api.ts";
import { expectStatus, newWorkspace } from "../../support/api/workspace.ts";
import { asks, urls, visit, waiting } from "../../support/approvals/approvals.ts";
import { awsClients } from "../../support/engine/aws.ts";
import { executionsOf } from "../../support/engine/executions.ts";
import { flow } from "../../support/flows/flow.ts";
import { until } from "../../support/until.ts";

beforeEach(({ skip }) =>
  skip(shared().statesEndpoint === undefined, "it needs LocalStack, whose Python has 240 packages: npm run test:asl"),
);

it("LocalStack's Step Functions executes a saved flow with a script, a loop and an approval, and the local engine none of it", async () => {
  const ws = await newWorkspace();
  expectStatus(await ws.call("POST", "folders/create", { body: { name: "second" } }), 201);
  const content = "export const main = (n: number) => n * 2;";
  const script = { path: "f/second/double", summary: "", description: "", content, language: "bun" };
  expectStatus(await ws.call("POST", "scripts/create", { body: script }), 201);
  const modules = [
    { id: "double", value: { type: "script", path: script.path, input_transforms: { n: { type: "javascript", expr: "flow_input.n" } } } },
    flow.each("each", "[1, 2]", [flow.step("add", "flow_input.iter.value + results.double")]),
    asks("ask"),
    flow.step("end", "({ sums: results.each, ...resume })"),
  ];
  expectStatus(await ws.call("POST", "flows/create", { body: { path: "f/second/flow", summary: "", value: { modules } } }), 201);

  const run = expectStatus(await ws.call("POST", "jobs/run/f/f/second/flow", { body: { n: 21 } }), 201).text;
  const [gate] = await waiting(ws, run);
  const { resume } = await urls(ws, gate?.gate_id ?? "", { approver: "kim" });
  expect(await visit(resume, { body: { ok: true } })).toMatchObject({ status: 201 });
  expect(await ws.completed(run)).toMatchObject({ success: true, result: { sums: [43, 44], ok: true } });

  const statuses = async () => (await executionsOf(ws.id, run, shared())).map(({ status }) => status);
  await until(async () => (await statuses()).includes("SUCCEEDED"), { what: "the end of the execution on LocalStack" });
  expect(await statuses()).toEqual(["SUCCEEDED"]);
  const { sfn: own } = awsClients({ endpoint: shared().endpoint });
  expect((await own.send(new ListStateMachinesCommand({}))).stateMachines).toEqual([]);
});
