import {
  CreateStateMachineCommand,
  DeleteStateMachineCommand,
  DescribeExecutionCommand,
  ListStateMachinesCommand,
} from "@aws-sdk/client-sfn";
import { afterAll, beforeAll, expect, it } from "vitest";
import { api } from "../../support/api/api.ts";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { awsClients, invoke } from "../../support/engine/aws.ts";
import { startTestInstance, type TestInstance } from "../../support/engine/instances.ts";
import { flow, saveFlow } from "../../support/flows/flow.ts";
import { until } from "../../support/until.ts";

/** Housekeeping is told here that weeks have gone by, so this file has its own instance. */
let instance: TestInstance;
let ws: Workspace;
beforeAll(async () => {
  instance = await startTestInstance();
  ws = await newWorkspace(api({ url: instance.url, token: instance.admin.token }));
});
afterAll(() => instance?.stop());

const HOUR_MS = 3_600_000;
const hourIn = (days: number) => Math.ceil((Date.now() + days * 24 * HOUR_MS) / HOUR_MS) * HOUR_MS;
const tick = async (nowMs: number) => ((await invoke("HousekeepingFunction", { nowMs }, instance)) as { idle: number }).idle;
const machines = async () => {
  const { stateMachines = [] } = await awsClients(instance).sfn.send(new ListStateMachinesCommand({ maxResults: 1000 }));
  return stateMachines.map(({ name = "" }) => name.replace(/-[0-9a-f]{16}$/, "").replace(`svc-${ws.id}-`, "")).sort();
};

const executionOf = (id: string) =>
  until(async () => ((await ws.get(`jobs_u/get/${id}`)).json as { execution?: { arn: string } }).execution?.arn, { what: "its execution" });

it("a state machine that was unused for a month is deleted, and the next run creates it again", async () => {
  await saveFlow(ws, "f/t/seldom", [flow.step("a", "flow_input.n + 1")]);
  await saveFlow(ws, "f/t/waits", [flow.identity("a", { sleep: { type: "static", value: 600 } }), flow.identity("b")]);
  const run = async (n: number) => expectStatus(await ws.post("jobs/run_wait_result/f/f/t/seldom", { n }), 200).json;
  expect(await run(1)).toBe(2);
  const waiting = expectStatus(await ws.post("jobs/run/f/f/t/waits", {}), 201).text;
  await executionOf(waiting);
  const { sfn } = awsClients(instance);
  const definition = JSON.stringify({ StartAt: "a", States: { a: { Type: "Succeed" } } });
  const roleArn = "arn:aws:iam::000000000000:role/any";
  await sfn.send(
    new CreateStateMachineCommand({ name: "svc-theirs-1234567812345678", definition, roleArn, tags: [{ key: "svc", value: "theirs" }] }),
  );
  const all = ["f-t-seldom", "f-t-waits", "svc-theirs"];
  expect(await machines()).toEqual(all);

  expect(await tick(hourIn(29))).toBe(0);
  expect(await tick(hourIn(31) + 60_000)).toBe(0);
  expect(await machines()).toEqual(all);
  expect(await tick(hourIn(31))).toBe(1);
  expect(await machines()).toEqual(["f-t-waits", "svc-theirs"]);

  expect(await run(2)).toBe(3);
  expect(await machines()).toEqual(all);
  expect((await ws.get(`jobs_u/get/${waiting}`)).json).toMatchObject({ running: true });
}, 120_000);

it("a run that started during the deletion of its machine ends", async () => {
  const { sfn } = awsClients(instance);
  await saveFlow(ws, "f/t/raced", [flow.identity("a", { sleep: { type: "static", value: 3 } }), flow.step("b", "'done'")]);
  const id = expectStatus(await ws.post("jobs/run/f/f/t/raced", {}), 201).text;
  const executionArn = await executionOf(id);
  const { stateMachineArn } = await until(async () => sfn.send(new DescribeExecutionCommand({ executionArn })).catch(() => undefined), {
    what: "the execution",
  });
  await sfn.send(new DeleteStateMachineCommand({ stateMachineArn }));
  await invoke("HousekeepingFunction", { aheadMs: 600_000 }, instance);
  expect(await ws.completed(id)).toMatchObject({ success: true, result: "done" });
}, 120_000);
