import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { limits } from "../../contract/limits.ts";
import type { ReplayRequest } from "../../contract/routes/events/deliveries.ts";
import { failedAttempt } from "../../core/deliveries/attempt.ts";
import { dueAttemptObject } from "../../core/deliveries/due-attempt.ts";
import { eventDeliveryObject } from "../../core/deliveries/event-delivery.ts";
import { findWorkspace } from "../../core/stored-objects.ts";
import { newWorld, type World } from "../../test/support/use-cases/world.ts";
import { type EventWorld, newEventWorld } from "../../test/support/use-cases/world-event-deliveries.ts";
import { addEndpoint } from "../../test/support/use-cases/world-events.ts";
import { getDelivery, listDeliveryLog } from "./delivery-log.ts";
import { requestReplay } from "./replay-deliveries.ts";

let shared: World;
let world: EventWorld;
beforeAll(async () => {
  shared = await newWorld();
});
beforeEach(async () => {
  world = await newEventWorld(shared);
  await addEndpoint(world, { id: "ops", enabled: true });
});
const list = async (query: Parameters<typeof listDeliveryLog>[2] = {}) =>
  (await listDeliveryLog(world.deps, world.workspace, query)).deliveries.map(({ path }) => path?.slice(4));
const at = (ms: number) => new Date(ms).toISOString();
const replay = async (request: ReplayRequest) => {
  await requestReplay(world.deps, world.workspace, request);
  while ((await world.consumer.receive()) > 0);
};

describe("the log of deliveries", () => {
  it("lists the newest event first, with filters and pages", async () => {
    const startMs = world.clock.nowMs;
    for (const name of ["a", "b", "c"]) {
      if (name === "b") world.next.push(failedAttempt("it returned status 500"));
      await world.deliver(`f/t/${name}`);
      world.clock.nowMs += 1000;
    }
    await addEndpoint(world, { id: "second", enabled: true, paths: ["f/t/d"] });
    await world.deliver("f/t/d");
    expect(await list()).toEqual(["d", "d", "c", "b", "a"]);
    expect(await list({ endpoint: "second" })).toEqual(["d"]);
    expect(await list({ path: "f/t/a" })).toEqual(["a"]);
    expect(await list({ state: "retrying" })).toEqual(["b"]);
    expect(await list({ state: "failed" })).toEqual([]);
    expect(await list({ type: "UpdateVariable" })).toEqual([]);
    expect(await list({ after: at(startMs + 1000), before: at(startMs + 2000) })).toEqual(["c", "b"]);
    expect(await list({ before: at(startMs) })).toEqual(["a"]);
    expect(await list({ per_page: 2 })).toEqual(["d", "d"]);
    expect(await list({ per_page: 2, page: 2 })).toEqual(["c", "b"]);
    expect(await list({ per_page: 2, page: 9 })).toEqual([]);
  });

  it("shows one delivery with its body, its headers without a signature, and its attempts", async () => {
    world.next.push({ ok: false, error: "it returned status 500", final: false, status: 500 });
    const event = await world.deliver();
    await world.consumer.pass(6000);
    const found = await getDelivery(world.deps, world.workspace, `${event}.ops`);
    expect(found).toMatchObject({ id: `${event}.ops`, event_id: event, endpoint: "ops", state: "sent", attempts: 2, path: "f/t/a" });
    expect(found.body).toBe(world.posts[1]?.body);
    expect(found.headers).toEqual({
      "content-type": "application/json",
      "user-agent": "svc",
      "webhook-id": event,
      "webhook-timestamp": world.posts[1]?.headers["webhook-timestamp"],
    });
    expect(found.attempt_log).toMatchObject([
      { success: false, status: 500, milliseconds: 0, error: "it returned status 500" },
      { success: true },
    ]);
    await expect(getDelivery(world.deps, world.workspace, `${event}.none`)).rejects.toMatchObject({ code: "delivery.notFound" });
    await expect(getDelivery(world.deps, "elsewhere", `${event}.ops`)).rejects.toMatchObject({ code: "delivery.notFound" });
  });

  it("is kept for 30 days after the event, and belongs to its workspace", async () => {
    await world.deliver();
    const [stored] = await world.deps.objects.list(eventDeliveryObject.partitionKey(world.workspace));
    expect(stored?.expiresAtS).toBe(Math.ceil(world.clock.nowMs / 1000) + 30 * 24 * 3600);
    expect(findWorkspace({ pk: "", sk: "", ...stored })).toBe(world.workspace);
    const retry = dueAttemptObject.key(0, world.workspace, "event", "ops");
    expect(findWorkspace(retry)).toBe(world.workspace);
  });
});

describe("a replay", () => {
  it("of ids sends the events again with the same webhook-id, once even if its messages arrive twice", async () => {
    const events = [await world.deliver("f/t/a"), await world.deliver("f/t/b")];
    const [first = ""] = events;
    const id = await requestReplay(world.deps, world.workspace, { ids: [`${first}.ops`, `${first}.ops`] });
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
    shared.deliveries.push(...shared.deliveries.map((message) => ({ ...message })));
    while ((await world.consumer.receive()) > 0);
    expect(world.posts.map(({ headers }) => headers["webhook-id"])).toEqual([...events, first]);
    expect(await getDelivery(world.deps, world.workspace, `${first}.ops`)).toMatchObject({ state: "sent", attempts: 2 });
    await replay({ ids: [`${first}.ops`] });
    expect(world.posts).toHaveLength(4);
  });

  it("of a failed delivery has its own schedule", async () => {
    world.next.push({ ok: false, error: "gone", final: true });
    const event = await world.deliver();
    expect(await list({ state: "failed" })).toEqual(["a"]);
    world.next.push(failedAttempt("503"));
    await replay({ ids: [`${event}.ops`] });
    expect(await list({ state: "retrying" })).toEqual(["a"]);
    await world.consumer.pass(6000);
    expect(await list({ state: "sent" })).toEqual(["a"]);
    expect(world.posts).toHaveLength(3);
  });

  it("of a range selects by endpoint, time, type and state", async () => {
    await addEndpoint(world, { id: "other", url: "https://other.example.com", enabled: true });
    const startMs = world.clock.nowMs;
    for (const name of ["a", "b", "c"]) {
      if (name === "b") world.next.push({ ok: false, error: "bad", final: true }, { ok: false, error: "bad", final: true });
      await world.deliver(`f/t/${name}`);
      world.clock.nowMs += 1000;
    }
    const replayed = async (request: object) => {
      world.posts.length = 0;
      await replay({ endpoint: "ops", after: at(startMs), before: at(world.clock.nowMs), ...request });
      return world.posts.map(({ url, body }) => `${new URL(url).hostname} ${JSON.parse(body).data.path.slice(4)}`);
    };
    expect(await replayed({ state: "failed" })).toEqual(["events.example.com b"]);
    expect(await replayed({})).toEqual(["a", "b", "c"].map((name) => `events.example.com ${name}`));
    expect(await replayed({ after: at(startMs + 500), before: at(startMs + 1500) })).toEqual(["events.example.com b"]);
    expect(await replayed({ types: ["UpdateVariable"] })).toEqual([]);
    await expect(replayed({ endpoint: "none" })).rejects.toMatchObject({ code: "webhook.notFound" });
  });

  it("of a range also sends events that occurred while the endpoint was switched off", async () => {
    await addEndpoint(world, { id: "ops", enabled: false });
    const startMs = world.clock.nowMs;
    await world.deliver();
    expect(world.posts).toEqual([]);
    await addEndpoint(world, { id: "ops", enabled: true });
    await replay({ endpoint: "ops", after: at(startMs), before: at(startMs) });
    expect(world.posts).toHaveLength(1);
    expect(await list({ state: "sent" })).toEqual(["a"]);
  });

  it("accepts a bounded request, continues by messages, and ends at the limit", async () => {
    const events = await Promise.all(Array.from({ length: 1100 }, () => world.change()));
    const { atMs } = { atMs: world.clock.nowMs };
    await requestReplay(world.deps, world.workspace, { endpoint: "ops", after: at(atMs), before: at(atMs) });
    expect(shared.deliveries.filter(({ message }) => message.workspace === world.workspace)).toHaveLength(1);
    const message = shared.deliveries.find((each) => each.message.workspace === world.workspace)?.message;
    if (message?.kind !== "replay") throw new Error("The message is none of a replay.");
    expect(message.left).toBe(limits.replayedDeliveries);
    message.left = 1050;
    for (let n = 0; n < 3; n += 1) {
      const own = shared.deliveries.filter((each) => each.message.kind === "replay" && each.message.workspace === world.workspace);
      for (const each of own) await world.consumer.handle(each);
    }
    const queued = shared.deliveries.filter((each) => each.message.workspace === world.workspace);
    expect(queued.every(({ message: { kind }, lane }) => kind === "event" && lane === "slow")).toBe(true);
    expect(new Set(queued.map((each) => ("event" in each.message ? each.message.event : ""))).size).toBe(1050);
    expect(queued).toHaveLength(1050);
    expect(events).toHaveLength(1100);
    shared.deliveries.length = 0;
  });
});
