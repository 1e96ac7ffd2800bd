import { beforeEach, describe, expect, it } from "vitest";
import type { Actor, Person } from "../../../core/people/actor.ts";
import { scriptHeadObject } from "../../../core/scripts/version.ts";
import type { World } from "../../../test/support/use-cases/world.ts";
import { gates, playExecutions, startFlow } from "../../../test/support/use-cases/world-flows.ts";
import { addScript } from "../../../test/support/use-cases/world-jobs.ts";
import { newWorldWithFolder } from "../../../test/support/use-cases/world-objects.ts";
import { aReader } from "../../../test/support/use-cases/world-people.ts";
import { addMember } from "../../workspaces/add-member.ts";
import { approverFrom } from "../decisions/approver.ts";
import { type DecisionInput, decideByLink, decideRequest } from "../decisions/decide.ts";
import { createLink } from "../links/links.ts";
import { findApprovalRequest } from "./find-approval-request.ts";

let world: World;
let bob: Person;
let eve: Person;
beforeEach(async () => {
  world = await newWorldWithFolder();
  const { deps, workspace } = world;
  const reader = aReader(workspace, []);
  bob = { ...reader, ...(reader.rights ? { rights: { ...reader.rights, groups: ["all"] } } : {}) };
  eve = { ...bob, email: "eve@example.com", username: "eve" };
  for (const { email, username } of [bob, eve]) {
    await addMember(deps, workspace, { email, username, is_admin: false, operator: false }, { inherits: true });
  }
});

const next = { id: "next", value: { type: "identity" } };
const asks = (suspend: object) => [{ id: "ask", value: { type: "identity" }, suspend: { timeout: 100, ...suspend } }, next];
const gateOf = async (run: string) => (await gates(world, run))[0];

/** Decides for the next step of a flow that requests approval, by a link of the flow. */
async function decideEarly(run: string, resumeId: number, actor: Person | undefined, input: Partial<DecisionInput> = {}): Promise<string> {
  const link = { workspace: world.workspace, id: run, resumeId, approver: "" };
  const { signature } = await createLink(world.deps, { ...link, level: "flow" });
  return decideByLink(world.deps, { ...link, signature }, actor, () => ({ approved: true, ...input }));
}

describe("approvals for a flow before its step requests them", () => {
  it.each([
    ["sign in", { user_auth_required: true }],
    ["be in a group", { user_groups_required: { type: "static", value: ["all"] } }],
    ["not be the starter", { self_approval_disabled: true }],
  ])("count once for each person if approvers must %s, whatever links they hold", async (_, rules) => {
    const run = await startFlow(world, asks({ required_events: 2, ...rules }));
    await decideEarly(run, 1, bob);
    await decideEarly(run, 2, bob);
    await playExecutions(world);
    expect(await gateOf(run)).toMatchObject({ events: [{ email: bob.email }] });
    expect((await gateOf(run))?.decision).toBeUndefined();
    await decideEarly(run, 3, eve);
    expect(await gateOf(run)).toMatchObject({ decision: { outcome: "approved" }, events: [{ email: bob.email }, { email: eve.email }] });
  });

  it("count once for each link if links are enough", async () => {
    const run = await startFlow(world, asks({ required_events: 2 }));
    await decideEarly(run, 1, undefined);
    await decideEarly(run, 2, undefined);
    await playExecutions(world);
    expect(await gateOf(run)).toMatchObject({ decision: { outcome: "approved" } });
  });

  it("do not count with values that the form of the step refuses", async () => {
    const schema = { type: "object", properties: { amount: { type: "number", maximum: 10 } }, required: ["amount"] };
    const run = await startFlow(world, asks({ required_events: 1, resume_form: { schema } }));
    await decideEarly(run, 1, undefined, { payload: { amount: 1000 } });
    await playExecutions(world);
    expect((await gateOf(run))?.decision).toBeUndefined();
    await decideEarly(run, 2, undefined, { payload: { amount: 10 } });
    expect(await gateOf(run)).toMatchObject({ decision: { outcome: "approved" }, events: [{ resumeId: 2 }] });
  });
});

it("an approval that arrives while the step runs does not count if its value is not one of the choices that the step returns", async () => {
  const { build, ...value } = await addScript(world);
  await world.deps.objects.put({ ...scriptHeadObject.key(world.workspace, value.path), value, build });
  const run = world.answers.run;
  world.answers.run = async (invocation) => {
    const request = await findApprovalRequest(world.deps, world.workspace, invocation.job);
    const link = { workspace: world.workspace, id: invocation.job, resumeId: 1, approver: "", signature: "" };
    const from = { who: approverFrom(undefined, world.workspace), accessPath: { by: "link" as const, mayStop: false }, link };
    await decideRequest(world.deps, request, from, { approved: true, payload: { account: "mallory" } });
    const done = await run(invocation);
    if (done.kind === "outcome") Object.assign(done.outcome, { result: { enums: { account: ["payroll", "travel"] } } });
    return done;
  };
  const schema = { type: "object", properties: { account: { type: "string" } } };
  const ask = {
    id: "ask",
    value: { type: "script", path: value.path },
    suspend: { required_events: 1, timeout: 100, resume_form: { schema } },
  };
  const id = await startFlow(world, [ask, next]);
  await playExecutions(world);
  expect(await gateOf(id)).toMatchObject({ events: [] });
  expect((await gateOf(id))?.decision).toBeUndefined();
});

it("a job that runs for an approver counts as that approver, also if another user starts it", async () => {
  const rules = { required_events: 2, user_groups_required: { type: "static", value: ["all"] } };
  const run = await startFlow(world, asks(rules));
  await playExecutions(world);
  const gate = await gateOf(run);
  if (!gate) throw new Error("The gate has not opened.");
  const request = async () => findApprovalRequest(world.deps, world.workspace, gate.id);
  const approve = async (actor: Actor) =>
    decideRequest(
      world.deps,
      await request(),
      { who: approverFrom(actor, world.workspace), accessPath: { by: "link", mayStop: false } },
      { approved: true },
    );
  const { tokenHash: _, tokenPrefix: __, ...identity } = bob;
  const job: Actor = {
    ...identity,
    kind: "job",
    jobId: gate.id,
    attempt: 1,
    workspace: world.workspace,
    permissionedAs: "u/bob",
    startedBy: [eve.email],
  };
  await approve(bob);
  await expect(approve(job)).rejects.toMatchObject({ code: "approval.used" });
  expect((await gateOf(run))?.decision).toBeUndefined();
});
