import { beforeAll, describe, expect, it } from "vitest";
import type { Answer } from "../../support/api/api.ts";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";

let ws: Workspace;
const HOUR = 3600;
/** Each run gives another number: two equal ones are one run. */
const content = `
export function main(a?: unknown, fail = false, length = 0) {
  const n = Math.random();
  if (fail) throw new Error("run " + n);
  return { n, a, text: "x".repeat(length) };
}`;
const save = (name: string, more: object = {}) =>
  ws.saveScript({ path: name.includes("/") ? name : `f/t/${name}`, language: "bun", content, cache_ttl: HOUR, ...more });

beforeAll(async () => {
  ws = await newWorkspace();
  await Promise.all([
    save("cached"),
    save("stream", { content: "export async function* main() { yield 'a\\n'; yield String(Math.random()); }" }),
    save("prints", { content: "export const main = () => console.log('mine');" }),
    save("slow", { content: "export async function main(ms: number) { await Bun.sleep(ms); return Math.random(); }" }),
  ]);
});

const run = async (name: string, args: object = {}, query = {}): Promise<Answer> =>
  expectStatus(await ws.runWait(`f/t/${name}`, args, query), 200);
const isCached = (answer: Answer) => answer.headers.get("x-svc-cached") === "true";
const jobOf = (answer: Answer) => answer.headers.get("x-svc-job-id") ?? "";
let nonce = 0;
/** Arguments that no other test has sent. */
const fresh = (more: object = {}) => ({ a: `input ${nonce++}`, ...more });

describe("cache_ttl of a script", () => {
  it("the cache also serves asynchronous runs and streams, which are complete", async () => {
    const args = fresh();
    const first = await ws.completed(await ws.run("f/t/cached", args));
    expect(await ws.completed(await ws.run("f/t/cached", args))).toMatchObject({ cached: true, result: first["result"] });
    expect((await run("cached", args)).json).toEqual(first["result"]);
    const stream = async () => {
      const { text } = expectStatus(await ws.post("jobs/run_and_stream/p/f/t/stream", {}), 200);
      const last = JSON.parse(text.trim().split("\n\n").at(-1)?.split("data: ")[1] ?? "") as { only_result: string };
      return last.only_result;
    };
    const whole = await stream();
    expect(whole).toMatch(/^a\n0\./);
    expect(await stream()).toBe(whole);
  });

  it("a call that reuses a job id writes nothing", async () => {
    await run("stream");
    const other = await ws.completed(await ws.run("f/t/prints"));
    const answer = await ws.runWait("f/t/stream", {}, { job_id: String(other["id"]) });
    expect([answer.status, answer.headers.get("x-svc-error")]).toEqual([400, "job.idTaken"]);
    expect((await ws.get(`jobs_u/get_logs/${other["id"]}`)).text).toBe("mine\n");
    const cached = await run("stream");
    expect([isCached(cached), (await ws.get(`jobs_u/get_logs/${jobOf(cached)}`)).text]).toEqual([
      true,
      expect.stringContaining("WM_STREAM: a"),
    ]);
  });

  it("the cache also serves runs whose runner reports their end", async () => {
    const started = await ws.run("f/t/slow", { ms: 6000 });
    const { result } = await ws.completed(started);
    const answer = await run("slow", { ms: 6000 });
    expect([isCached(answer), answer.json]).toEqual([true, result]);
  });
});
