import { beforeAll, describe, expect, it } from "vitest";
import { failedAttempt } from "../../core/deliveries/attempt.ts";
import { hasEnded } from "../../core/jobs/record/job.ts";
import { buildPartName } from "../../core/notifications/delivery.ts";
import { expectToSurviveFaults } from "../../test/support/use-cases/failing-writes.ts";
import { newWorld, type World } from "../../test/support/use-cases/world.ts";
import { addWorkspace } from "../../test/support/use-cases/world-jobs.ts";
import { addNotice, mails } from "../../test/support/use-cases/world-notices.ts";
import { cancelJob } from "../jobs/cancel/cancel-job.ts";
import { eraseJob } from "../jobs/erasure/erase-job.ts";
import { recordBounce } from "./record-bounce.ts";

let world: World;
beforeAll(async () => {
  world = await newWorld();
  await addWorkspace(world);
});

const [mail = ""] = mails;

/** A notice to one approver, and the event of SES about its mail. */
async function aNotice() {
  const notice = await addNotice(world, { people: [mail] });
  const tags = { flow: [notice.flow], notice: [notice.id], nth: [buildPartName({ channel: "email", to: mail })] };
  const bounce = { bounceType: "Permanent", bounceSubType: "General", bouncedRecipients: [] };
  const event = { source: "aws.ses", detail: { mail: { tags }, bounce } };
  return { ...notice, bounce: () => recordBounce(world.deps, event) };
}
const expectBounced = async ({ records, queue }: Awaited<ReturnType<typeof aNotice>>) => {
  expect(await records()).toEqual([
    [mail, "failed"],
    ["topic", "sent"],
  ]);
  expect(await queue()).toEqual([]);
};

describe("recordBounce, whichever write of it or of the delivery fails,", () => {
  it("records that the mail failed when the event is delivered again", async () => {
    await expectToSurviveFaults(async () => {
      const notice = await aNotice();
      await notice.read();
      return {
        act: notice.bounce,
        recover: notice.bounce,
        check: async () => {
          await notice.tick();
          await expectBounced(notice);
          expect(notice.sent.filter((to) => to === mail)).toHaveLength(1);
        },
      };
    });
  });

  it("is not overwritten when the stream and housekeeping repeat the delivery of the notice", async () => {
    const make = async () => {
      const notice = await aNotice();
      return {
        act: async () => {
          await notice.read();
          await notice.bounce();
        },
        recover: async () => {
          // The event may arrive before the delivery is recorded. It is then delivered again.
          if (notice.sent.includes(mail)) await notice.bounce().catch((error: unknown) => expect(String(error)).toContain("is known"));
          await notice.read();
          await notice.tick();
          await notice.bounce();
          await notice.read();
          await notice.tick();
        },
        check: async () => {
          await expectBounced(notice);
          expect(notice.sent.filter((to) => to === mail).length).toBeLessThan(3);
        },
      };
    };
    await expectToSurviveFaults(make, { kinds: ["death"] });
  });

  it("prevents further attempts for a mail that was sent although its first attempt seemed to fail", async () => {
    await expectToSurviveFaults(async () => {
      const notice = await aNotice();
      notice.answers.next = [failedAttempt("503"), failedAttempt("503")];
      await notice.read();
      return {
        act: notice.bounce,
        recover: notice.bounce,
        check: async () => {
          for (let tick = 0; tick < 3; tick += 1) await notice.tick();
          await expectBounced(notice);
          expect(notice.sent.filter((to) => to === mail)).toHaveLength(1);
        },
      };
    });
  });
});

describe("recordBounce of a run that was erased", () => {
  it("changes nothing, and the event is not delivered again", async () => {
    const notice = await aNotice();
    await notice.read();
    const flow = await world.deps.jobs.get(notice.flow);
    if (flow) await cancelJob(world.deps, flow, { by: "ann", reason: "" });
    const ended = await world.deps.jobs.get(notice.flow);
    if (!ended || !hasEnded(ended)) throw new Error("The flow has not ended.");
    await eraseJob(world.deps, ended);
    await notice.bounce();
    expect(await notice.records()).toEqual([]);
  });
});
