import { AsyncLocalStorage } from "node:async_hooks";
import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import type { Sendable } from "../../../core/jobs/record/lifecycle.ts";
import { addJob, newScriptWorld } from "../../../test/support/use-cases/world-jobs.ts";
import { handleJobMessage } from "../../execution/handle-job-message.ts";

const JOBS = 100;
/** The messages that one worker receives at once (lib/compute/job-queue.ts). */
const BATCH = 10;

it("100 jobs of a group with the limit 1 get two messages each at most, and each hop of the chain that Lambda counts runs a job", async () => {
  const { world, hash } = await newScriptWorld();
  const concurrency = { group: randomUUID().replaceAll("-", ""), limit: 1 };
  const jobs = [];
  for (let n = 0; n < JOBS; n += 1) jobs.push(await addJob(world, { hash, concurrency }));

  // Lambda numbers a message with the number of the invocation that sends it, plus one.
  const hop = new AsyncLocalStorage<number>();
  const waiting: { job: string; hop: number }[] = [];
  const received = new Map<string, number>();
  let longest = 0;
  let running = 0;
  let most = 0;
  // The listeners for the ends of jobs have this queue too.
  const { deps } = world;
  deps.queue.sendMessage = async ({ id }: Sendable) => void waiting.push({ job: id, hop: (hop.getStore() ?? 0) + 1 });
  const { run } = world.answers;
  world.answers.run = async (request) => {
    running += 1;
    most = Math.max(most, running);
    const answer = await run(request);
    running -= 1;
    return answer;
  };
  for (const job of jobs) await deps.queue.sendMessage(job);
  while (waiting.length > 0) {
    await Promise.all(
      waiting.splice(0, BATCH).map((message) => {
        received.set(message.job, (received.get(message.job) ?? 0) + 1);
        longest = Math.max(longest, message.hop);
        return hop.run(message.hop, () => handleJobMessage(deps, { job: message.job, hash, group: concurrency.group }));
      }),
    );
  }

  const states = (await Promise.all(jobs.map(({ id }) => deps.jobs.get(id)))).map((job) => job?.state);
  expect(states).toEqual(jobs.map(() => "succeeded"));
  expect(most).toBe(1);
  expect(Math.max(...received.values())).toBeLessThanOrEqual(2);
  // Far more than the 16 after which Lambda stops a recursive function, and not more than jobs.
  expect(longest).toBeGreaterThan(16);
  expect(longest).toBeLessThanOrEqual(JOBS);
});
