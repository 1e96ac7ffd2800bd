import { beforeEach, describe, expect, it } from "vitest";
import { newFlowSchema } from "../../../contract/routes/flows/flows.ts";
import type { Person } from "../../../core/people/actor.ts";
import { scriptHeadObject } from "../../../core/scripts/version.ts";
import type { World } from "../../../test/support/use-cases/world.ts";
import { endOfFlow, gates, playExecutions, startFlow } from "../../../test/support/use-cases/world-flows.ts";
import { addScript } from "../../../test/support/use-cases/world-jobs.ts";
import { newWorldWithFolder } from "../../../test/support/use-cases/world-objects.ts";
import { anAdmin } from "../../../test/support/use-cases/world-people.ts";
import { saveFlow } from "../../flows/definitions/save.ts";
import { addToInstanceGroup, createInstanceGroup, deleteInstanceGroup } from "../../identity/instance-groups.ts";
import { addMember } from "../../workspaces/add-member.ts";
import { addToGroup, createGroup, deleteGroup } from "../../workspaces/groups.ts";
import { removeMember } from "../../workspaces/members.ts";
import { approverFrom, loadApproverByEmail } from "../decisions/approver.ts";
import { decideRequest } from "../decisions/decide.ts";
import { findApprovalRequest } from "./find-approval-request.ts";

let world: World;
beforeEach(async () => {
  world = await newWorldWithFolder();
  await addMember(
    world.deps,
    world.workspace,
    { email: "bob@example.com", username: "bob", is_admin: false, operator: false },
    { inherits: true },
  );
});

const admin = (): { actor: Person; workspace: string } => {
  const { workspace } = world;
  return { actor: { ...anAdmin, rights: { workspace, role: "admin", groups: ["all"], folders: {}, objects: {} } }, workspace };
};
async function makeGroup(name: string, member = "bob"): Promise<void> {
  await createGroup(world.deps, admin(), { name, summary: undefined });
  await addToGroup(world.deps, { actor: anAdmin, workspace: world.workspace }, name, member);
}

const next = { id: "next", value: { type: "identity" } };
const fixed = (value: unknown) => ({ type: "static", value });
const computed = (expr: string) => ({ type: "javascript", expr });
const suspends = (user_groups_required: object) => [
  { id: "ask", value: { type: "identity" }, suspend: { required_events: 1, timeout: 100, user_groups_required } },
  next,
];
const consents = (approvers: string[], more: object = {}) => [{ id: "ask", value: { type: "consentgate", approvers, ...more } }, next];

async function start(modules: object[]): Promise<string> {
  const run = await startFlow(world, modules);
  await playExecutions(world);
  return run;
}

/** The gate at which a run waits. */
async function gateOf(run: string) {
  const [gate] = await gates(world, run);
  if (!gate) throw new Error("The gate has not opened.");
  return gate;
}

/** Approves the gate of a run as a person with their current rights, by a link. */
async function approveAs(email: string, run: string): Promise<string> {
  const { id } = await gateOf(run);
  const who = await loadApproverByEmail(world.deps, email, world.workspace);
  return decideRequest(
    world.deps,
    await findApprovalRequest(world.deps, world.workspace, id),
    { who, accessPath: { by: "link", mayStop: false } },
    { approved: true },
  );
}

const save = (modules: object[]) =>
  saveFlow(world.deps, admin(), newFlowSchema.parse({ path: "f/t/asks", summary: "", value: { modules } }));

const unknownRules: [string, object[]][] = [
  ["a fixed group", suspends(fixed(["absent"]))],
  ["one of two fixed groups", suspends(fixed(["all", "absent"]))],
  ["a user in place of a group", suspends(fixed(["u/bob"]))],
  ["a fixed value of a wrong type", suspends(fixed("all"))],
  ["an empty fixed list", suspends(fixed([]))],
  ["a group of a ConsentGate", consents(["g/absent"])],
  ["a user of a ConsentGate", consents(["u/bob", "u/absent"])],
  ["a user who only has an account on the instance", consents(["u/eve"])],
  ["a group of an escalation", consents(["u/bob"], { escalate: { after: 10, approvers: ["g/absent"] } })],
  ["a user of an escalation", consents(["u/bob"], { escalate: { after: 10, approvers: ["u/absent"] } })],
];

describe("a rule with an approver who does not exist", () => {
  it.each(unknownRules)("is refused on save, and fails the step of a flow that was not saved: %s", async (_, modules) => {
    await expect(save(modules)).rejects.toMatchObject({ code: "body.shape" });
    const run = await start(modules);
    expect(await gates(world, run)).toEqual([]);
    const { state, result } = await endOfFlow(world, run);
    expect([state, (result as { error: { name: string } }).error.name]).toEqual([
      "failed",
      expect.stringMatching(/^(UnknownApprovers|ApprovalGroups)$/),
    ]);
  });

  it.each(["null", "undefined", "[]", "7", "'all'", "({})", "['absent']", "['all', 'absent']", "[null]", "flow_input.absent"])(
    "fails the step if the rule is computed as %s",
    async (expr) => {
      await save(suspends(computed(expr)));
      const run = await start(suspends(computed(expr)));
      expect(await gates(world, run)).toEqual([]);
      expect(await endOfFlow(world, run)).toMatchObject({
        state: "failed",
        result: { error: { name: expect.stringMatching(/^(UnknownApprovers|ApprovalGroups)$/), message: expect.stringContaining(".") } },
      });
    },
  );

  it("is refused when the gate opens if the group was deleted after the flow was saved", async () => {
    await makeGroup("ops");
    await save(consents(["g/ops"]));
    await deleteGroup(world.deps, world.workspace, "ops");
    expect(await endOfFlow(world, await start(consents(["g/ops"])))).toMatchObject({ state: "failed" });
  });

  it.each(["role:admin", "g/all", "u/bob", "someone@elsewhere.example"])("does not include %s", async (approver) => {
    await save(consents([approver]));
    expect((await gateOf(await start(consents([approver])))).opened?.rules.people).toEqual([approver]);
  });
});

describe("membership at the time of a decision", () => {
  it.each([
    ["a step", () => suspends(computed("['ops']"))],
    ["a ConsentGate", () => consents(["g/ops"])],
  ])("does not count in a group that was created again after %s had opened its gate", async (_, modules) => {
    await makeGroup("ops");
    const run = await start(modules());
    await deleteGroup(world.deps, world.workspace, "ops");
    await expect(approveAs("bob@example.com", run)).rejects.toMatchObject({ code: "approval.refused" });
    await makeGroup("ops");
    await expect(approveAs("bob@example.com", run)).rejects.toMatchObject({ code: "approval.refused" });
    // A gate that opens now refers to the new group.
    const later = await start(modules());
    await approveAs("bob@example.com", later);
    expect((await gateOf(later)).decision).toMatchObject({ outcome: "approved" });
  });

  it("counts for a person who joins the group after the gate has opened", async () => {
    await createGroup(world.deps, admin(), { name: "ops", summary: undefined });
    const run = await start(suspends(computed("['g/ops']")));
    await expect(approveAs("bob@example.com", run)).rejects.toMatchObject({ code: "approval.refused" });
    await addToGroup(world.deps, { actor: anAdmin, workspace: world.workspace }, "ops", "bob");
    await approveAs("bob@example.com", run);
    expect((await gateOf(run)).decision).toMatchObject({ outcome: "approved" });
  });

  it("does not count in an instance group that was created again", async () => {
    const join = async () => {
      await createInstanceGroup(world.deps, { name: "staff" });
      await addToInstanceGroup(world.deps, "staff", "bob@example.com");
    };
    await join();
    const run = await start(consents(["g/staff"]));
    await deleteInstanceGroup(world.deps, "staff");
    await join();
    await expect(approveAs("bob@example.com", run)).rejects.toMatchObject({ code: "approval.refused" });
    const later = await start(consents(["g/staff"]));
    await approveAs("bob@example.com", later);
    expect((await gateOf(later)).decision).toMatchObject({ outcome: "approved" });
  });

  it("does not count for another person under the username of an approver", async () => {
    const run = await start(consents(["u/bob"], { escalate: { after: 10, approvers: ["g/all"] } }));
    await removeMember(world.deps, world.workspace, "bob");
    await addMember(
      world.deps,
      world.workspace,
      { email: "mallory@example.com", username: "bob", is_admin: false, operator: false },
      { inherits: true },
    );
    await expect(approveAs("mallory@example.com", run)).rejects.toMatchObject({ code: "approval.refused" });
  });

  it("is checked again when the gate opens for an approval that arrived earlier", async () => {
    await makeGroup("ops");
    const early = suspends(fixed(["ops"]));
    // The step's own job runs when the link is used: the gate does not exist yet.
    const { id } = await findFutureGate(early, async () => {
      await deleteGroup(world.deps, world.workspace, "ops");
      await makeGroup("ops", "ann");
    });
    const gate = (await gates(world, id))[0];
    expect(gate?.events).toEqual([]);
    expect(gate?.decision).toBeUndefined();
  });
});

/** Approves as bob while the step's script runs, then `meanwhile`, and returns the run after the gate has opened. */
async function findFutureGate(modules: object[], meanwhile: () => Promise<void>): Promise<{ id: string }> {
  const { build, ...value } = await addScript(world);
  await world.deps.objects.put({ ...scriptHeadObject.key(world.workspace, value.path), value, build });
  const run = world.answers.run;
  world.answers.run = async (invocation) => {
    const request = await findApprovalRequest(world.deps, world.workspace, invocation.job);
    const who = await loadApproverByEmail(world.deps, "bob@example.com", world.workspace);
    await decideRequest(world.deps, request, { who, accessPath: { by: "link", mayStop: false } }, { approved: true });
    await meanwhile();
    return run(invocation);
  };
  const [ask, ...rest] = modules as [object];
  return { id: await start([{ ...ask, value: { type: "script", path: value.path } }, ...rest]) };
}

it("a caller without a token is the holder of a link", () => {
  expect(approverFrom(undefined, world.workspace)).toEqual({ kind: "link" });
});
