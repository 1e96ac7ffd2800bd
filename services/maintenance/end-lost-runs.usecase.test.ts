import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { removalObject } from "../../core/people/membership.ts";
import { expectToSurviveFaults } from "../../test/support/use-cases/failing-writes.ts";
import type { World } from "../../test/support/use-cases/world.ts";
import { addJob, newIsolation, newScriptWorld } from "../../test/support/use-cases/world-jobs.ts";
import { exportUsers, overwriteUsers } from "../identity/overwrite.ts";
import { createUser, deleteUser, updateUser } from "../identity/users.ts";
import { addMember } from "../workspaces/add-member.ts";
import { leaveWorkspace, removeMember, updateMember } from "../workspaces/members.ts";
import { endLostRuns } from "./end-lost-runs.ts";

let world: World;
beforeAll(async () => {
  ({ world } = await newScriptWorld());
});
const people = { deleteUser: async () => {} } as unknown as Parameters<typeof createUser>[0]["people"];
const users = () => ({ ...world.deps, people });

async function newMember() {
  const username = `m${randomUUID().slice(0, 8)}`;
  const email = `${username}@example.com`;
  await addMember(world.deps, world.workspace, { email, username, is_admin: true, operator: false }, { inherits: true });
  return { username, email };
}
type Member = Awaited<ReturnType<typeof newMember>>;
const aRun = ({ username, email }: Member, fields: Parameters<typeof addJob>[1] = {}) =>
  addJob(world, {
    createdBy: username,
    email,
    permissionedAs: `u/${username}`,
    superAdmin: false,
    scheduledForMs: world.clock.nowMs + 300 * 24 * 3600_000,
    ...fields,
  });

const tick = (untilMs = Number.POSITIVE_INFINITY) => endLostRuns({ ...world.deps, isolation: newIsolation(world) }, untilMs);
const stateOf = async (id: string) => (await world.deps.jobs.get(id))?.state;
const removals = () => world.deps.objects.list(removalObject.partitionKey());

const ends: [string, (member: Member) => Promise<unknown>][] = [
  ["is removed from the workspace", ({ username }) => removeMember(world.deps, world.workspace, username)],
  [
    "leaves the workspace",
    ({ username, email }) =>
      leaveWorkspace(world.deps, {
        actor: {
          kind: "person",
          email,
          username,
          superAdmin: false,
          tokenHash: "",
          tokenPrefix: "",
          rights: { workspace: world.workspace, role: "admin", groups: [], folders: {}, objects: {} },
        },
        workspace: world.workspace,
      }),
  ],
  ["is disabled in the workspace", ({ username }) => updateMember(world.deps, world.workspace, username, { disabled: true })],
  ["is disabled", ({ email }) => updateUser(world.deps, email, { disabled: true })],
  [
    "is disabled by a list of all users",
    async ({ email }) => {
      const all = await exportUsers(world.deps);
      await overwriteUsers(
        users(),
        all.map((user) => (user.email === email ? { ...user, disabled: true } : user)),
      );
    },
  ],
  ["is deleted", ({ email }) => deleteUser(users(), email)],
];

describe.each(ends)("when a user %s", (_, end) => {
  it("the user's queued runs end, including those on behalf of others and those of others on the user's behalf, and no others", async () => {
    const [member, other] = [await newMember(), await newMember()];
    const own = await aRun(member);
    const onBehalf = await aRun(other, { starter: member.email, createdBy: member.username });
    const forMember = await aRun(member, { starter: other.email, createdBy: other.username });
    const started = await aRun(other, { origin: member.email });
    const others = await aRun(other);
    await end(member);
    await tick();
    for (const { id } of [own, onBehalf, forMember, started]) {
      expect(await world.deps.jobs.get(id)).toMatchObject({ state: "failed", result: { json: expect.stringContaining("PermissionLost") } });
    }
    expect(await stateOf(others.id)).toBe("queued");
    expect(await removals()).toEqual([]);
  });
});

it("when a superadmin who is no member loses that role, the queued runs end", async () => {
  const email = `${randomUUID()}@example.com`;
  await createUser(users(), { email, super_admin: true });
  const run = await aRun({ username: "root", email }, { superAdmin: true });
  await updateUser(world.deps, email, { is_super_admin: false });
  await tick();
  expect(await stateOf(run.id)).toBe("failed");
});

describe("the request to end the runs of a user", () => {
  it("is completed by the next ticks if one ends early or dies", async () => {
    const waiting = await aRun(await newMember());
    await expectToSurviveFaults(async () => {
      const member = await newMember();
      const runs = [await aRun(member), await aRun(member)];
      return {
        act: async () => {
          await removeMember(world.deps, world.workspace, member.username);
          await tick(0);
          await tick();
        },
        recover: async () => {
          await removeMember(world.deps, world.workspace, member.username).catch(() => undefined);
          await tick();
        },
        check: async () => {
          await tick();
          expect(await Promise.all(runs.map(({ id }) => stateOf(id)))).toEqual(["failed", "failed"]);
          expect(await removals()).toEqual([]);
        },
      };
    });
    expect(await stateOf(waiting.id)).toBe("queued");
  });

  it("ends no run of a user who was added again, and no tick of a schedule", async () => {
    const [back, gone] = [await newMember(), await newMember()];
    const run = await aRun(back);
    const scheduled = await aRun(gone, { claimer: "schedule", schedulePath: "f/ops/daily" });
    await removeMember(world.deps, world.workspace, back.username);
    await removeMember(world.deps, world.workspace, gone.username);
    await addMember(world.deps, world.workspace, { ...back, is_admin: true, operator: false }, { inherits: true });
    await tick();
    expect([await stateOf(run.id), await stateOf(scheduled.id)]).toEqual(["queued", "queued"]);
  });

  it("that comes during a pass is for the next pass", async () => {
    const [first, second] = [await newMember(), await newMember()];
    const runs = [await aRun(first), await aRun(second)];
    await removeMember(world.deps, world.workspace, first.username);
    await tick(0);
    world.clock.nowMs += 1;
    await removeMember(world.deps, world.workspace, second.username);
    await tick();
    await tick();
    expect(await Promise.all(runs.map(({ id }) => stateOf(id)))).toEqual(["failed", "failed"]);
    expect(await removals()).toEqual([]);
  });
});
