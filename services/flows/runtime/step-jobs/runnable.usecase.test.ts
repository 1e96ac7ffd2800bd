import { expect, it } from "vitest";
import { personKey, userObject } from "../../../../core/people/person.ts";
import { memberObject } from "../../../../core/permissions/access.ts";
import { Cloud } from "../../../../test/support/use-cases/aws/cloud.ts";
import { addFlow, newFlowWorld } from "../../../../test/support/use-cases/world-flows.ts";
import { aReader } from "../../../../test/support/use-cases/world-people.ts";
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
