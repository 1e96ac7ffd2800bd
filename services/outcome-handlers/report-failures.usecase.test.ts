import { randomUUID } from "node:crypto";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { limits } from "../../contract/limits.ts";
import type { FailureNoticeRule } from "../../contract/routes/workspaces/failure-notices.ts";
import type { QueuedJob } from "../../core/jobs/record/job.ts";
import type { MailNotice } from "../../core/notifications/mail-notice.ts";
import type { RunNotice } from "../../core/notifications/run-notice.ts";
import { noticeObject } from "../../core/notifications/stored-notice.ts";
import { expectToSurviveFaults } from "../../test/support/use-cases/failing-writes.ts";
import { failure, success, type World } from "../../test/support/use-cases/world.ts";
import { DeliveryConsumer } from "../../test/support/use-cases/world-deliveries.ts";
import { addJob, newScriptWorld, passLease, work } from "../../test/support/use-cases/world-jobs.ts";
import { recordingChannels } from "../../test/support/use-cases/world-notices.ts";
import type { SendingPorts } from "../deliveries/deliver-message.ts";
import { sendDeliveries } from "../deliveries/queue-attempts.ts";
import { handleJobMessage } from "../execution/handle-job-message.ts";
import { cancelJob } from "../jobs/cancel/cancel-job.ts";
import { dispatchNotice } from "../notifications/dispatch-notice.ts";
import { getWorkspaceSettings } from "../settings/workspace.ts";
import { setFailureNotices } from "../workspaces/failure-notices.ts";

let world: World;
let hash: string;
beforeAll(async () => {
  ({ world, hash } = await newScriptWorld());
});

const setRules = (rules: FailureNoticeRule[]) => setFailureNotices(world.deps, world.workspace, { rules });
let path: string;
beforeEach(async () => {
  path = `f/ops/s${randomUUID().slice(0, 8)}`;
  world.answers.run = async () => failure("no disk");
  await setRules([{ email: ["u/ann"], topic: true, webhook: "https://hooks.example.com/secret", on_recovery: true }]);
});

const addRun = (fields: Partial<QueuedJob> = {}) =>
  addJob(world, { hash, path, successHandled: true, args: { in: "head", json: '{"key":"of the arguments"}' }, ...fields });

/** Runs a job to its end, and then its follow-ups. */
async function run(fields: Partial<QueuedJob> = {}): Promise<QueuedJob> {
  const job = await addRun(fields);
  await handleJobMessage(world.deps, { job: job.id, hash: job.hash });
  await work(world);
  return job;
}

type Notice = MailNotice | RunNotice;
const notices = async (): Promise<Notice[]> => {
  const all = await world.deps.objects.list(noticeObject.partitionKey(world.workspace));
  return all.map(({ value }) => value as Notice).filter((notice) => JSON.stringify(notice).includes(path));
};
const sent = async () =>
  (await notices())
    .map((notice) =>
      notice.kind === "mail" ? `mail ${notice.people} ${notice.subject.split(":")[0]}` : `${notice.channel} ${notice.what}`,
    )
    .sort();
const failedOnce = ["mail ann@example.com Failed", "topic failed", "webhook failed"];

describe("a failed run", () => {
  it("is reported to each receiver of the rules once, with its error and nothing else of it", async () => {
    await run();
    expect(await sent()).toEqual(failedOnce);
    const texts = JSON.stringify(await notices());
    expect(texts).toContain("no disk");
    expect(texts).not.toContain("of the arguments");
    expect(await getWorkspaceSettings(world.deps, world.workspace)).toMatchObject({ failure_notices: { rules: [{ topic: true }] } });
  });

  it("is reported again only after an hour", async () => {
    await run();
    await run();
    expect(await sent()).toEqual(failedOnce);
    world.clock.nowMs += limits.failureNoticeMs;
    await run();
    expect(await sent()).toEqual([...failedOnce, ...failedOnce].sort());
  });

  it("is reported once even if its handlers are started twice at the same time, and so are two runs that fail at once", async () => {
    const jobs = await Promise.all([addRun(), addRun()]);
    await Promise.all(jobs.map((job) => handleJobMessage(world.deps, { job: job.id, hash: job.hash })));
    await Promise.all(jobs.flatMap(({ id }) => [world.deps.startFollowUps(id), world.deps.startFollowUps(id)]));
    await work(world);
    expect(await sent()).toEqual(failedOnce);
  });

  it("is reported once, whichever write fails", async () => {
    await expectToSurviveFaults(async () => {
      path = `f/ops/s${randomUUID().slice(0, 8)}`;
      const job = await addRun();
      await handleJobMessage(world.deps, { job: job.id, hash: job.hash });
      return {
        act: () => world.deps.startFollowUps(job.id),
        recover: async () => {
          await world.deps.startFollowUps(job.id);
          await passLease(world);
        },
        check: async () => expect(await sent()).toEqual(failedOnce),
      };
    });
  });

  it.each<[string, Partial<QueuedJob>]>([
    ["a preview", { kind: "preview" }],
    ["a job that another one has started", { parent: randomUUID() }],
    ["a handler", { isHandler: true }],
  ])("is not reported for %s", async (_, fields) => {
    await run(fields);
    expect(await sent()).toEqual([]);
  });

  it("is not reported if a person has canceled it, or if no rule names it", async () => {
    const job = await addRun();
    await cancelJob(world.deps, job, { by: "ann", reason: "wrong" });
    await work(world);
    await setRules([{ path: "f/other/*", topic: true }]);
    await run();
    expect(await sent()).toEqual([]);
  });

  it("reaches no person who has left the workspace", async () => {
    await setRules([{ email: ["u/former", "g/none"] }]);
    await run();
    expect(await sent()).toEqual([]);
  });
});

describe("a success", () => {
  it("is reported once after a reported failure, to rules that want recoveries", async () => {
    world.answers.run = async () => success(1);
    await run();
    expect(await sent()).toEqual([]);
    world.answers.run = async () => failure("no disk");
    await run();
    world.answers.run = async () => success(1);
    await run();
    await run();
    const recovered = ["mail ann@example.com Recovered", "topic recovered", "webhook recovered"];
    expect(await sent()).toEqual([...failedOnce, ...recovered].sort());
  });
});

it("the notices are delivered: a mail, a message of the topic, and a signed webhook", async () => {
  await run();
  const { sent: delivered, channels } = recordingChannels();
  const ports = { ...world.deps, ...channels } as SendingPorts;
  const all = await notices();
  const ids = new Set(all.map(({ id }) => id));
  const consumer = new DeliveryConsumer(world, ports, (message) => "notice" in message && ids.has(message.notice));
  for (const { id } of all) {
    const queued = await dispatchNotice(world.deps, noticeObject.key(world.workspace, id));
    await sendDeliveries(world.deps, queued);
    await sendDeliveries(world.deps, queued);
  }
  await consumer.receive();
  await consumer.pass(60_000);
  expect(delivered.sort()).toEqual(["ann@example.com", "https://hooks.example.com/secret", "topic"]);
});
