import { beforeEach, describe, expect, it } from "vitest";
import { instanceSettingObject } from "../../core/objects/setting.ts";
import { AWS_TRIGGER_SOURCES } from "../../core/triggers/sources.ts";
import { newIsolation } from "../../test/support/use-cases/world-jobs.ts";
import { MAIL_DOMAIN, newTriggerWorld } from "../../test/support/use-cases/world-triggers.ts";
import { connectSources } from "./connect.ts";
import { connectPendingSources } from "./tasks.ts";

let world: Awaited<ReturnType<typeof newTriggerWorld>>;
const isConnected = () => world.mappings.has(world.connectDeps.triggerQueueArn);
const allow = (sources: readonly string[]) =>
  world.deps.objects.put({ ...instanceSettingObject.key(AWS_TRIGGER_SOURCES), value: { [world.workspace]: sources } });
beforeEach(async () => {
  world = await newTriggerWorld();
  await allow([]);
});

describe("the queue of triggers", () => {
  it("is connected once a workspace may use topics or buses, and stays connected", async () => {
    expect(await connectSources(world.connectDeps, { connections: [] })).toBe(0);
    expect(isConnected()).toBe(false);
    await allow(["arn:aws:sns:us-east-1:000000000000:orders"]);
    for (let call = 0; call < 2; call += 1) expect(await connectSources(world.connectDeps, { connections: [] })).toBe(0);
    expect(isConnected()).toBe(true);
    await allow([]);
    await connectSources(world.connectDeps, { connections: [] });
    expect(isConnected()).toBe(true);
  });

  it("gets the concurrency of the deployment, also if an earlier release connected it, and so do queues of users", async () => {
    await allow(["arn:aws:sns:us-east-1:000000000000:orders"]);
    const { url, arn } = await world.addQueue(`orders-${world.workspace}`, { "svc:workspace": world.workspace });
    const sqs = { path: "u/ann/orders", queue_url: url, script_path: await world.addRunnable(), is_flow: false };
    await world.create("sqs", sqs);
    expect([...world.mappings]).toEqual([
      [arn, 10],
      [world.connectDeps.triggerQueueArn, 25],
    ]);
    // The mapping of an earlier release.
    world.mappings.set(arn, 7);
    for (const triggerConcurrency of [40, 5]) {
      const connections = [{ workspace: world.workspace, source: { type: "queue" as const, name: arn.split(":").at(-1) ?? "" } }];
      expect(await connectSources({ ...world.connectDeps, triggerConcurrency }, { connections })).toBe(0);
      expect(world.mappings.get(world.connectDeps.triggerQueueArn)).toBe(triggerConcurrency);
      expect(world.mappings.get(arn)).toBe(10);
    }
  });

  it("is not changed while its mapping is deleted, or if the mapping has the right concurrency", async () => {
    await allow(["arn:aws:sns:us-east-1:000000000000:orders"]);
    for (const [isDeleting, maximumConcurrency] of [
      [true, 7],
      [false, world.connectDeps.triggerConcurrency],
    ] as const) {
      const refuse = () => Promise.reject(new Error("Lambda refuses this change."));
      const found = async () => ({ id: "m", isDeleting, maximumConcurrency });
      const mappings = { findMapping: found, createMapping: refuse, updateMapping: refuse, deleteMapping: refuse };
      expect(await connectSources({ ...world.connectDeps, mappings }, { connections: [] })).toBe(0);
    }
  });

  it("is connected if the deployment has a domain of mails", async () => {
    await connectSources({ ...world.connectDeps, mailDomain: MAIL_DOMAIN }, { connections: [] });
    expect(isConnected()).toBe(true);
  });

  it("is counted as a failure if it cannot be connected, and the other sources are not", async () => {
    const mappings = { ...world.connectDeps.mappings, createMapping: () => Promise.reject(new Error("Lambda is not available.")) };
    await allow(["arn:aws:sns:us-east-1:000000000000:orders"]);
    expect(await connectSources({ ...world.connectDeps, mappings }, { connections: [] })).toBe(1);
  });

  it("is checked by housekeeping every ten minutes, because an update may have removed its mapping, and not on the local engine", async () => {
    await allow(["arn:aws:sns:us-east-1:000000000000:orders"]);
    const tick = (minute: number, deploysTriggerQueue: boolean) =>
      connectPendingSources({
        ...world.deps,
        deploysTriggerQueue,
        nowMs: () => minute * 60_000,
        isolation: newIsolation(world),
      });
    await tick(10, true);
    await tick(11, false);
    expect(isConnected()).toBe(false);
    await tick(20, false);
    expect(isConnected()).toBe(true);
  });
});
