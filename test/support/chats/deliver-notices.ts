import { noticeObject } from "../../../core/notifications/stored-notice.ts";
import type { MailText } from "../../../core/notifications/text.ts";
import type { SendingPorts } from "../../../services/deliveries/deliver-message.ts";
import { sendDeliveries } from "../../../services/deliveries/queue-attempts.ts";
import { listDeliveries } from "../../../services/notifications/delivery-records.ts";
import { dispatchNotice } from "../../../services/notifications/dispatch-notice.ts";
import type { World } from "../use-cases/world.ts";
import { DeliveryConsumer } from "../use-cases/world-deliveries.ts";
import { work } from "../use-cases/world-jobs.ts";
import { recordingChannels } from "../use-cases/world-notices.ts";

/** Function `deliver` of a world whose chats are fakes, and the mails that it sends. */
export function noticesOf(world: World) {
  const dispatched = new Set<string>();
  const mails: (MailText & { to: string })[] = [];
  const { channels } = recordingChannels();
  const mail: SendingPorts["mail"] = {
    ...channels.mail,
    sendEmail: (to, text) => {
      mails.push({ to, ...text });
      return channels.mail.sendEmail(to);
    },
  };
  const consumerWith = (ports: Partial<SendingPorts>) =>
    new DeliveryConsumer(world, { ...world.deps, ...channels, mail, ...ports } as SendingPorts);
  return {
    mails,
    /** Starts the follow-ups of ended jobs, dispatches each new notice once, and makes the attempts that are due. `ports` replace those of the world. */
    async deliver(ports: Partial<SendingPorts> = {}): Promise<void> {
      await work(world);
      for (const { pk, sk } of await world.deps.objects.list(noticeObject.partitionKey(world.workspace))) {
        if (dispatched.has(sk)) continue;
        dispatched.add(sk);
        await sendDeliveries(world.deps, await dispatchNotice(world.deps, { pk, sk }));
      }
      await consumerWith(ports).receive();
    },
    /** Lets time pass, and makes the attempts that are due then. */
    pass: (ms: number) => consumerWith({}).pass(ms),
    /** Lists the deliveries of a run's notices into chats. */
    listInChats: async (run: string) =>
      [...(await listDeliveries(world.deps, run)).values()].flat().filter(({ channel }) => channel === "chat"),
  };
}
