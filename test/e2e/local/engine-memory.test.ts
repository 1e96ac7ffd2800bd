import { readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { api } from "../../support/api/api.ts";
import { newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { startTestInstance, type TestInstance } from "../../support/engine/instances.ts";

/** A separate engine, because the work of other tests changes its memory. */
let instance: TestInstance;
let ws: Workspace;
beforeAll(async () => {
  instance = await startTestInstance();
  ws = await newWorkspace(api({ url: instance.url, token: instance.admin.token }));
  await ws.saveScript({
    path: "f/t/echo",
    language: "bun",
    content: "export const main = (text: string) => { console.log(text); return { text }; };",
  });
}, 180_000);
afterAll(() => instance.stop());

/** The bytes that the engine's process alone uses, after it has saved its state and returned what it does not use. */
async function engineBytes(): Promise<number> {
  await instance.save();
  const { pid } = JSON.parse(readFileSync(path.join(instance.dir, "engine", "engine.pid"), "utf8")) as { pid: number };
  return 1024 * Number(/^Private_Dirty:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "latin1"))?.[1]);
}

const CALLERS = 8;
async function runJobs(count: number): Promise<void> {
  let left = count;
  const caller = async () => {
    for (; left > 0; left -= 1) {
      expect(await ws.runWait("f/t/echo", { text: `the text of one of ${count} jobs` })).toMatchObject({ status: 200 });
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
}

const JOBS = 200;
const MOST_BYTES = 5 * 1024;
async function measureGrowth(): Promise<number> {
  const before = await engineBytes();
  await runJobs(JOBS);
  return ((await engineBytes()) - before) / JOBS;
}

/** The first jobs fill the logs and records that are bounded. Only Linux reports the memory of a process in this way. */
it.runIf(process.platform === "linux")("the engine's memory grows by at most 5 KB for each job", { timeout: 300_000 }, async () => {
  await runJobs(300);
  // Python allocates 1 MiB at a time, which is 5 KB for each of these jobs. Growth of that size is a leak only if it is in every round.
  let growth = await measureGrowth();
  for (let round = 2; round <= 3 && growth >= MOST_BYTES; round += 1) growth = await measureGrowth();
  expect(growth).toBeLessThan(MOST_BYTES);
});

it("no log group of the engine has more than 200 streams", async () => {
  const state = JSON.parse(readFileSync(path.join(instance.dir, "engine", "state", "cloudwatch_logs.json"), "utf8")) as {
    payload: { log_groups: { data: Record<string, { streams: Record<string, unknown> }> } };
  };
  const sizes = Object.values(state.payload.log_groups.data).map(({ streams }) => Object.keys(streams).length);
  expect(Math.max(...sizes)).toBe(200);
});
