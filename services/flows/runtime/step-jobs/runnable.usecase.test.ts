import { expect, it } from "vitest";
import { getPreviews } from "../../../../core/jobs/record/preview.ts";
import { personKey, userObject } from "../../../../core/people/person.ts";
import { memberObject } from "../../../../core/permissions/access.ts";
import { Cloud } from "../../../../test/support/use-cases/aws/cloud.ts";
import { addFlow, newFlowWorld } from "../../../../test/support/use-cases/world-flows.ts";
import { anAdmin, aReader } from "../../../../test/support/use-cases/world-people.ts";
import { buildFlowJobFields, enqueueJob } from "../../../jobs/queue/enqueue.ts";
import { computeStepJobId } from "../step-job-id.ts";

it("an inline script of a saved flow runs under no path at which neither its author nor the user of the run may save", async () => {
  const world = await newFlowWorld();
  const { deps, workspace, clock } = world;
  const bob = aReader(workspace, ["t"]);
  const { email, username } = bob;
  await deps.objects.put({ ...userObject.key(personKey(email)), value: { email, username, superAdmin: false, createdAtMs: clock.nowMs } });
  const member = { email, username, role: "developer", createdAtMs: clock.nowMs };
  await deps.objects.put({ ...memberObject.key(workspace, personKey(email)), value: member });
  const paths = { theirs: "f/finance/payout", person: "u/ann/payout", text: "payout", beside: "f/t/payout", own: "u/bob/payout" };
  const modules = Object.entries(paths).map(([id, path]) => ({
    id,
    value: { type: "rawscript", language: "bun", content: "", path, input_transforms: {} },
    continue_on_error: true,
  }));
  const flow = await addFlow(world, "f/t/flow", modules);
  const { id } = await enqueueJob(deps, { actor: bob, workspace, ...buildFlowJobFields(flow), args: {} });
  await new Cloud(world).play(id);
  const steps = await deps.jobs.batchGet(Object.keys(paths).map((step) => computeStepJobId(id, step, "", "", 0)));
  expect(Object.fromEntries(steps.map(({ step, path }) => [step?.id, path]))).toEqual({
    theirs: "f/t/flow/theirs",
    person: "f/t/flow/person",
    text: "f/t/flow/text",
    beside: "f/t/payout",
    own: "u/bob/payout",
  });
});

it("a step has a preview of its arguments unless an input of its flow is marked as secret", async () => {
  const world = await newFlowWorld();
  const { deps, workspace } = world;
  const text = "t".repeat(600);
  const input_transforms = { x: { type: "javascript", expr: "flow_input.key" }, y: { type: "static", value: text } };
  const value = { type: "rawscript", language: "bun", content: "", input_transforms };
  const inner = { id: "b", value: { type: "flow", path: "f/t/inner", input_transforms } };
  await addFlow(world, "f/t/inner", [], { hiddenArgs: [] });
  const flow = await addFlow(world, "f/t/flow", [{ id: "a", value, continue_on_error: true }, inner]);
  const shown = async (hiddenArgs: string[] | undefined) => {
    const args = { key: "private-key" };
    const { id } = await enqueueJob(deps, { actor: anAdmin, workspace, ...buildFlowJobFields({ ...flow, hiddenArgs }), args });
    await new Cloud(world).play(id);
    const steps = await deps.jobs.batchGet(["a", "b"].map((step) => computeStepJobId(id, step, "", "", 0)));
    return steps.map((step) => getPreviews(step).args_preview);
  };
  expect(await shown(["key"])).toEqual([undefined, undefined]);
  expect(await shown(undefined)).toEqual([undefined, undefined]);
  const expected = expect.stringContaining('{"x":"private-key","y":"ttt');
  expect(await shown([])).toEqual([expected, expected]);
});
