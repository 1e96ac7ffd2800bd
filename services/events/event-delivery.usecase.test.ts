import { Webhook } from "standardwebhooks";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { limits } from "../../contract/limits.ts";
import { failedAttempt, refusedAttempt } from "../../core/deliveries/attempt.ts";
import { endpointObject, endpointSchema } from "../../core/events/endpoint.ts";
import { mailNoticeSchema } from "../../core/notifications/mail-notice.ts";
import { noticeObject } from "../../core/notifications/stored-notice.ts";
import { deletedWorkspaceObject } from "../../core/workspaces/deleted.ts";
import { expectToSurviveFaults } from "../../test/support/use-cases/failing-writes.ts";
import { newRoom, type Room } from "../../test/support/use-cases/room.ts";
import { type EventRoom, newEventRoom } from "../../test/support/use-cases/room-event-deliveries.ts";
import { addEndpoint } from "../../test/support/use-cases/room-events.ts";
import { anAdmin } from "../../test/support/use-cases/room-people.ts";
import { getWebhookSecret, listSigningSecrets } from "../notifications/webhook-secret.ts";

const DAY_MS = 24 * 3600_000;
const SECRET_URL = "https://hooks.example.com/services/T0/secret";
let shared: Room;
let room: EventRoom;
beforeAll(async () => {
  shared = await newRoom();
});
beforeEach(async () => {
  room = await newEventRoom(shared);
  await addEndpoint(room, { id: "ops", url: SECRET_URL, enabled: true });
});
const endpoint = async (id = "ops") => endpointSchema.parse((await room.deps.objects.get(endpointObject.key(room.workspace, id)))?.value);

describe("the event of a change", () => {
  it("is sent to each enabled endpoint that chose it, signed, with the id of the event", async () => {
    await addEndpoint(room, { id: "off", enabled: false });
    await addEndpoint(room, { id: "other", enabled: true, paths: ["f/other/**"] });
    await addEndpoint(room, { id: "all", url: "https://all.example.com/", enabled: true });
    const event = await room.deliver();
    expect(room.posts.map(({ url }) => url).sort()).toEqual(["https://all.example.com/", SECRET_URL]);
    const secret = await getWebhookSecret(room.deps, { actor: anAdmin, workspace: room.workspace, token: "", operation: "read" });
    for (const { headers, body } of room.posts) {
      expect(headers["webhook-id"]).toBe(event);
      expect(new Webhook(secret).verify(body, headers)).toEqual({
        type: "CreateVariable",
        timestamp: new Date(room.clock.nowMs).toISOString(),
        data: { workspace_id: room.workspace, by: "ann", path: "f/t/a", is_secret: false },
      });
    }
    expect(await room.records()).toMatchObject([
      { endpoint: "all", state: "sent", attempts: 1, type: "CreateVariable", path: "f/t/a" },
      { endpoint: "ops", state: "sent", attempts: 1, tries: [{ ok: true, ms: 0 }] },
    ]);
  });

  it("causes one call of KMS for many messages", async () => {
    const { webhookKeys } = shared.deps;
    let calls = 0;
    const unwrap: typeof webhookKeys.unwrap = (...key) => {
      calls += 1;
      return webhookKeys.unwrap(...key);
    };
    const counting = { ...webhookKeys, unwrap };
    for (let n = 0; n < 3; n += 1) await listSigningSecrets({ ...room.deps, webhookKeys: counting }, room.workspace);
    expect(calls).toBe(1);
  });

  it("is delivered once if the stream brings it several times, and in any order of the messages", async () => {
    const events = [await room.change("f/t/a"), await room.change("f/t/b"), await room.change("f/t/c")];
    for (const event of [...events, ...events]) await room.dispatch(event);
    shared.deliveries.reverse();
    while ((await room.consumer.receive()) > 0);
    expect(room.posts.map(({ headers }) => headers["webhook-id"]).sort()).toEqual(events);
  });

  it("is sent at least once with the same id, and in the end recorded once, whichever write or call fails", async () => {
    await expectToSurviveFaults(async () => {
      const own = await newEventRoom(shared);
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
    const event = await room.change();
    await room.dispatch(event);
    await addEndpoint(room, { id: "ops", enabled: false });
    await room.consumer.receive();
    expect(await room.records()).toMatchObject([{ state: "failed", tries: [{ ok: false, error: "the endpoint is switched off" }] }]);
    await addEndpoint(room, { id: "gone", enabled: true });
    await room.dispatch(await room.change());
    await room.deps.objects.deleteItem(endpointObject.key(room.workspace, "gone"));
    await room.consumer.receive();
    expect((await room.records()).at(-1)).toMatchObject({
      endpoint: "gone",
      state: "failed",
      tries: [{ error: "the endpoint was deleted" }],
    });
    const before = (await room.records()).length;
    await addEndpoint(room, { id: "ops", enabled: true });
    await room.dispatch(await room.change());
    await room.deps.objects.put({ ...deletedWorkspaceObject.key(room.workspace), value: {} });
    await room.consumer.receive();
    expect((await room.records()).length).toBe(before);
    expect(room.posts).toEqual([]);
  });

  it("leaves no part of the URL and no secret in the records", async () => {
    room.next.push(failedAttempt("ECONNREFUSED"));
    await room.deliver();
    const stored = JSON.stringify([...(await room.records()), ...shared.deliveries]);
    expect(stored).not.toMatch(/hooks\.example|services\/T0|whsec/);
  });
});

describe("attempts", () => {
  it("follow the schedule, by the delay of the queue and from 15 minutes on by the list of retries, until the eighth fails", async () => {
    room.next.push(...Array.from({ length: 8 }, () => failedAttempt("it returned status 503")));
    await room.deliver();
    const pauses = [5, 300, 1800, 7200, 18_000, 36_000, 36_000].map((s) => s * 1000);
    for (const [index, pauseMs] of pauses.entries()) {
      const [{ state, nextAtMs = 0 } = {}] = await room.records();
      expect(state).toBe("retrying");
      expect(Math.abs(nextAtMs - room.clock.nowMs - pauseMs)).toBeLessThanOrEqual(pauseMs * 0.1 + 1);
      await room.consumer.pass(nextAtMs - room.clock.nowMs - 1000);
      expect(room.posts).toHaveLength(index + 1);
      await room.consumer.pass(2000);
      expect(room.posts).toHaveLength(index + 2);
    }
    expect(await room.records()).toMatchObject([
      { state: "failed", attempts: 8, tries: Array(8).fill({ error: "it returned status 503" }) },
    ]);
    await room.consumer.pass(DAY_MS);
    expect(room.posts).toHaveLength(8);
  });

  it("wait as long as the receiver requests", async () => {
    room.next.push({ ok: false, error: "it returned status 429", final: false, status: 429, retryAfterMs: 120_000 });
    await room.deliver();
    await room.consumer.pass(119_000);
    expect(room.posts).toHaveLength(1);
    await room.consumer.pass(2000);
    expect(room.posts).toHaveLength(2);
  });

  it("have little time in the fast lane, and the next ones of a slow receiver use the slow lane until it answers quickly", async () => {
    room.receiver.tookMs = limits.webhookFastAnswerMs;
    room.next.push(failedAttempt("it did not respond within 2 s"));
    await room.deliver();
    expect(await endpoint()).toMatchObject({ isSlow: true });
    await room.dispatch(await room.change());
    expect(shared.deliveries.filter(({ message }) => message.workspace === room.workspace).map(({ lane }) => lane)).toEqual([
      "slow",
      "slow",
    ]);
    await room.consumer.receive();
    expect(room.posts.map(({ answerMs }) => answerMs)).toEqual([2000, 10_000]);
    room.receiver.tookMs = 10;
    await room.consumer.pass(6000);
    expect(await endpoint()).not.toHaveProperty("isSlow");
  });

  it("of a receiver that became slow after its message was queued move to the slow lane without an attempt", async () => {
    await room.dispatch(await room.change());
    await addEndpoint(room, { id: "ops", enabled: true, isSlow: true });
    await room.consumer.receive();
    expect(room.posts).toEqual([]);
    await room.consumer.receive();
    expect(room.posts.map(({ answerMs }) => answerMs)).toEqual([limits.webhookAnswerMs]);
  });
});

describe("an endpoint", () => {
  const mails = async () =>
    (await room.deps.objects.list(noticeObject.partitionKey(room.workspace))).map(({ value }) => mailNoticeSchema.parse(value));

  it("that fails for five days is switched off, and the admins are mailed once", async () => {
    room.next.push(...Array.from({ length: 9 }, () => failedAttempt("it returned status 503")));
    await room.deliver();
    const sinceMs = room.clock.nowMs;
    expect(await endpoint()).toMatchObject({ enabled: true, failingSinceMs: sinceMs });
    room.clock.nowMs = sinceMs + limits.endpointFailsMs - 1;
    await room.deliver();
    expect(await endpoint()).toMatchObject({ enabled: true });
    room.clock.nowMs += 1;
    await room.deliver();
    expect(await endpoint()).toMatchObject({ enabled: false, disabledReason: "Every delivery failed for 5 days." });
    expect(await mails()).toMatchObject([{ people: ["role:admin"], subject: expect.stringContaining(room.workspace) }]);
    expect(JSON.stringify(await mails())).not.toContain("services/T0");
    const posted = room.posts.length;
    await room.deliver();
    await room.consumer.pass(DAY_MS);
    expect(room.posts).toHaveLength(posted);
    expect(await mails()).toHaveLength(1);
  });

  it("that succeeds in between remains on", async () => {
    room.next.push(failedAttempt("503"));
    await room.deliver();
    await room.consumer.pass(6000);
    expect(await endpoint()).not.toHaveProperty("failingSinceMs");
    room.clock.nowMs += 6 * DAY_MS;
    room.next.push(failedAttempt("503"));
    await room.deliver();
    expect(await endpoint()).toMatchObject({ enabled: true });
  });

  it("that returns 410 is switched off at once", async () => {
    room.next.push({ ok: false, error: "it returned status 410", final: true, status: 410, gone: true });
    await room.deliver();
    expect(await room.records()).toMatchObject([{ state: "failed", tries: [{ status: 410 }] }]);
    expect(await endpoint()).toMatchObject({ enabled: false, disabledReason: expect.stringContaining("410") });
    expect(await mails()).toHaveLength(1);
  });

  it("with an inner address is refused at each delivery, and the log shows the reason", async () => {
    room.next.push(refusedAttempt("its address is inside the network, which is not allowed"));
    await room.deliver();
    expect(await room.records()).toMatchObject([{ state: "failed", tries: [{ error: expect.stringContaining("inside the network") }] }]);
  });

  it("is written only when its health changes", async () => {
    const version = async () => (await room.deps.objects.get(endpointObject.key(room.workspace, "ops")))?.version;
    const before = await version();
    await room.deliver();
    await room.deliver();
    expect(await version()).toBe(before);
    room.next.push(failedAttempt("503"), failedAttempt("503"));
    await room.deliver();
    const failing = await version();
    expect(failing).not.toBe(before);
    await room.deliver();
    expect(await version()).toBe(failing);
  });
});
