import { createPublicKey, randomUUID } from "node:crypto";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { limits } from "../../../contract/limits.ts";
import { hasEnded, type Job } from "../../../core/jobs/record/job.ts";
import { personKey, userObject } from "../../../core/people/person.ts";
import { memberObject } from "../../../core/permissions/access.ts";
import type { Runnable } from "../../../core/scripts/version.ts";
import { scriptHeadObject } from "../../../core/scripts/version.ts";
import { step } from "../../../test/support/use-cases/cases/flow-modules.ts";
import { addFlow, type FlowWorld, newFlowWorld, playExecutions } from "../../../test/support/use-cases/world-flows.ts";
import { addJob, addScript, listJobs, work } from "../../../test/support/use-cases/world-jobs.ts";
import { anAdmin } from "../../../test/support/use-cases/world-people.ts";
import { authenticate } from "../../identity/authenticate.ts";
import { loadRunAsActor } from "../../identity/run-as.ts";
import { createJobToken } from "../../identity/tokens/job-token.ts";
import { updateUser } from "../../identity/users.ts";
import { claimJob } from "../../jobs/lifecycle/claim.ts";
import { buildFlowJobFields, buildScriptJobFields, enqueueJob, type NewJob } from "../../jobs/queue/enqueue.ts";
import { loadValue } from "../../jobs/values/values.ts";
import { addMember } from "../../workspaces/add-member.ts";
import { removeMember } from "../../workspaces/members.ts";
import { runAndWait } from "../requests/run-and-wait.ts";
import { requestVersion } from "../requests/run-request.ts";
import { findLostRight } from "./lost-rights.ts";

let world: FlowWorld;
beforeAll(async () => {
  world = await newFlowWorld();
});

const newName = () => `m${randomUUID().slice(0, 8)}`;
/** The admin for whom scripts act. */
let admin: string;
beforeEach(async () => {
  admin = newName();
  const email = `${admin}@example.com`;
  await addMember(world.deps, world.workspace, { email, username: admin, is_admin: true, operator: false }, { inherits: true });
});
const delegation = () => ({ onBehalfOf: { email: `${admin}@example.com`, permissionedAs: `u/${admin}` } });

/** Saves a version as the newest one at its path. */
async function deploy(path: string, fields: Partial<Runnable> = {}): Promise<Runnable> {
  const { build, ...value } = await addScript(world, { path, ...fields });
  await world.deps.objects.put({ ...scriptHeadObject.key(world.workspace, path), value, build });
  return { ...value, build };
}

const request = (version: Runnable, more: Partial<NewJob> = {}): NewJob => ({
  actor: anAdmin,
  workspace: world.workspace,
  ...buildScriptJobFields(version),
  args: {},
  ...more,
});

async function endOf(id: string): Promise<string> {
  const job = await world.deps.jobs.get(id);
  if (!job || !hasEnded(job)) return job?.state ?? "gone";
  const { error } = (JSON.parse(await loadValue(world.deps, job, job.result)) ?? {}) as { error?: { name: string } };
  return error?.name ?? job.state;
}

async function run(version: Runnable, more: Partial<NewJob> = {}): Promise<string> {
  const { id } = await enqueueJob(world.deps, request(version, more));
  await work(world);
  return endOf(id);
}

/** Runs a version by its hash in a synchronous call, and returns the name of the error or the state. */
async function runSync(version: Runnable): Promise<string> {
  const called = requestVersion(
    { target: { kind: "script", version }, arguments: { args: {}, files: [], wrapped: false } },
    { actor: anAdmin, workspace: world.workspace },
  );
  const { id } = await runAndWait({ ...world.deps, syncLimitMs: async () => 5000 }, called);
  return endOf(id);
}

describe("a version that acts for another user", () => {
  it.each([
    ["a call", run],
    ["a synchronous call", runSync],
  ])("runs by %s as long as the newest version names the same user", async (_, start) => {
    const path = `f/ops/${newName()}`;
    const old = await deploy(path, delegation());
    await deploy(path, delegation());
    expect(await start(old)).toBe("succeeded");
    await deploy(path);
    world.clock.nowMs += limits.rightsFreshMs;
    const ranBefore = world.runs.length;
    expect(await start(old)).toBe("PermissionLost");
    expect(world.runs.length).toBe(ranBefore);
  });

  it.each([
    ["a call", run],
    ["a synchronous call", runSync],
  ])("does not run by %s at once after that user was removed", async (_, start) => {
    const version = await deploy(`f/ops/${newName()}`, delegation());
    await removeMember(world.deps, world.workspace, admin);
    expect(await start(version)).toBe("PermissionLost");
  });

  it("passes the delegation to the steps of a flow and to what a run starts with its token", async () => {
    const path = `f/ops/${newName()}`;
    const flow = await addFlow(world, path, [step("a")], delegation());
    const { id } = await enqueueJob(world.deps, { actor: anAdmin, workspace: world.workspace, ...buildFlowJobFields(flow), args: {} });
    await work(world);
    await playExecutions(world);
    const ofStep = (await listJobs(world, "f/ops/hello")).find(({ parent }) => parent === id);
    expect(ofStep).toMatchObject({ state: "succeeded", delegatedBy: { kind: "flow", path } });

    const version = await deploy(`f/ops/${newName()}`, delegation());
    const first = await enqueueJob(world.deps, request(version));
    const running = await claimJob(world.deps, first.id);
    const key = await world.deps.signingKey();
    const token = await createJobToken(key, running as Job, world.clock.nowMs);
    const publicKey = async () => createPublicKey(key.privateKey);
    const { actor } = await authenticate({ ...world.deps, publicKey }, token, { workspace: world.workspace });
    const { id: started } = await enqueueJob(world.deps, request(await deploy(`f/ops/${newName()}`), { actor }));
    expect(await world.deps.jobs.get(started)).toMatchObject({
      origin: anAdmin.email,
      delegatedBy: { kind: "script", path: version.path },
    });
    await deploy(version.path);
    await work(world);
    expect(await endOf(started)).toBe("PermissionLost");
  });
});

describe("a run whose runner is lost", () => {
  it("gets no other attempt after its starter was removed", async () => {
    const email = `${admin}@example.com`;
    const actor = await loadRunAsActor(world.deps.objects, world.workspace, { email, permissionedAs: "", superAdmin: false });
    if (!actor) throw new Error("The admin has no rights.");
    const ranBefore = world.runs.length;
    const { run: runs } = world.answers;
    world.answers.run = async () => {
      await removeMember(world.deps, world.workspace, admin);
      world.clock.nowMs += limits.rightsFreshMs;
      return { kind: "lost", reason: "killed" };
    };
    const ended = await run(await deploy(`f/ops/${newName()}`), { actor });
    world.answers.run = runs;
    expect([ended, world.runs.length - ranBefore]).toEqual(["PermissionLost", 1]);
  });
});

describe("the rights of a run", () => {
  const reads = () => {
    let count = 0;
    const { batchGet } = world.deps.objects;
    const objects = {
      ...world.deps.objects,
      batchGet: (...args: Parameters<typeof batchGet>) => {
        count += 1;
        return batchGet(...args);
      },
    };
    return { deps: { objects, nowMs: world.deps.nowMs }, count: () => count };
  };

  it("are not read if the run was just accepted, and are read once in ten seconds for equal runs of one process", async () => {
    const { deps, count } = reads();
    const path = `f/ops/${newName()}`;
    await deploy(path);
    expect(await findLostRight(deps, await addJob(world, { path }))).toBeUndefined();
    expect(count()).toBe(0);
    const waited = [await addJob(world, { path }), await addJob(world, { path })];
    world.clock.nowMs += limits.rightsFreshMs;
    for (const job of waited) expect(await findLostRight(deps, job)).toBeUndefined();
    expect(count()).toBe(1);
    world.clock.nowMs += limits.rightsFreshMs;
    for (const job of waited) expect(await findLostRight(deps, job)).toBeUndefined();
    expect(count()).toBe(2);
  });

  it("are read in one call for a run on behalf of another user", async () => {
    const { deps, count } = reads();
    const version = await deploy(`f/ops/${newName()}`, delegation());
    const { id } = await enqueueJob(world.deps, request(version));
    const job = (await world.deps.jobs.get(id)) as Job;
    expect(await findLostRight(deps, job)).toBeUndefined();
    expect(count()).toBe(1);
  });

  it("are lost with the role of a superadmin who is no member, and with the role of a developer for code that is not stored", async () => {
    const email = `${newName()}@example.com`;
    const [user, createdAtMs] = [userObject.key(personKey(email)), world.clock.nowMs];
    await world.deps.objects.put({ ...user, value: { email, username: "x", superAdmin: true, createdAtMs } });
    const ofSuperadmin = await addJob(world, { email, createdBy: "x", permissionedAs: "u/x" });
    const preview = await addJob(world, {
      kind: "preview",
      email: `${admin}@example.com`,
      superAdmin: false,
      permissionedAs: `u/${admin}`,
      code: { in: "head", json: "{}" },
    });
    await updateUser(world.deps, email, { is_super_admin: false });
    const member = memberObject.key(world.workspace, personKey(`${admin}@example.com`));
    const stored = await world.deps.objects.get(member);
    await world.deps.objects.put({ ...member, ...stored, value: { ...(stored?.value as object), role: "operator" } });
    world.clock.nowMs += limits.rightsFreshMs;
    for (const job of [ofSuperadmin, preview])
      expect(await findLostRight(world.deps, job)).toMatchObject({ resultJson: expect.stringContaining("PermissionLost") });
  });

  it("are not needed for the handlers that an admin has set, and needed for what they start", async () => {
    const asGroup = {
      createdBy: "error_handler",
      email: "error_handler@svc.invalid",
      permissionedAs: "g/error_handler",
      superAdmin: false,
    };
    const handler = await addJob(world, { ...asGroup, isHandler: true });
    const started = await addJob(world, { ...asGroup, isHandler: true, createdBy: "g/error_handler", tree: handler.id });
    world.clock.nowMs += limits.rightsFreshMs;
    expect(await findLostRight(world.deps, handler)).toBeUndefined();
    expect(await findLostRight(world.deps, started)).toMatchObject({
      resultJson: expect.stringContaining("may no longer run f/ops/hello"),
    });
  });

  it("are not needed to build what was saved", async () => {
    const build = await addJob(world, { kind: "dependencies", email: "gone@example.com", superAdmin: false });
    world.clock.nowMs += limits.rightsFreshMs;
    expect(await findLostRight(world.deps, build)).toBeUndefined();
  });
});
