import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { failedAttempt } from "../../core/deliveries/attempt.ts";
import { dueAttemptObject } from "../../core/deliveries/due-attempt.ts";
import type { GateNotice } from "../../core/notifications/notice.ts";
import { personKey, userObject } from "../../core/people/person.ts";
import { expectToSurviveFaults } from "../../test/support/use-cases/failing-writes.ts";
import { newWorld, type World } from "../../test/support/use-cases/world.ts";
import { addWorkspace } from "../../test/support/use-cases/world-jobs.ts";
import { addNotice, mails } from "../../test/support/use-cases/world-notices.ts";
import { cancelJob } from "../jobs/cancel/cancel-job.ts";
import { listDeliveries, storeDelivery } from "./delivery-records.ts";

let world: World;
beforeAll(async () => {
  world = await newWorld();
  await addWorkspace(world);
});

const aNotice = (fields: Partial<GateNotice>) => addNotice(world, fields);

const channels: [string, Partial<GateNotice>, string[]][] = [
  ["the topic and two mails", {}, [...mails, "topic"]],
  ["the topic and a webhook", { channel: "webhook", url: "https://hooks.example.com" }, ["https://hooks.example.com", "topic"]],
];

describe("a notice, whichever of the writes and calls of its delivery fails,", () => {
  it.each(channels)(
    "is sent to %s when the stream or the queue delivers it again, and nothing remains in the queue",
    async (_, fields, parts) => {
      await expectToSurviveFaults(async () => {
        const notice = await aNotice(fields);
        return {
          act: () => notice.read(),
          recover: async () => {
            await notice.read();
            await notice.tick();
            await notice.tick();
          },
          check: async () => {
            expect(await notice.records()).toEqual(parts.map((to) => [to, "sent"]));
            expect(await notice.queue()).toEqual([]);
            // Delivery is at least once: a part is sent again only if its sender died before it recorded the first delivery.
            expect([...new Set(notice.sent)].sort()).toEqual(parts);
            for (const part of parts) expect(notice.sent.filter((to) => to === part).length).toBeLessThan(3);
          },
        };
      });
    },
  );

  it("is delivered by the queue once its messages are sent, even if the stream delivers nothing again", async () => {
    await expectToSurviveFaults(async () => {
      const notice = await aNotice(channels[1]?.[1] ?? {});
      let isQueued = 0;
      return {
        act: () => notice.read(),
        recover: async () => {
          isQueued = (await notice.queue()).length;
          await notice.tick();
          await notice.tick();
        },
        check: async () => {
          expect(await notice.queue()).toEqual([]);
          expect((await notice.records()).length).toBeGreaterThanOrEqual(isQueued);
        },
      };
    });
  });
});

describe("a part of a notice that is sent again, whichever write fails,", () => {
  it("is recorded as sent in the end, and leaves the queue", async () => {
    await expectToSurviveFaults(async () => {
      const notice = await aNotice({ people: [mails[0] ?? ""] });
      notice.answers.next.push(failedAttempt("503"), failedAttempt("503"));
      await notice.read();
      expect((await notice.records()).map(([, state]) => state)).toEqual(["retrying", "retrying"]);
      return {
        act: () => notice.tick(),
        recover: async () => {
          for (let tick = 0; tick < 3; tick += 1) await notice.tick();
          await notice.consumer.pass(3_600_000);
        },
        check: async () => {
          expect(await notice.records()).toEqual([
            [mails[0], "sent"],
            ["topic", "sent"],
          ]);
          expect(await notice.queue()).toEqual([]);
        },
      };
    });
  });
});

it("a mail that asks for a decision is not sent again once its flow was canceled", async () => {
  const notice = await aNotice({ people: [mails[0] ?? ""] });
  notice.answers.next.push(failedAttempt("503"), failedAttempt("503"));
  await notice.read();
  const flow = await world.deps.jobs.get(notice.flow);
  await cancelJob(world.deps, flow ?? expect.fail(), { by: "ann", reason: "" });
  for (let tick = 0; tick < 3; tick += 1) await notice.tick();
  expect(await notice.records()).toEqual([
    [mails[0], "failed"],
    ["topic", "sent"],
  ]);
  expect(notice.sent.filter((to) => to === mails[0])).toHaveLength(1);
});

describe("the outcome of a request", () => {
  const decided = {
    what: "decided" as const,
    decision: { how: "approved", by: "kim" },
    channel: "webhook" as const,
    url: "https://hooks.example.com",
  };

  it("is sent to the person who started the run, besides the webhook of the approvers", async () => {
    const notice = await aNotice({ ...decided, starter: "ann@example.com" });
    await notice.read();
    expect(notice.sent.sort()).toEqual(["ann@example.com", "https://hooks.example.com", "topic"]);
  });

  it.each([
    ["has left the workspace", async () => {}],
    [
      "is disabled",
      async () => {
        const person = { email: "left@example.com", username: "left", superAdmin: true, disabled: true, createdAtMs: 0 };
        await world.deps.objects.put({ ...userObject.key(personKey(person.email)), value: person });
      },
    ],
  ])("is not sent to a person who %s", async (_, prepare) => {
    await prepare();
    const notice = await aNotice({ ...decided, channel: "email", starter: "left@example.com" });
    await notice.read();
    expect(notice.sent).toEqual(["topic"]);
  });
});

describe("a notice that the stream delivers several times", () => {
  it("is sent once for each part", async () => {
    const notice = await aNotice({});
    await Promise.all([notice.dispatch(), notice.dispatch()]);
    await Promise.all([notice.consumer.receive(), notice.consumer.receive()]);
    await notice.read();
    expect(notice.sent.sort()).toEqual([...mails, "topic"]);
    expect(await notice.queue()).toEqual([]);
  });

  it("is sent once for each part if its messages are handled at the same time", async () => {
    const notice = await aNotice({ people: [] });
    await Promise.all([notice.dispatch(), notice.dispatch(), notice.dispatch()]);
    const messages = world.deliveries.splice(0).filter(({ message }) => "notice" in message && message.notice === notice.id);
    const done = await Promise.allSettled(messages.map((message) => notice.consumer.handle({ ...message, receives: 1 })));
    expect(done.map(({ status }) => status)).toContain("fulfilled");
    expect(notice.sent).toEqual(["topic"]);
  });
});

it("a retry that an earlier release stored is sent", async () => {
  const notice = await aNotice({ people: [] });
  const old = { workspace: world.workspace, notice: notice.id, channel: "topic", to: "topic", attempts: 1, heldUntilMs: world.clock.nowMs };
  await world.deps.objects.put({
    ...dueAttemptObject.key(world.clock.nowMs, world.workspace, notice.id, "topic"),
    value: old,
    version: "1",
  });
  await notice.tick();
  expect(await notice.records()).toEqual([["topic", "sent"]]);
  expect(await notice.queue()).toEqual([]);
});

it("the list of deliveries shows only the scheme and the host of a webhook's URL, also if an earlier release stored its path", async () => {
  const { id, flow } = await aNotice({});
  const part = { channel: "webhook" as const, to: "https://hooks.slack.com/services/T0/B0/secret" };
  const delivery = { ...part, gate: randomUUID(), what: "opened" as const, state: "sent" as const, attempts: 1, atMs: world.clock.nowMs };
  const owner = { flow, notice: id, part, expiresAtS: Math.ceil(Date.now() / 1000) + 60 };
  await storeDelivery(world.deps, owner, { delivery, version: 1, after: "absent" });
  const shown = (await listDeliveries(world.deps, flow)).get(delivery.gate);
  expect(shown?.map(({ to }) => to)).toEqual(["https://hooks.slack.com"]);
});
