import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { failedAttempt } from "../../core/notifications/delivery.ts";
import type { GateNotice } from "../../core/notifications/notice.ts";
import { expectToSurviveFaults } from "../../test/support/use-cases/failing-writes.ts";
import { newRoom, type Room } from "../../test/support/use-cases/room.ts";
import { addWorkspace } from "../../test/support/use-cases/room-jobs.ts";
import { addNotice, mails } from "../../test/support/use-cases/room-notices.ts";
import { listDeliveries, storeDelivery } from "./delivery-records.ts";

let room: Room;
beforeAll(async () => {
  room = await newRoom();
  await addWorkspace(room);
});

const aNotice = (fields: Partial<GateNotice>) => addNotice(room, fields);

const channels: [string, Partial<GateNotice>, string[]][] = [
  ["the topic and two mails", {}, [...mails, "topic"]],
  ["the topic and a webhook", { channel: "webhook", url: "https://hooks.example.com" }, ["https://hooks.example.com", "topic"]],
];

describe("deliverNotice, whichever of its writes and calls fails,", () => {
  it.each(channels)("sends %s when the stream brings the notice again, and nothing remains in the queue", async (_, fields, parts) => {
    await expectToSurviveFaults(async () => {
      const notice = await aNotice(fields);
      return {
        act: async () => {
          await notice.read();
          await notice.handleCalls();
        },
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
  });

  it("is completed by housekeeping from the moment that the parts are in the queue, although the stream brings nothing again", async () => {
    await expectToSurviveFaults(async () => {
      const notice = await aNotice(channels[1]?.[1] ?? {});
      let isQueued = 0;
      return {
        act: async () => {
          await notice.read();
          await notice.handleCalls();
        },
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

describe("a part of a notice that is sent again, whichever write of that fails,", () => {
  it("is recorded as sent in the end, and leaves the queue", async () => {
    await expectToSurviveFaults(async () => {
      const notice = await aNotice({ people: [mails[0] ?? ""] });
      notice.answers.next = [failedAttempt("503"), failedAttempt("503")];
      await notice.read();
      expect((await notice.records()).map(([, state]) => state)).toEqual(["retrying", "retrying"]);
      return {
        act: () => notice.tick(),
        recover: async () => {
          for (let tick = 0; tick < 3; tick += 1) await notice.tick();
          room.clock.nowMs += 3_600_000;
          await notice.tick();
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

describe("a notice that two streams and two ticks bring at once", () => {
  it("is sent once for each part", async () => {
    const notice = await aNotice({});
    await Promise.all([notice.read(), notice.read()]);
    await Promise.all([notice.tick(), notice.tick(), notice.read()]);
    expect(notice.sent.sort()).toEqual([...mails, "topic"]);
    expect(await notice.queue()).toEqual([]);
  });

  it("is tried again once for each part that failed", async () => {
    const notice = await aNotice({ people: [] });
    notice.answers.next = [failedAttempt("503")];
    await notice.read();
    await Promise.all([notice.tick(), notice.tick(), notice.tick()]);
    expect(notice.sent).toEqual(["topic", "topic"]);
    expect(await notice.queue()).toEqual([]);
  });
});

it("the list of deliveries shows only the scheme and the host of a webhook's URL, also if an earlier release stored its path", async () => {
  const { id, flow } = await aNotice({});
  const part = { channel: "webhook" as const, to: "https://hooks.slack.com/services/T0/B0/secret" };
  const delivery = { ...part, gate: randomUUID(), what: "opened" as const, state: "sent" as const, attempts: 1, atMs: room.clock.nowMs };
  await storeDelivery(room.deps, { flow, notice: id, part, expiresAtS: Math.ceil(Date.now() / 1000) + 60 }, delivery);
  const shown = (await listDeliveries(room.deps, flow)).get(delivery.gate);
  expect(shown?.map(({ to }) => to)).toEqual(["https://hooks.slack.com"]);
});
