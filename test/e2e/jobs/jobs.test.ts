import { beforeAll, describe, expect, it } from "vitest";
import { isAlive } from "../../../engine/launch/lock.mjs";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { startWitness } from "../../support/jobs/witness.ts";
import { until } from "../../support/until.ts";

let ws: Workspace;
beforeAll(async () => {
  ws = await newWorkspace();
  await Promise.all([
    ws.saveScript({ path: "f/t/ok", language: "bash", content: 'x="$1"\necho "$x"' }),
    ws.saveScript({ path: "f/t/bad", language: "bash", content: "echo oops >&2; exit 4" }),
    ws.saveScript({
      path: "f/t/until_released",
      language: "python3",
      content:
        "import time, urllib.request\ndef main(url: str):\n    while urllib.request.urlopen(url).read() == b'0':\n        time.sleep(0.05)\n    time.sleep(1)\n    return 'released'\n",
    }),
    ws.saveScript({
      path: "f/t/slow",
      language: "python3",
      content:
        "import time\ndef main(s: float = 30):\n    print('begun', flush=True)\n    time.sleep(s)\n    print('ended')\n    return 'slept'\n",
    }),
  ]);
});

const running = (id: string) =>
  until(async () => ((await ws.get(`jobs_u/get/${id}`)).json as { running?: boolean }).running === true, { what: `job ${id} running` });

// Most of their time is waiting.
describe.concurrent("reading a job", () => {
  it("a job is queued or running with the fields of the queue, then completed with its result", async ({ onTestFinished }) => {
    const witness = await startWitness();
    onTestFinished(() => witness.close());
    const args = { url: `${witness.url}/asked?of=released` };
    const id = await ws.run("f/t/until_released", args);
    await running(id);
    const live = (await ws.get(`jobs_u/get/${id}`)).json as Record<string, unknown>;
    expect(live).toMatchObject({
      type: "QueuedJob",
      running: true,
      job_kind: "script",
      script_path: "f/t/until_released",
      permissioned_as: "u/admin",
      canceled: false,
    });
    expect((await ws.get(`jobs_u/completed/get/${id}`)).status).toBe(404);
    expect((await ws.get(`jobs_u/completed/get_result/${id}`)).status).toBe(404);
    const maybe = async () => (await ws.get(`jobs_u/completed/get_result_maybe/${id}`)).json;
    expect(await maybe()).toEqual({ started: true, completed: false, success: null, result: null });
    await fetch(`${witness.url}/released`);
    const done = await ws.completed(id);
    expect(done).not.toHaveProperty("running");
    expect(done["duration_ms"]).toBeGreaterThanOrEqual(1000);
    expect(await maybe()).toEqual({ started: true, completed: true, success: true, result: "released" });
    expect((await ws.get(`jobs_u/completed/get_timing/${id}`)).json).toMatchObject({ duration_ms: done["duration_ms"] });
    expect((await ws.get(`jobs_u/get_args/${id}`)).json).toEqual(args);
    expect((await ws.get(`job_u/get/${id}`)).json).toMatchObject({ id, type: "CompletedJob" });
  });

  it.each([
    ["sends its last known state", true],
    ["does not", false],
  ])("getupdate waits for news and returns the log from an offset on, for a caller who %s", async (_who, says) => {
    const id = await ws.run("f/t/slow", { s: 4 });
    let log = "";
    let update: { completed?: boolean; running?: boolean; new_logs?: string; log_offset?: number } = {};
    let calls = 0;
    while (!update.completed && calls < 100) {
      update = (await ws.get(`jobs_u/getupdate/${id}`, { log_offset: log.length, ...(says ? { running: update.running ?? false } : {}) }))
        .json as typeof update;
      log += update.new_logs ?? "";
      calls += 1;
    }
    expect(log).toBe("begun\nended\n");
    expect(update.log_offset).toBe(log.length);
    // A long poll returns about once a second. Without it, there would be hundreds of requests.
    expect(calls).toBeLessThan(30);
  });

  it("a failed job has success false and an error object with its exit code", async () => {
    const job = await ws.completed(await ws.run("f/t/bad"));
    expect(job).toMatchObject({ success: false, canceled: false, logs: "oops\n", result: { error: { exit_code: 4 } } });
  });
});

describe.concurrent("cancel", () => {
  it("a running script ends, and its log remains", async () => {
    const id = await ws.run("f/t/slow", { s: 50 });
    await running(id);
    await until(async () => (await ws.get(`jobs_u/get_logs/${id}`)).text.includes("begun"), { what: "the first line" });
    expectStatus(await ws.post(`jobs_u/queue/cancel/${id}`), 200);
    const job = await ws.completed(id, 15_000);
    expect(job).toMatchObject({ canceled: true, logs: "begun\n", result: { error: { name: "Canceled" } } });
  });

  const endless = {
    bun: "export async function main() { console.log('pid', process.pid); await new Promise(() => setInterval(() => {}, 1000)); }",
    deno: "export async function main() { console.log('pid', Deno.pid); await new Promise(() => setInterval(() => {}, 1000)); }",
    nodejs: "export async function main() { console.log('pid', process.pid); await new Promise(() => setInterval(() => {}, 1000)); }",
    python3: "import os, time\ndef main():\n    print('pid', os.getpid(), flush=True)\n    while True: time.sleep(1)\n",
    go: `package inner

import (
	"fmt"
	"os"
	"time"
)

func main() (string, error) {
	fmt.Println("pid", os.Getpid())
	for {
		time.Sleep(time.Second)
	}
}
`,
    bash: 'echo "pid $$"\nwhile true; do sleep 1; done',
  };
  it.each(Object.entries(endless))("the process of a running %s script ends", async (language, content) => {
    const path = `f/t/endless_${language}`;
    await ws.saveScript({ path, language, content });
    const id = await ws.run(path);
    const log = async () => (await ws.get(`jobs_u/get_logs/${id}`)).text;
    const pid = Number(await until(async () => /^pid (\d+)$/m.exec(await log())?.[1], { timeoutMs: 60_000, what: "its process id" }));
    expect(isAlive(pid)).toBe(true);
    expectStatus(await ws.post(`jobs_u/queue/cancel/${id}`), 200);
    expect(await ws.completed(id)).toMatchObject({ canceled: true, result: { error: { name: "Canceled" } } });
    await until(() => !isAlive(pid), { timeoutMs: 60_000, what: `the end of process ${pid}` });
  });

  it("a cancellation by force ends the record whatever the runner does", async () => {
    const id = await ws.run("f/t/slow", { s: 20 });
    await running(id);
    expectStatus(await ws.post(`jobs_u/queue/force_cancel/${id}`, { reason: "now" }), 200);
    expect((await ws.get(`jobs_u/completed/get/${id}`)).json).toMatchObject({ canceled: true, canceled_reason: "now" });
  });
});

describe("progress", () => {
  it("a job reports progress through its client, it never decreases, and it can be read during the run and after it", async () => {
    const witness = await startWitness();
    await ws.saveScript({
      path: "f/t/progress",
      language: "bun",
      content: `import * as svc from "svc-client";
export async function main(url: string) {
  await svc.setProgress(40);
  await svc.setProgress(20);
  await fetch(url + "/told");
  return svc.getProgress();
}`,
    });
    const job = await ws.run("f/t/progress", { url: witness.url });
    await witness.waitForReport("told");
    expect(await ws.completed(job)).toMatchObject({ result: 40 });
    expect((await ws.get(`job_metrics/get_progress/${job}`)).json).toBe(40);
    expect((await ws.get(`jobs_u/getupdate/${job}`, { get_progress: "true" })).json).toMatchObject({ progress: 40 });
    expect((await ws.post(`job_metrics/set_progress/${job}`, { percent: 100 })).status).toBe(422);
    await witness.close();
  });
});

describe("run_now", () => {
  it("a job scheduled within a message's delay runs at once", async () => {
    const id = await ws.run("f/t/ok", { x: "now" }, { scheduled_in_secs: 800 });
    expectStatus(await ws.post(`jobs/queue/run_now/${id}`), 200);
    expect(await ws.completed(id)).toMatchObject({ success: true, result: "now" });
  });
});
