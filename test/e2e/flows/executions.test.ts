import { afterAll, beforeAll, expect, it } from "vitest";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { executionsOf, sendStatus, startAgain } from "../../support/engine/executions.ts";
import { flow } from "../../support/flows/flow.ts";
import { startWitness, type Witness } from "../../support/jobs/witness.ts";
import { until } from "../../support/until.ts";

/** Every disturbance at every state of a machine is a use case: services/flows/lifecycle/executions.usecase.test.ts. */
let ws: Workspace;
let witness: Witness;
beforeAll(async () => {
  [ws, witness] = await Promise.all([newWorkspace(), startWitness()]);
});
afterAll(() => witness?.close());

const telling = (id: string) =>
  flow.script(
    id,
    `export async function main(at: string) {
  await fetch(at);
  // The flow must not end before its execution is disturbed.
  while ((await (await fetch(new URL("/waits?of=disturbed", at))).text()) === "0") await Bun.sleep(100);
  return at.split("/").at(-1);
}`,
    { at: `flow_input.at + '/${id}'` },
    {},
  );

it("a flow runs each step once although its execution is reported as failed and its machine is started a second time", async () => {
  const value = { modules: [telling("a"), telling("b")] };
  const id = expectStatus(await ws.post("jobs/run/preview_flow", { value, args: { at: witness.url } }), 201).text;
  await witness.waitForReport("a");
  const [execution = expect.fail("The flow has no execution.")] = await executionsOf(ws.id, `${id}.0`);
  await Promise.all([sendStatus(`${id}.0`, "FAILED"), startAgain(execution, `again-${id}`)]);
  await fetch(`${witness.url}/disturbed`);
  expect(await ws.completed(id)).toMatchObject({ success: true, result: "b" });
  const ended = async () => (await executionsOf(ws.id, id)).every(({ status }) => status !== "RUNNING");
  await until(ended, { timeoutMs: 60_000, what: "the end of all executions" });
  expect(await executionsOf(ws.id, `${id}.`)).toHaveLength(2);
  expect([witness.count("a"), witness.count("b")]).toEqual([1, 1]);
});
