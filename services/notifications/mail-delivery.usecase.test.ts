import { beforeAll, describe, expect, it } from "vitest";
import { INSTANCE } from "../../contract/common.ts";
import { failedAttempt } from "../../core/deliveries/attempt.ts";
import { personKey, userObject } from "../../core/people/person.ts";
import { deletedWorkspaceObject } from "../../core/workspaces/deleted.ts";
import { expectToSurviveFaults } from "../../test/support/use-cases/failing-writes.ts";
import { newWorld, type World } from "../../test/support/use-cases/world.ts";
import { DeliveryConsumer } from "../../test/support/use-cases/world-deliveries.ts";
import { addWorkspace } from "../../test/support/use-cases/world-jobs.ts";
import { recordingChannels } from "../../test/support/use-cases/world-notices.ts";
import type { SendingPorts } from "../deliveries/deliver-message.ts";
import { sendDeliveries } from "../deliveries/queue-attempts.ts";
import { buildMailWrite } from "../outbox/mail.ts";
import { dispatchNotice } from "./dispatch-notice.ts";

let world: World;
beforeAll(async () => {
  world = await newWorld();
  await addWorkspace(world);
});

const people = ["kim@example.com", "KIM@example.com", "lee@example.com"];

/** A mail that a change has written, and function `deliver`. */
async function aMail({ workspace = world.workspace, hasSender = true, to = people } = {}) {
  const part = buildMailWrite({ workspace, people: to, subject: "A token expires", lines: ["Soon."], page: "/", atMs: world.clock.nowMs });
  if (part.op !== "put") throw new Error("A mail is written by a put.");
  await world.deps.objects.transactWrite([part]);
  const { pk, sk } = part.object;
  const { sent, next, channels } = recordingChannels();
  channels.mail.hasSender = () => hasSender;
  const ports = { ...world.deps, ...channels } as SendingPorts;
  const consumer = new DeliveryConsumer(world, ports, (message) => message.kind === "mail" && message.notice === sk);
  const read = async () => {
    await sendDeliveries(world.deps, await dispatchNotice(world.deps, { pk, sk }));
    await consumer.receive();
  };
  return { sent, next, consumer, read };
}

describe("a mail that concerns no gate", () => {
  it("is sent once to each address, even if the stream delivers it again", async () => {
    const mail = await aMail();
    await Promise.all([mail.read(), mail.read()]);
    await mail.read();
    expect(mail.sent.sort()).toEqual(["kim@example.com", "lee@example.com"]);
  });

  it("is sent again after five seconds if an attempt failed", async () => {
    const mail = await aMail();
    mail.next.push(failedAttempt("TooManyRequestsException"));
    await mail.read();
    await mail.consumer.pass(1000);
    expect(mail.sent).toHaveLength(2);
    await mail.consumer.pass(6000);
    expect(mail.sent.sort()).toEqual(["kim@example.com", "kim@example.com", "lee@example.com"]);
  });

  it("is not sent for a deleted workspace", async () => {
    const mail = await aMail({ workspace: "deleted" });
    await world.deps.objects.put({ ...deletedWorkspaceObject.key("deleted"), value: {} });
    await mail.read();
    expect(mail.sent).toEqual([]);
  });

  it("is neither sent nor attempted again by a deployment without a sender", async () => {
    const mail = await aMail({ hasSender: false });
    await mail.read();
    await mail.consumer.pass(24 * 3600_000);
    expect(mail.sent).toEqual([]);
    expect(world.deliveries.filter(({ message }) => message.kind === "mail")).toEqual([]);
  });

  it("goes to the superadmins, if it is for the admins of the instance, and not to disabled ones", async () => {
    for (const [name, superAdmin, disabled] of [
      ["boss", true, false] as const,
      ["former", true, true] as const,
      ["user", false, false] as const,
    ]) {
      const person = { email: `${name}@example.com`, username: name, superAdmin, disabled, createdAtMs: 0 };
      await world.deps.objects.put({ ...userObject.key(personKey(person.email)), value: person });
    }
    const mail = await aMail({ workspace: INSTANCE, to: ["role:admin", "kim@example.com"] });
    await mail.read();
    expect(mail.sent.sort()).toEqual(["ann@example.com", "boss@example.com", "kim@example.com"]);
  });

  it("is sent at least once and recorded, whichever write fails", async () => {
    await expectToSurviveFaults(async () => {
      const mail = await aMail();
      return {
        act: mail.read,
        recover: async () => {
          await mail.read();
          for (let n = 0; n < 2; n += 1) await mail.consumer.pass(60_000);
        },
        check: async () => {
          expect([...new Set(mail.sent)].sort()).toEqual(["kim@example.com", "lee@example.com"]);
          expect(mail.sent.length).toBeLessThan(4);
        },
      };
    });
  });
});
