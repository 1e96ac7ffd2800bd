import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { limits } from "../../../contract/limits.ts";
import { flowHeadObject } from "../../../core/flows/version.ts";
import { hasEnded } from "../../../core/jobs/record/job.ts";
import type { ObjectKey } from "../../../core/objects/write.ts";
import { usernameObject } from "../../../core/people/membership.ts";
import { personKey, userObject } from "../../../core/people/person.ts";
import { memberObject } from "../../../core/permissions/access.ts";
import { scriptHeadObject } from "../../../core/scripts/version.ts";
import type { ObjectStore } from "../../../ports/object-store.ts";
import { identity } from "../../../test/builders/flows.ts";
import { nested, sleepS, step } from "../../../test/support/use-cases/cases/flow-modules.ts";
import { failure } from "../../../test/support/use-cases/world.ts";
import { addFlow, approveGate, type FlowWorld, gates, newFlowWorld, playExecutions } from "../../../test/support/use-cases/world-flows.ts";
import { addScript, passLease, resumeDue, work } from "../../../test/support/use-cases/world-jobs.ts";
import { runTask } from "../../flows/runtime/run-task.ts";
import { loadRunAsActor } from "../../identity/run-as.ts";
import { updateUser } from "../../identity/users.ts";
import { claimWithSlot } from "../../jobs/concurrency/concurrency.ts";
import { claimJob } from "../../jobs/lifecycle/claim.ts";
import { buildFlowJobFields, buildScriptJobFields, enqueueJob } from "../../jobs/queue/enqueue.ts";
import { runJobNow } from "../../jobs/queue/run-job-now.ts";
import { loadValue } from "../../jobs/values/values.ts";
import { changeAccess } from "../../workspaces/access.ts";
import { removeMember, updateMember } from "../../workspaces/members.ts";
import { endJobAndNotify } from "../endings/end-and-notify.ts";

let world: FlowWorld;
beforeAll(async () => {
  world = await newFlowWorld();
  await fillPool(2 * Object.keys(waits).length * (1 + Object.keys(losses).length));
});

/** Two members who may run scripts in the folder `ops`, and a run that one of them has started on behalf of the other. */
interface Scene {
  starter: string;
  runAs: string;
  id: string;
  head: ObjectKey;
}

const emailOf = (username: string) => `${username}@example.com`;
const newName = () => `m${randomUUID().slice(0, 8)}`;

/** Members who may read the folder `ops`, stored together because each case needs two. */
const pool: string[] = [];
async function fillPool(size: number): Promise<void> {
  const { deps, workspace, clock } = world;
  const { objects } = deps;
  pool.push(...Array.from({ length: size }, newName));
  const createdAtMs = clock.nowMs;
  const stored = pool.flatMap((username) => {
    const email = emailOf(username);
    return [
      { ...userObject.key(personKey(email)), value: { email, username, superAdmin: false, createdAtMs } },
      { ...memberObject.key(workspace, personKey(email)), value: { email, username, role: "developer", createdAtMs } },
      { ...usernameObject.key(workspace, username), value: { email } },
    ];
  });
  await deps.jobs.putWith(
    [],
    stored.map((object) => objects.putRequest(object)),
  );
  const perms = Object.fromEntries(pool.map((username) => [`u/${username}`, false]));
  await changeAccess(objects, workspace, ({ folders }) => Object.assign(folders, { ops: { owners: [], perms } }), { by: "bounded" });
}

function newMember(): string {
  const username = pool.pop();
  if (username === undefined) throw new Error("There are too few members.");
  return username;
}

const withdraw = (username: string) =>
  changeAccess(
    world.deps.objects,
    world.workspace,
    ({ folders }) => {
      const perms = folders["ops"]?.perms ?? {};
      delete perms[`u/${username}`];
    },
    { by: "bounded" },
  );

async function changeHead(head: ObjectKey, change: object): Promise<void> {
  const stored = (await world.deps.objects.get(head)) as NonNullable<Awaited<ReturnType<ObjectStore["get"]>>>;
  await world.deps.objects.put({ ...stored, value: { ...(stored.value as object), ...change } });
}

/** The rights that a run loses while it waits, with the names in its error. */
const losses: Record<string, [(scene: Scene) => Promise<unknown>, (scene: Scene) => string]> = {
  "its starter is removed": [
    ({ starter }) => removeMember(world.deps, world.workspace, starter),
    ({ starter }) => `u/${starter} is disabled`,
  ],
  "its starter is disabled": [
    ({ starter }) => updateUser(world.deps, emailOf(starter), { disabled: true }),
    ({ starter }) => `u/${starter} is disabled`,
  ],
  "its starter is disabled in the workspace": [
    ({ starter }) => updateMember(world.deps, world.workspace, starter, { disabled: true }),
    ({ starter }) => `u/${starter} is disabled`,
  ],
  "its starter may no longer run it": [({ starter }) => withdraw(starter), ({ starter }) => `u/${starter} may no longer run f/ops/`],
  "the user for whom it acts is removed": [
    ({ runAs }) => removeMember(world.deps, world.workspace, runAs),
    ({ runAs }) => `u/${runAs} is disabled`,
  ],
  "the user for whom it acts is disabled": [
    ({ runAs }) => updateUser(world.deps, emailOf(runAs), { disabled: true }),
    ({ runAs }) => `u/${runAs} is disabled`,
  ],
  "a new version delegates to no user": [({ head }) => changeHead(head, { onBehalfOf: undefined }), () => "no longer runs on behalf of"],
  "a new version delegates to another user": [
    ({ head }) => changeHead(head, { onBehalfOf: { email: "ann@example.com", permissionedAs: "u/ann" } }),
    () => "no longer runs on behalf of",
  ],
  "its path is archived": [({ head }) => changeHead(head, { archived: true }), () => "no longer runs on behalf of"],
  "its path is deleted": [({ head }) => world.deps.objects.deleteItem(head), () => "no longer runs on behalf of"],
};

/** Longer than the time for which a read of rights is valid. */
const LATER_MS = limits.rightsFreshMs + 1000;
const later = (ms = LATER_MS) => {
  world.clock.nowMs += ms;
};

const actorOf = async (username: string) => {
  const actor = await loadRunAsActor(world.deps.objects, world.workspace, {
    email: emailOf(username),
    permissionedAs: "",
    superAdmin: false,
  });
  if (!actor) throw new Error(`${username} has no rights.`);
  return actor;
};
const delegationTo = (username: string) => ({ email: emailOf(username), permissionedAs: `u/${username}` });

async function startScript(more: Parameters<typeof addScript>[1] = {}, fields: { scheduledForMs?: number } = {}) {
  const [starter, runAs] = [newMember(), newMember()];
  const { build, ...value } = await addScript(world, { path: `f/ops/${newName()}`, onBehalfOf: delegationTo(runAs), ...more });
  const head = scriptHeadObject.key(world.workspace, value.path);
  await world.deps.objects.put({ ...head, value, build });
  const request = { actor: await actorOf(starter), workspace: world.workspace, ...buildScriptJobFields({ ...value, build }), args: {} };
  const { id } = await enqueueJob(world.deps, { ...request, ...fields });
  return { starter, runAs, id, head, request };
}

async function queueFlow(modules: object[]): Promise<Scene> {
  const [starter, runAs] = [newMember(), newMember()];
  const flow = await addFlow(world, `f/ops/${newName()}`, modules, { onBehalfOf: delegationTo(runAs) });
  const head = flowHeadObject.key(world.workspace, flow.path);
  const request = { actor: await actorOf(starter), workspace: world.workspace, ...buildFlowJobFields(flow), args: {} };
  const { id } = await enqueueJob(world.deps, request);
  return { starter, runAs, id, head };
}
async function startFlow(modules: object[]): Promise<Scene> {
  const scene = await queueFlow(modules);
  await work(world);
  return scene;
}

const settle = async () => {
  for (let round = 0; round < 3; round += 1) {
    await work(world);
    await playExecutions(world);
  }
};
const stateOf = (job: string) => ({ version: 1, workspace: world.workspace, job, execution: 0, events: 0, path: "", outcome: "" }) as const;
/** Runs one module of a flow, as its state machine does. */
const enter = (job: string, module: string) => runTask(world.deps, { module, scope: "", state: stateOf(job) }).catch(() => undefined);

/** Starts a run until it waits, and returns the function that continues it. */
const waits: Record<string, () => Promise<{ scene: Scene; goOn: () => Promise<unknown> }>> = {
  "in the queue": async () => ({ scene: await startScript(), goOn: () => work(world) }),
  "for a time that is far away": async () => {
    const dayMs = 24 * 3600_000;
    const scene = await startScript({}, { scheduledForMs: world.clock.nowMs + 300 * dayMs });
    return {
      scene,
      goOn: async () => {
        later(300 * dayMs);
        await resumeDue(world);
        await work(world);
      },
    };
  },
  "for a call that starts it early": async () => {
    const scene = await startScript({}, { scheduledForMs: world.clock.nowMs + limits.maxDelayS * 1000 });
    return {
      scene,
      goOn: async () => {
        const job = await world.deps.jobs.get(scene.id);
        if (job) await runJobNow(world.deps, job);
        await work(world);
      },
    };
  },
  "for a slot": async () => {
    const scene = await startScript({ concurrency: { limit: 1 } });
    const group = (await world.deps.jobs.get(scene.id))?.concurrency?.group ?? "";
    // Another run of the script takes the only slot.
    const { id } = await enqueueJob(world.deps, scene.request);
    const other = await claimWithSlot(world.deps, id, group);
    if (!other) throw new Error("The other run has no slot.");
    await work(world);
    return {
      scene,
      goOn: async () => {
        await endJobAndNotify(world.deps, other, { state: "succeeded", resultJson: "1" });
        await work(world);
      },
    };
  },
  "because its worker was lost": async () => {
    const scene = await startScript();
    await claimJob(world.deps, scene.id);
    return { scene, goOn: () => passLease(world) };
  },
  "as a flow in the queue": async () => ({ scene: await queueFlow([step("a")]), goOn: settle }),
  "for the first step of its flow": async () => ({ scene: await startFlow([step("a")]), goOn: settle }),
  "in a sleep of its flow": async () => {
    const scene = await startFlow([identity("a", sleepS(3600)), step("b")]);
    await enter(scene.id, "a");
    return {
      scene,
      goOn: async () => {
        later(3600_000);
        await enter(scene.id, "b");
        await settle();
      },
    };
  },
  "for the retry of a step": async () => {
    const scene = await startFlow([step("a", { retry: { constant: { attempts: 1, seconds: 5 } } })]);
    const { run } = world.answers;
    world.answers.run = async () => failure("once");
    await enter(scene.id, "a");
    world.answers.run = run;
    return { scene, goOn: settle };
  },
  "for an approval": async () => {
    const scene = await startFlow([identity("ask", { suspend: { required_events: 1, timeout: 10_000_000 } }), step("b")]);
    await playExecutions(world);
    const [gate] = await gates(world, scene.id);
    if (!gate) throw new Error("No gate has opened.");
    return {
      scene,
      goOn: async () => {
        later(7 * 24 * 3600_000);
        await approveGate(world, gate);
        await settle();
      },
    };
  },
  "for the next step of a nested flow": async () => {
    const inner = await addFlow(world, `f/ops/${newName()}`, [step("a")]);
    const scene = await startFlow([nested("sub", inner.path)]);
    await playExecutions(world);
    return { scene, goOn: settle };
  },
};

/** The names and messages of the errors of a run, and the number of scripts that it ran after it had waited. */
async function outcomeOf({ id }: Scene, ranBefore: number) {
  const job = await world.deps.jobs.get(id);
  if (!job || !hasEnded(job)) throw new Error(`The run is ${job?.state}.`);
  const { error } = (JSON.parse(await loadValue(world.deps, job, job.result)) ?? {}) as { error?: { name: string; message: string } };
  return { state: job.state, error, ran: world.runs.length - ranBefore };
}

describe.each(Object.entries(waits))("a run that waits %s", (_, wait) => {
  it("runs if nothing is lost", async () => {
    const { scene, goOn } = await wait();
    const ranBefore = world.runs.length;
    later();
    await goOn();
    expect(await outcomeOf(scene, ranBefore)).toMatchObject({ state: "succeeded", ran: 1 });
  });

  it.each(Object.entries(losses))("does not run if %s", async (_loss, [lose, named]) => {
    const { scene, goOn } = await wait();
    const ranBefore = world.runs.length;
    await lose(scene);
    later();
    await goOn();
    const { state, error, ran } = await outcomeOf(scene, ranBefore);
    expect({ state, ran, name: error?.name }).toEqual({ state: "failed", ran: 0, name: "PermissionLost" });
    expect(error?.message).toContain(named(scene));
  });
});
