import { expect, it } from "vitest";
import { hasEnded } from "../../core/jobs/record/job.ts";
import { divideConcurrency } from "../../lib/compute/concurrency.ts";
import { parseConfig } from "../../lib/config.ts";
import { aFlow } from "../../test/builders/flows.ts";
import { SimulatedAccount } from "../../test/support/use-cases/aws/simulated-account.ts";
import { all, echo } from "../../test/support/use-cases/cases/flow-modules.ts";
import { newFlowWorld } from "../../test/support/use-cases/world-flows.ts";
import { addJob, addScript } from "../../test/support/use-cases/world-jobs.ts";

const QUOTA = 10;
const HOUR_MS = 3600_000;

it("scripts and flows with parallel branches all end in an account in which ten functions run at once", async () => {
  const world = await newFlowWorld();
  const { hash } = await addScript(world);
  const { workers, messagesOfWorker } = divideConcurrency(parseConfig({ reservedConcurrency: 0 }));
  const account = new SimulatedAccount(world, { refuse: () => undefined, quota: QUOTA, workers: 2 * workers * messagesOfWorker });
  const ids: string[] = [];
  for (let index = 0; index < 16; index += 1) {
    ids.push((await addJob(world, { hash, args: { in: "head", json: JSON.stringify({ x: index }) } })).id);
  }
  // More concurrent steps than the account has executions: each occupies one, and needs another one for its runner.
  const branches = Array.from({ length: 12 }, (_, index) => [echo(`s${index}`, `${index}`)]);
  for (let index = 0; index < 2; index += 1) {
    const flow = aFlow({ modules: [all("many", branches, { parallel: true }), echo("last", "results.many.length")] });
    const code = { in: "head" as const, json: JSON.stringify({ flow }) };
    ids.push((await addJob(world, { kind: "flowpreview", code, hash: undefined, language: undefined, tag: "flow", timeoutS: 86_400 })).id);
  }
  for (const job of await world.deps.jobs.batchGet(ids)) await account.send({ job: job.id, ...(job.hash ? { hash: job.hash } : {}) });
  const jobs = () => world.deps.jobs.batchGet(ids);
  await account.play(async () => (await jobs()).every(hasEnded), HOUR_MS);
  expect((await jobs()).map(({ state }) => state)).toEqual(ids.map(() => "succeeded"));
  expect(account.mostAtOnce).toBe(QUOTA);
  expect(account.deadLetters).toBe(0);
  expect([...account.runs.values()].every((times) => times === 1)).toBe(true);
  console.info(JSON.stringify({ minutes: account.elapsedMs / 60_000, refused: account.refused }));
});
