import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { root } from "../../engine/paths.ts";
import { divideConcurrency } from "../../lib/compute/concurrency.ts";
import { parseConfig } from "../../lib/config.ts";
import { executionsOf, type Jobs, mixed, short, simulateQueue, type Workers } from "./mixed-queue.ts";

/** A reproducible sequence of numbers in [0, 1). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
const rate = (workers: Workers, jobs: Jobs) => Math.round(simulateQueue(workers, jobs, seeded(7)));

const ofQueue = (settings: object): Workers => {
  const { workers, messagesOfWorker } = divideConcurrency(parseConfig(settings));
  return { count: workers, batch: messagesOfWorker };
};
const one = ofQueue({});
const ten = ofQueue({ workerBatchSize: 10 });

describe("a queue in which a tenth of the jobs lasts a minute", () => {
  it("runs 36 jobs a second in 250 runners, and 6 if ten jobs wait for the longest of them", () => {
    expect(rate({ count: 250, batch: 1 }, mixed)).toBe(36);
    expect(rate({ count: 25, batch: 10 }, mixed)).toBe(6);
  });

  it("runs more than three times as many jobs in the same executions with one job for each worker", () => {
    const batched = { count: 25, batch: 10 };
    const single = { count: 137, batch: 1 };
    expect(executionsOf(single)).toBeLessThanOrEqual(executionsOf(batched));
    expect(rate(single, mixed)).toBeGreaterThan(3 * rate(batched, mixed));
  });
});

it("docs/aws.md and docs/performance.md state the rates of both choices with the default settings", () => {
  expect([executionsOf(one), executionsOf(ten)]).toEqual([120, 110]);
  const rates = [one, ten].map((workers) => [short, mixed].map((jobs) => rate(workers, jobs)));
  const rows = rates.map(([ofShort, ofMixed], index) => {
    const { count, batch } = index === 0 ? one : ten;
    return `| ${batch} | ${count} | ${count * batch} | ${ofShort} | ${ofMixed} |`;
  });
  const page = (name: string) => readFileSync(path.join(root, "docs", name), "utf8");
  expect(rows.filter((row) => !page("aws.md").includes(row))).toEqual([]);
  expect(
    page("performance.md").includes(`ends ${rates[0]?.[1]} jobs a second with one job for each worker, and ${rates[1]?.[1]} with ten`),
  ).toBe(true);
});
