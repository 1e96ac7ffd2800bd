import { randomUUID } from "node:crypto";
import { PutCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { beforeEach, describe, expect, it } from "vitest";
import { classifyAwsError } from "../../aws/sdk/aws-errors.ts";
import { documents } from "../../aws/sdk/clients.ts";
import { env, requireEnv } from "../../contract/env.ts";
import { SvcError } from "../../contract/errors.ts";
import { dueRefreshObject } from "../../core/accounts/account.ts";
import { anchorObject } from "../../core/approvals/anchor.ts";
import { grownChainObject } from "../../core/approvals/record.ts";
import { dueAttemptObject } from "../../core/deliveries/due-attempt.ts";
import { computeShard } from "../../core/jobs/record/job.ts";
import { removalObject } from "../../core/people/membership.ts";
import { personKey, userObject } from "../../core/people/person.ts";
import { tokenExpiryObject } from "../../core/people/token-expiry.ts";
import { dueRotationObject } from "../../core/secrets/key-ring.ts";
import { connectionObject } from "../../core/triggers/sources.ts";
import { heldJobObject, polledQueueObject, releaseObject } from "../../core/triggers/trigger.ts";
import { deletedWorkspaceObject } from "../../core/workspaces/deleted.ts";
import { workspaceObject } from "../../core/workspaces/workspace.ts";
import { newWorld, type World } from "../../test/support/use-cases/world.ts";
import { addFlowJob, addJob, addWorkspace, LEASE_OVER_MS } from "../../test/support/use-cases/world-jobs.ts";
import { anAdmin } from "../../test/support/use-cases/world-people.ts";
import { findEndedIndexStart } from "../jobs/read/lists/ended-index.ts";
import { deleteWorkspace } from "../workspaces/archive.ts";
import { createWorkspace } from "../workspaces/workspaces.ts";
import { ItemIsolation, listFailedItems, setAsideMs } from "./item-isolation.ts";
import { type PeriodicTaskDeps, periodicTasks } from "./periodic-tasks.ts";
import { runPeriodicTasks } from "./run-periodic-tasks.ts";

let world: World;
let deps: PeriodicTaskDeps;
let failures: string[];
beforeEach(async () => {
  world = await newWorld();
  await addWorkspace(world);
  failures = [];
  deps = { ...world.deps, isolation: undefined as never };
});

/** One run of housekeeping. Returns the names of the tasks that failed as a whole. */
async function tick(): Promise<string[]> {
  const { objects, nowMs } = world.deps;
  const isolation = new ItemIsolation({
    objects,
    nowMs,
    classifyAwsError,
    onItemFailed: ({ task, item }) => failures.push(`${task} ${item}`),
  });
  const { failed } = await runPeriodicTasks(periodicTasks({ ...deps, isolation }), {
    untilMs: Number.POSITIVE_INFINITY,
    onTaskFailed: (_, error) => expect.fail(String((error as Error).stack)),
  });
  return failed;
}

const jobsItem = (Item: Record<string, unknown>) => documents().send(new PutCommand({ TableName: requireEnv(env.jobsTable), Item }));
/** Damages the head of a job, like another release or a fault could. */
const damage = (id: string) =>
  documents().send(
    new UpdateCommand({
      TableName: requireEnv(env.jobsTable),
      Key: { pk: id, sk: "job" },
      UpdateExpression: "SET #k = :k",
      ExpressionAttributeNames: { "#k": "kind" },
      ExpressionAttributeValues: { ":k": "nonsense" },
    }),
  );
const SIGNED_DAY = "2026-01-01";
const HOUR_MS = 3_600_000;

interface Poison {
  /** The recorded name of the item that always fails. */
  item: string;
  /** The work on the other items is done. */
  check: () => Promise<void>;
}

/** For each task: an item that always fails, among others. */
const poisons: Record<string, Record<string, () => Promise<Poison>>> = {
  recordEndedIndex: {
    "a workspace whose record cannot be read": async () => {
      await world.deps.objects.put({ ...workspaceObject.key("w-bad"), value: { broken: true } });
      return {
        item: "listWorkspaces w-bad",
        check: async () => expect(await findEndedIndexStart(world.deps)).toBeDefined(),
      };
    },
  },
  resumeDueJobs: {
    "a job whose record cannot be read": async () => {
      const { id } = await addJob(world);
      await damage(id);
      return { item: `resumeDueJobs ${id}`, check: expectOtherJobSent(await addJob(world)) };
    },
    "a concurrency group whose record cannot be read": async () => {
      const pk = "limit#broken";
      await jobsItem({ pk, sk: "group", ws: world.workspace, m: "1", sl: 7, w: true, dp: `due#${computeShard(pk)}`, ds: 1, ttl: 9e9 });
      return { item: `resumeDueJobs ${pk}`, check: expectOtherJobSent(await addJob(world)) };
    },
    "a flow for which Step Functions always fails": async () => {
      const [bad, good] = [await addFlowJob(world, "bad"), await addFlowJob(world, "good")];
      const checked: string[] = [];
      const getExecutionStatus: typeof world.deps.executions.getExecutionStatus = async ({ machine, job }) => {
        if (machine === "bad") throw new Error("AccessDeniedException");
        checked.push(job);
        return { is: "running", reason: "" };
      };
      deps = { ...deps, executions: { ...world.deps.executions, getExecutionStatus } };
      return { item: `resumeDueJobs ${bad.id}`, check: async () => expect(checked).toContain(good.id) };
    },
    "a job in a workspace whose record cannot be read, which is not canceled": async () => {
      await world.deps.objects.put({ ...workspaceObject.key(world.workspace), value: { broken: true } });
      return { item: `listWorkspaces ${world.workspace}`, check: expectOtherJobSent(await addJob(world)) };
    },
    "a message that the queue always refuses": async () => {
      const [bad, good] = [await addJob(world), await addJob(world)];
      const refusal = Object.assign(new Error("not allowed"), { name: "InvalidMessageContents" });
      const { queue } = world.deps;
      deps = {
        ...deps,
        queue: {
          sendMessage: async (job, delayS) => {
            if (job.id === bad.id) throw refusal;
            await queue.sendMessage(job, delayS);
          },
          postponeMessage: deps.queue.postponeMessage,
          sendFollowUp: deps.queue.sendFollowUp,
          sendMessages: async (messages) => [
            ...(await queue.sendMessages(messages.filter(({ job }) => job.id !== bad.id))),
            ...messages.flatMap(({ job }) => (job.id === bad.id ? [{ id: bad.id, error: refusal }] : [])),
          ],
        },
      };
      return { item: `resumeDueJobs ${bad.id}`, check: expectOtherJobSent(good) };
    },
  },
  endLostRuns: {
    "a run of a user whose rights cannot be read": async () => {
      const { objects } = world.deps;
      const addRunOfRemoved = async (name: string) => {
        await objects.put({ ...removalObject.key(world.workspace, personKey(name)), version: name });
        return addJob(world, { email: name, scheduledForMs: world.clock.nowMs + 10 * 24 * HOUR_MS });
      };
      const [bad, good] = [await addRunOfRemoved("bad"), await addRunOfRemoved("good")];
      await objects.put({ ...userObject.key(personKey("bad")), value: { broken: true } });
      return { item: `endLostRuns ${bad.id}`, check: async () => expect((await world.deps.jobs.get(good.id))?.state).toBe("failed") };
    },
  },
  sendDueAttempts: {
    "an attempt of a delivery whose message the queue always refuses": async () => {
      const [bad = expect.fail(), good = expect.fail()] = await addRetries(["bad", "good"]);
      const { deliveryQueue } = world.deps;
      const sendDeliveries: typeof deliveryQueue.sendDeliveries = async (all) => {
        const isBad = ({ message }: (typeof all)[number]) => "notice" in message && message.notice === "bad";
        await deliveryQueue.sendDeliveries(all.filter((queued) => !isBad(queued)));
        return all.filter(isBad).map((queued) => ({ queued, error: new Error("The message is refused.") })) as never;
      };
      deps = { ...deps, deliveryQueue: { sendDeliveries } };
      return { item: `sendDueAttempts ${bad.sk}`, check: async () => expect(await world.deps.objects.get(good)).toBeUndefined() };
    },
    "an attempt of a delivery that cannot be read": async () => {
      const [bad = expect.fail(), good = expect.fail()] = await addRetries(["bad", "good"]);
      await world.deps.objects.put({ ...bad, value: { broken: true } });
      return { item: `sendDueAttempts ${bad.sk}`, check: async () => expect(await world.deps.objects.get(good)).toBeUndefined() };
    },
  },
  purgeDeleted: {
    "a record of a deleted workspace that cannot be read": async () => {
      await world.deps.objects.put({ ...deletedWorkspaceObject.key("a-bad"), value: { broken: true } });
      return { item: "purgeDeleted a-bad", check: await expectOtherPurged() };
    },
    "a deleted workspace whose objects cannot be deleted": async () => {
      await createWorkspace(world.deps, anAdmin, { id: "a-bad", name: "a-bad" });
      await deleteWorkspace(world.deps, "a-bad", "ann");
      const deletePrefix: typeof world.deps.storage.deletePrefix = async (prefix, ...more) => {
        if (prefix.includes("a-bad")) throw new Error("AccessDenied");
        return world.deps.storage.deletePrefix(prefix, ...more);
      };
      deps = { ...deps, storage: { ...world.deps.storage, deletePrefix } };
      return { item: "purgeDeleted a-bad", check: await expectOtherPurged() };
    },
  },
  removeIdleMachines: {
    "a state machine that cannot be described": async () => {
      world.clock.nowMs = Math.ceil(world.clock.nowMs / HOUR_MS) * HOUR_MS;
      const deleted: string[] = [];
      const deleteIdleStateMachines: typeof world.deps.stateMachines.deleteIdleStateMachines = async (...[, , , , each]) => {
        await each("bad", () => Promise.reject(new Error("AccessDeniedException")));
        await each("good", async () => Boolean(deleted.push("good")));
        return deleted.length;
      };
      deps = { ...deps, stateMachines: { ...world.deps.stateMachines, deleteIdleStateMachines } };
      return { item: "removeIdleMachines bad", check: async () => expect(deleted).toContain("good") };
    },
  },
  expireTokens: {
    "an entry of a token that cannot be read": async () => {
      const shard = tokenExpiryObject.key(0, world.clock.nowMs, "0-bad");
      await world.deps.objects.put({ ...shard, value: { broken: true } });
      const other = { ...shard, sk: shard.sk.replace("0-bad", "1-good") };
      const value = { hash: "1-good", prefix: "1", email: "ann@example.com", expiresAtMs: world.clock.nowMs, announced: false };
      await world.deps.objects.put({ ...other, value, version: "new" });
      return { item: `expireTokens ${shard.sk}`, check: async () => expect(await world.deps.objects.get(other)).toBeUndefined() };
    },
  },
  signHeads: {
    "a workspace whose newest anchor cannot be read": async () => {
      for (const id of ["a-bad", "b-good"]) {
        await createWorkspace(world.deps, anAdmin, { id: `${id}-${world.workspace}`, name: id });
        await world.deps.objects.put(grownChainObject.key(`${id}-${world.workspace}`, SIGNED_DAY, "0-root"));
      }
      await world.deps.objects.put({ ...anchorObject.key(`a-bad-${world.workspace}`, 1), value: { broken: true } });
      return {
        item: `signHeads a-bad-${world.workspace}`,
        check: async () => expect(await world.deps.objects.get(anchorObject.key(`b-good-${world.workspace}`, 1))).toBeDefined(),
      };
    },
  },
  connectSources: {
    "a source that cannot be read": async () => {
      const bad = connectionObject.key("a-bad", "topic");
      const good = { of: world.workspace, source: { type: "topic" as const, arn: "arn:aws:sns:us-east-1:000000000000:good" } };
      await world.deps.objects.put({ ...bad, value: { broken: true } });
      await world.deps.objects.put({ ...connectionObject.key(world.workspace, "topic"), value: good });
      const started: unknown[] = [];
      const startConnecting: typeof world.deps.functions.startConnecting = async ({ connections }) => void started.push(...connections);
      deps = { ...deps, functions: { ...deps.functions, startConnecting } };
      const expected = [{ workspace: world.workspace, source: good.source }];
      return { item: `connectSources ${bad.sk}`, check: async () => expect(started).toEqual(expected) };
    },
  },
  refreshAccounts: {
    "an entry of an account that cannot be read": async () => {
      const bad = dueRefreshObject.key(1, "a-bad", 1);
      await world.deps.objects.put({ ...bad, value: { broken: true } });
      await world.deps.objects.put({ ...dueRefreshObject.key(2, world.workspace, 2), value: { of: world.workspace, account: 2 } });
      const started: unknown[] = [];
      const startRefreshing: typeof world.deps.functions.startRefreshing = async ({ refresh }) => void started.push(...refresh);
      deps = { ...deps, functions: { ...deps.functions, startRefreshing } };
      const expected = [{ workspace: world.workspace, account: 2 }];
      return { item: `refreshAccounts ${bad.sk}`, check: async () => expect(started).toEqual(expected) };
    },
  },
  continueRotations: {
    "an entry of a rotation that cannot be read": async () => {
      const bad = dueRotationObject.key(1, "a-bad");
      await world.deps.objects.put({ ...bad, value: { broken: true } });
      await world.deps.objects.put({ ...dueRotationObject.key(2, world.workspace), value: { of: world.workspace, dueMs: 2 } });
      const started: unknown[] = [];
      const startRotating: typeof world.deps.functions.startRotating = async (call) => void started.push(call);
      deps = { ...deps, functions: { ...deps.functions, startRotating } };
      const expected = [{ rotate: world.workspace, dueMs: 2 }];
      return { item: `continueRotations ${bad.sk}`, check: async () => expect(started).toEqual(expected) };
    },
  },
  pollQueues: {
    "a queue that cannot be read": async () => {
      const bad = polledQueueObject.key("a-bad", "t");
      const good = { workspace: world.workspace, path: "f/t/queue", id: randomUUID() };
      await world.deps.objects.put({ ...bad, value: { broken: true } });
      await world.deps.objects.put({ ...polledQueueObject.key(world.workspace, good.id), value: { ...good, kind: "sqs" } });
      const started: unknown[] = [];
      const startPolling: typeof world.deps.functions.startPolling = async ({ poll }) => void started.push(...poll);
      deps = { ...deps, functions: { ...deps.functions, startPolling } };
      return { item: `pollQueues ${bad.sk}`, check: async () => expect(started).toEqual([good]) };
    },
  },
  releaseHeldJobs: {
    "a waiting job that cannot be read": async () => {
      const id = randomUUID();
      const bad = heldJobObject.key(world.workspace, id, "0-bad");
      const job = await addJob(world);
      const good = heldJobObject.key(world.workspace, id, job.id);
      await world.deps.objects.put({ ...bad, value: { broken: true } });
      await world.deps.objects.put({ ...good, value: { job: job.id } });
      await world.deps.objects.put({ ...releaseObject.key(world.workspace, id), value: { id, of: world.workspace } });
      return {
        item: `releaseHeldJobs ${world.workspace}#${bad.sk}`,
        check: async () => expect(await world.deps.objects.get(good)).toBeUndefined(),
      };
    },
  },
};

/** Adds attempts of deliveries that are due. */
async function addRetries(notices: string[]) {
  const { clock, deps, workspace } = world;
  const items = notices.map((notice) => ({ notice, key: dueAttemptObject.key(clock.nowMs - 1000, workspace, notice, "topic") }));
  for (const { notice, key } of items) {
    const message = { kind: "notice", workspace, notice, channel: "topic", to: "topic", after: 1 };
    await deps.objects.put({ ...key, value: { message, lane: "fast" } });
  }
  return items.map(({ key }) => key);
}

function expectOtherJobSent(job: { id: string }) {
  return async () => {
    const sent = (await world.messages()).map(({ job: id }) => id);
    expect(sent).toContain(job.id);
    expect(await world.deps.jobs.get(job.id)).toMatchObject({ state: "queued" });
  };
}

/** Adds another deleted workspace, which contains a job that cannot be read. */
async function expectOtherPurged() {
  const id = `b-${world.workspace}`;
  await createWorkspace(world.deps, anAdmin, { id, name: id });
  const job = await addJob({ ...world, workspace: id });
  await damage(job.id);
  await world.deps.objects.put({ pk: `VAR#${id}`, sk: "f/t/v", value: {} });
  await deleteWorkspace(world.deps, id, "ann");
  return async () => {
    expect(await world.deps.objects.get({ pk: `VAR#${id}`, sk: "f/t/v" })).toBeUndefined();
    expect(await world.deps.jobs.listChildren(job.id, "")).toEqual([]);
  };
}

describe("housekeeping, in the task", () => {
  const rows = Object.entries(poisons).flatMap(([task, cases]) => Object.keys(cases).map((title) => [task, title] as const));
  const caseOf = (task: string, title: string) => poisons[task]?.[title] ?? expect.fail();

  it.each(rows)("%s, handles the other items although there is %s, and sets that item aside", async (task, title) => {
    const { item, check } = await caseOf(task, title)();
    world.clock.nowMs += LEASE_OVER_MS;
    world.clock.nowMs = Math.ceil(world.clock.nowMs / HOUR_MS) * HOUR_MS;
    expect(await tick()).toEqual([]);
    await check();
    expect(failures).toContain(item);
    for (let ticks = 0; ticks < 2; ticks += 1) {
      // Machines are checked once an hour.
      world.clock.nowMs += task === "removeIdleMachines" ? HOUR_MS : 60_000;
      expect(await tick()).toEqual([]);
    }
    const found = (await listFailedItems(world.deps)).filter(({ nextMs }) => nextMs > world.clock.nowMs);
    expect(found).toEqual([expect.objectContaining({ failures: 3, nextMs: world.clock.nowMs + 120_000 })]);
    expect(found.map(({ task: name, item: failed }) => `${name} ${failed}`)).toEqual([item]);
    const before = failures.length;
    world.clock.nowMs += 60_000;
    await tick();
    expect(failures.length).toBe(before);
  });

  it("has a row for each task, so that a new task is tested too", () => {
    // The tokens of earlier releases are read once, and one that cannot be read is left out.
    const without = ["countSetAside", "indexTokens"];
    const names = periodicTasks(deps).map(({ name }) => name);
    expect(names.filter((name) => !without.includes(name)).sort()).toEqual(Object.keys(poisons).sort());
  });
});

describe("an item that always fails", () => {
  it("is checked at most 22 times in three days, at growing intervals, and does not stop the jobs that are due later", async () => {
    const bad = await addJob(world);
    await damage(bad.id);
    for (let minute = 0; minute < 3 * 24 * 60; ) {
      world.clock.nowMs += 60_000;
      minute += 1;
      const [failed] = await listFailedItems(world.deps);
      // Nothing happens until then.
      if (failed && failed.nextMs > world.clock.nowMs) {
        minute += Math.floor((failed.nextMs - world.clock.nowMs) / 60_000);
        world.clock.nowMs = failed.nextMs;
      }
      await tick();
    }
    expect(failures.length).toBeGreaterThan(10);
    expect(failures.length).toBeLessThanOrEqual(24);
    expect(setAsideMs(100)).toBe(6 * HOUR_MS);
  });

  it("is checked again after it was repaired, and is no longer listed", async () => {
    const { id } = await addJob(world);
    await damage(id);
    world.clock.nowMs += LEASE_OVER_MS;
    for (let ticks = 0; ticks < 3; ticks += 1) await tick();
    const [failed = expect.fail()] = await listFailedItems(world.deps);
    await documents().send(
      new UpdateCommand({
        TableName: requireEnv(env.jobsTable),
        Key: { pk: id, sk: "job" },
        UpdateExpression: "SET #k = :k",
        ExpressionAttributeNames: { "#k": "kind" },
        ExpressionAttributeValues: { ":k": "script" },
      }),
    );
    world.clock.nowMs = failed.nextMs;
    await tick();
    expect((await world.messages()).map(({ job }) => job)).toEqual([id]);
    expect(await listFailedItems(world.deps)).toEqual([]);
  });

  it("is counted once by two ticks at the same time", async () => {
    const { id } = await addJob(world);
    await damage(id);
    world.clock.nowMs += LEASE_OVER_MS;
    await Promise.all([tick(), tick()]);
    expect((await listFailedItems(world.deps)).map(({ failures: count }) => count)).toEqual([1]);
  });

  const throttled = Object.assign(new Error("Rate exceeded"), { name: "ThrottlingException" });
  it.each([
    ["the error of AWS", throttled],
    ["service.busy", new SvcError("service.busy", { service: "SFN" }, { cause: throttled })],
  ])("is no failure of the item when AWS throttles the call, which reports %s", async (_how, error) => {
    await addFlowJob(world, "m");
    const getExecutionStatus = () => Promise.reject(error);
    deps = { ...deps, executions: { ...world.deps.executions, getExecutionStatus } };
    world.clock.nowMs += HOUR_MS;
    expect(await tick()).toEqual([]);
    expect([failures, await listFailedItems(world.deps)]).toEqual([[], []]);
  });
});
