import { Webhook } from "standardwebhooks";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { limits } from "../../contract/limits.ts";
import { failedAttempt, refusedAttempt } from "../../core/deliveries/attempt.ts";
import { endpointObject, endpointSchema } from "../../core/events/endpoint.ts";
import { mailNoticeSchema } from "../../core/notifications/mail-notice.ts";
import { noticeObject } from "../../core/notifications/stored-notice.ts";
import { deletedWorkspaceObject } from "../../core/workspaces/deleted.ts";
import { expectToSurviveFaults } from "../../test/support/use-cases/failing-writes.ts";
import { newWorld, type World } from "../../test/support/use-cases/world.ts";
import { type EventWorld, newEventWorld } from "../../test/support/use-cases/world-event-deliveries.ts";
import { addEndpoint } from "../../test/support/use-cases/world-events.ts";
import { anAdmin } from "../../test/support/use-cases/world-people.ts";
import { getWebhookSecret, listSigningSecrets } from "../notifications/webhook-secret.ts";

const DAY_MS = 24 * 3600_000;
const SECRET_URL = "https://hooks.example.com/services/T0/secret";
let shared: World;
let world: EventWorld;
beforeAll(async () => {
  shared = await newWorld();
});
beforeEach(async () => {
  world = await newEventWorld(shared);
  await addEndpoint(world, { id: "ops", url: SECRET_URL, enabled: true });
});
const endpoint = async (id = "ops") => endpointSchema.parse((await world.deps.objects.get(endpointObject.key(world.workspace, id)))?.value);

describe("the event of a change", () => {
  it("is sent to each enabled endpoint that chose it, signed, with the id of the event", async () => {
    await addEndpoint(world, { id: "off", enabled: false });
    await addEndpoint(world, { id: "other", enabled: true, paths: ["f/other/**"] });
    await addEndpoint(world, { id: "all", url: "https://all.example.com/", enabled: true });
    const event = await world.deliver();
    expect(world.posts.map(({ url }) => url).sort()).toEqual(["https://all.example.com/", SECRET_URL]);
    const secret = await getWebhookSecret(world.deps, { actor: anAdmin, workspace: world.workspace, token: "", operation: "read" });
    for (const { headers, body } of world.posts) {
      expect(headers["webhook-id"]).toBe(event);
      expect(new Webhook(secret).verify(body, headers)).toEqual({
        type: "CreateVariable",
        timestamp: new Date(world.clock.nowMs).toISOString(),
        data: { workspace_id: world.workspace, by: "ann", path: "f/t/a", is_secret: false },
      });
    }
    expect(await world.records()).toMatchObject([
      { endpoint: "all", state: "sent", attempts: 1, type: "CreateVariable", path: "f/t/a" },
      { endpoint: "ops", state: "sent", attempts: 1, tries: [{ ok: true, ms: 0 }] },
    ]);
  });

  it("causes one call to KMS for many messages", async () => {
    const { webhookKeys } = shared.deps;
    let calls = 0;
    const unwrap: typeof webhookKeys.unwrap = (...key) => {
      calls += 1;
      return webhookKeys.unwrap(...key);
    };
    const counting = { ...webhookKeys, unwrap };
    for (let n = 0; n < 3; n += 1) await listSigningSecrets({ ...world.deps, webhookKeys: counting }, world.workspace);
    expect(calls).toBe(1);
  });

  it("is delivered once if the stream delivers it several times, in any order of the messages", async () => {
    const events = [await world.change("f/t/a"), await world.change("f/t/b"), await world.change("f/t/c")];
    for (const event of [...events, ...events]) await world.dispatch(event);
    shared.deliveries.reverse();
    while ((await world.consumer.receive()) > 0);
    expect(world.posts.map(({ headers }) => headers["webhook-id"]).sort()).toEqual(events);
  });

  it("is sent at least once with the same id, and in the end recorded once, whichever write or call fails", async () => {
    await expectToSurviveFaults(async () => {
      const own = await newEventWorld(shared);
      await addEndpoint(own, { id: "ops", enabled: true });
      own.next.push(failedAttempt("503"));
      const event = await own.change();
      return {
        act: async () => {
          await own.dispatch(event);
          await own.consumer.receive();
          await own.consumer.pass(6000);
        },
        recover: async () => {
          await own.dispatch(event);
          for (const ms of [60_000, 60_000, 400_000, 3_600_000]) await own.consumer.pass(ms);
        },
        check: async () => {
          expect(await own.records()).toMatchObject([{ event, state: "sent" }]);
          expect(new Set(own.posts.map(({ headers }) => headers["webhook-id"]))).toEqual(new Set([event]));
          expect(own.posts.length).toBeGreaterThan(1);
          expect(own.posts.length).toBeLessThan(4);
          expect(shared.deliveries.filter(({ message }) => message.workspace === own.workspace)).toEqual([]);
        },
      };
    });
  });

  it("is not sent to an endpoint that was deleted or switched off, or in a deleted workspace", async () => {
    const event = await world.change();
    await world.dispatch(event);
    await addEndpoint(world, { id: "ops", enabled: false });
    await world.consumer.receive();
    expect(await world.records()).toMatchObject([{ state: "failed", tries: [{ ok: false, error: "the endpoint is switched off" }] }]);
    await addEndpoint(world, { id: "gone", enabled: true });
    await world.dispatch(await world.change());
    await world.deps.objects.deleteItem(endpointObject.key(world.workspace, "gone"));
    await world.consumer.receive();
    expect((await world.records()).at(-1)).toMatchObject({
      endpoint: "gone",
      state: "failed",
      tries: [{ error: "the endpoint was deleted" }],
    });
    const before = (await world.records()).length;
    await addEndpoint(world, { id: "ops", enabled: true });
    await world.dispatch(await world.change());
    await world.deps.objects.put({ ...deletedWorkspaceObject.key(world.workspace), value: {} });
    await world.consumer.receive();
    expect((await world.records()).length).toBe(before);
    expect(world.posts).toEqual([]);
  });

  it("leaves no part of the URL and no secret in the records", async () => {
    world.next.push(failedAttempt("ECONNREFUSED"));
    await world.deliver();
    const stored = JSON.stringify([...(await world.records()), ...shared.deliveries]);
    expect(stored).not.toMatch(/hooks\.example|services\/T0|whsec/);
  });
});

describe("attempts", () => {
  it("follow the schedule until the eighth fails: by the delay of the queue, and from 15 minutes on by the list of retries", async () => {
    world.next.push(...Array.from({ length: 8 }, () => failedAttempt("it returned status 503")));
    await world.deliver();
    const pauses = [5, 300, 1800, 7200, 18_000, 36_000, 36_000].map((s) => s * 1000);
    for (const [index, pauseMs] of pauses.entries()) {
      const [{ state, nextAtMs = 0 } = {}] = await world.records();
      expect(state).toBe("retrying");
      expect(Math.abs(nextAtMs - world.clock.nowMs - pauseMs)).toBeLessThanOrEqual(pauseMs * 0.1 + 1);
      await world.consumer.pass(nextAtMs - world.clock.nowMs - 1000);
      expect(world.posts).toHaveLength(index + 1);
      await world.consumer.pass(2000);
      expect(world.posts).toHaveLength(index + 2);
    }
    expect(await world.records()).toMatchObject([
      { state: "failed", attempts: 8, tries: Array(8).fill({ error: "it returned status 503" }) },
    ]);
    await world.consumer.pass(DAY_MS);
    expect(world.posts).toHaveLength(8);
  });

  it("wait as long as the receiver requests", async () => {
    world.next.push({ ok: false, error: "it returned status 429", final: false, status: 429, retryAfterMs: 120_000 });
    await world.deliver();
    await world.consumer.pass(119_000);
    expect(world.posts).toHaveLength(1);
    await world.consumer.pass(2000);
    expect(world.posts).toHaveLength(2);
  });

  it("have little time in the fast lane, and the next ones of a slow receiver use the slow lane until it answers quickly", async () => {
    world.receiver.tookMs = limits.webhookFastAnswerMs;
    world.next.push(failedAttempt("it did not respond within 2 s"));
    await world.deliver();
    expect(await endpoint()).toMatchObject({ isSlow: true });
    await world.dispatch(await world.change());
    expect(shared.deliveries.filter(({ message }) => message.workspace === world.workspace).map(({ lane }) => lane)).toEqual([
      "slow",
      "slow",
    ]);
    await world.consumer.receive();
    expect(world.posts.map(({ answerMs }) => answerMs)).toEqual([2000, 10_000]);
    world.receiver.tookMs = 10;
    await world.consumer.pass(6000);
    expect(await endpoint()).not.toHaveProperty("isSlow");
  });

  it("of a receiver that became slow after its message was queued move to the slow lane without an attempt", async () => {
    await world.dispatch(await world.change());
    await addEndpoint(world, { id: "ops", enabled: true, isSlow: true });
    await world.consumer.receive();
    expect(world.posts).toEqual([]);
    await world.consumer.receive();
    expect(world.posts.map(({ answerMs }) => answerMs)).toEqual([limits.webhookAnswerMs]);
  });
});

describe("an endpoint", () => {
  const mails = async () =>
    (await world.deps.objects.list(noticeObject.partitionKey(world.workspace))).map(({ value }) => mailNoticeSchema.parse(value));

  it("that fails for five days is switched off, and the admins are mailed once", async () => {
    world.next.push(...Array.from({ length: 9 }, () => failedAttempt("it returned status 503")));
    await world.deliver();
    const sinceMs = world.clock.nowMs;
    expect(await endpoint()).toMatchObject({ enabled: true, failingSinceMs: sinceMs });
    world.clock.nowMs = sinceMs + limits.endpointFailsMs - 1;
    await world.deliver();
    expect(await endpoint()).toMatchObject({ enabled: true });
    world.clock.nowMs += 1;
    await world.deliver();
    expect(await endpoint()).toMatchObject({ enabled: false, disabledReason: "Every delivery failed for 5 days." });
    expect(await mails()).toMatchObject([{ people: ["role:admin"], subject: expect.stringContaining(world.workspace) }]);
    expect(JSON.stringify(await mails())).not.toContain("services/T0");
    const posted = world.posts.length;
    await world.deliver();
    await world.consumer.pass(DAY_MS);
    expect(world.posts).toHaveLength(posted);
    expect(await mails()).toHaveLength(1);
  });

  it("that succeeds in between remains enabled", async () => {
    world.next.push(failedAttempt("503"));
    await world.deliver();
    await world.consumer.pass(6000);
    expect(await endpoint()).not.toHaveProperty("failingSinceMs");
    world.clock.nowMs += 6 * DAY_MS;
    world.next.push(failedAttempt("503"));
    await world.deliver();
    expect(await endpoint()).toMatchObject({ enabled: true });
  });

  it("that returns 410 is switched off at once", async () => {
    world.next.push({ ok: false, error: "it returned status 410", final: true, status: 410, gone: true });
    await world.deliver();
    expect(await world.records()).toMatchObject([{ state: "failed", tries: [{ status: 410 }] }]);
    expect(await endpoint()).toMatchObject({ enabled: false, disabledReason: expect.stringContaining("410") });
    expect(await mails()).toHaveLength(1);
  });

  it("with an internal address is refused at each delivery, and the log shows the reason", async () => {
    world.next.push(refusedAttempt("its address is inside the network, which is not allowed"));
    await world.deliver();
    expect(await world.records()).toMatchObject([{ state: "failed", tries: [{ error: expect.stringContaining("inside the network") }] }]);
  });

  it("is written only when its health changes", async () => {
    const version = async () => (await world.deps.objects.get(endpointObject.key(world.workspace, "ops")))?.version;
    const before = await version();
    await world.deliver();
    await world.deliver();
    expect(await version()).toBe(before);
    world.next.push(failedAttempt("503"), failedAttempt("503"));
    await world.deliver();
    const failing = await version();
    expect(failing).not.toBe(before);
    await world.deliver();
    expect(await version()).toBe(failing);
  });
});
