import { beforeAll, expect, it } from "vitest";
import { triggerKinds } from "../../../contract/routes/triggers/trigger-kind.ts";
import type { GateNotice } from "../../../core/notifications/notice.ts";
import { noticeObject } from "../../../core/notifications/stored-notice.ts";
import {
  addFlow,
  approveGate,
  type FlowWorld,
  gates,
  newFlowWorld,
  playExecutions,
  startFlow,
} from "../../../test/support/use-cases/world-flows.ts";
import { work } from "../../../test/support/use-cases/world-jobs.ts";
import { aReader } from "../../../test/support/use-cases/world-people.ts";

let world: FlowWorld;
beforeAll(async () => {
  world = await newFlowWorld();
});

const everyone = { type: "static", value: ["all"] };
const asks = (suspend: object = {}) => ({
  id: "ask",
  value: { type: "script", path: "f/ops/hello", input_transforms: { x: { type: "static", value: { description: "Buy it?" } } } },
  suspend: { required_events: 1, inputs: ["item"], user_groups_required: everyone, ...suspend },
});

async function notices(run: string): Promise<GateNotice[]> {
  const all = (await world.deps.objects.list(noticeObject.partitionKey(world.workspace))).map(({ value }) => value as GateNotice);
  return all.filter(({ root }) => root === run);
}

async function waiting(value: object | object[]): Promise<string> {
  const run = await startFlow(world, value, { item: "drill", other: "hidden" });
  await playExecutions(world);
  return run;
}

const aDecider = (email: string) => ({
  ...aReader(world.workspace, []),
  email,
  rights: { workspace: world.workspace, role: "developer" as const, groups: ["all"], folders: {}, objects: {} },
});

it("the notice of a step contains its description and the inputs that its author chose, and no other", async () => {
  const [notice] = await notices(await waiting([asks()]));
  expect(notice).toMatchObject({ what: "opened", description: "Buy it?", inputs: [{ name: "item", value: "drill" }], people: ["g/all"] });
  expect(JSON.stringify(notice)).not.toContain("hidden");
});

it.each([
  ["of a step that sends no mail", [asks({ user_groups_required: undefined })]],
  ["of a run whose data is erased, because a mail cannot be", [{ ...asks(), delete_after_secs: 0 }]],
])("the notice %s contains no value", async (_, modules) => {
  const [notice] = await notices(await waiting(modules));
  expect(notice?.what).toBe("opened");
  expect(JSON.stringify(notice)).not.toMatch(/drill|Buy it/);
});

it.each([
  ["another person decides", "bob@example.com", "ann@example.com"],
  ["that person decides", "ann@example.com", undefined],
])("the outcome names the person who started the run if %s", async (_, email, starter) => {
  const run = await waiting([asks()]);
  const [gate] = await gates(world, run);
  if (!gate) throw new Error("The gate has not opened.");
  await approveGate(world, gate, 1, { person: aDecider(email), approved: false });
  const outcome = (await notices(run)).find(({ what }) => what === "decided");
  expect([outcome?.starter, outcome?.inputs]).toEqual([starter, undefined]);
});

it.each([
  ["a person started it", {}, "ann@example.com"],
  ...triggerKinds.map((trigger) => [`a trigger started it: ${trigger}`, { trigger, triggerPath: "f/t/trigger" }, undefined] as const),
  ["a schedule started it", { trigger: "schedule", schedulePath: "f/t/daily" }, undefined],
] as const)("the outcome of a nested flow reaches the person who started the run, if a person did: %s", async (_, origin, starter) => {
  await addFlow(world, "f/t/inner", [asks()]);
  const run = await startFlow(world, [{ id: "sub", value: { type: "flow", path: "f/t/inner", input_transforms: {} } }], {}, origin);
  for (let round = 0; round < 2; round += 1) {
    await playExecutions(world);
    await work(world);
  }
  await playExecutions(world);
  const [gate] = await gates(world, run);
  if (!gate) throw new Error("The gate has not opened.");
  await approveGate(world, gate, 1, { person: aDecider("bob@example.com"), approved: false });
  const outcome = (await notices(run)).find(({ what }) => what === "decided");
  expect([outcome?.flow === run, outcome?.starter]).toEqual([false, starter]);
});
