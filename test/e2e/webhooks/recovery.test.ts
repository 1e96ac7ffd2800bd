import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { api } from "../../support/api/api.ts";
import { eventsOf, streamOf } from "../../support/api/events.ts";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { invoke } from "../../support/engine/aws.ts";
import { startTestInstance, type TestInstance } from "../../support/engine/instances.ts";
import { crashFunction } from "../../support/engine/processes.ts";
import { until } from "../../support/until.ts";

/** A separate instance, because the test kills a runner and moves the clock. */
let instance: TestInstance;
let ws: Workspace;
beforeAll(async () => {
  instance = await startTestInstance();
  ws = await newWorkspace(api({ url: instance.url, token: instance.admin.token }));
  await Promise.all([
    ws.saveScript({
      path: "f/t/late",
      language: "bun",
      content: "export async function main(text: string) { await Bun.sleep(27_000); return text; }",
      delete_after_secs: 0,
    }),
    ws.saveScript({
      path: "f/t/dies_once",
      language: "bun",
      content: `export async function* main() {
        if (process.env.OV_ATTEMPT === "1") { yield "first ".repeat(100); await Bun.sleep(60_000); }
        yield "second";
      }`,
    }),
  ]);
});
afterAll(async () => {
  await instance?.stop();
});

describe("streams whose runner crashes", () => {
  it("a stream continues with the chunks of the next attempt, even if there are fewer than before", async () => {
    const job = await ws.run("f/t/dies_once");
    const route = `jobs_u/getupdate_sse/${job}`;
    let crashed = 0;
    const found = await eventsOf(ws, route, {
      query: { only_result: "true" },
      until: ({ data }) => {
        if (data["new_result_stream"] && crashed === 0) crashed = crashFunction(instance, { runner: "bun" });
        return false;
      },
    });
    expect(crashed).toBeGreaterThan(0);
    expect(streamOf(found)).toBe(`${"first ".repeat(100)}second`);
    const update = expectStatus(await ws.get(`jobs_u/getupdate/${job}`, { stream_offset: 600 }), 200).json;
    expect(update).toMatchObject({ completed: true, new_result_stream: "second", stream_offset: 606 });
  });
});

describe("delete_after_secs of a call that is not answered in time", () => {
  it("leaves the result to be read for an hour after the run's end, and erases it then", async () => {
    const answer = await ws.runWait("f/t/late", { text: "topsecret" });
    expect(answer.status).toBe(504);
    const id = answer.headers.get("x-svc-job-id") ?? "";
    expect(await ws.completed(id)).toMatchObject({ success: true, result: "topsecret" });
    const hourLater = () => invoke("HousekeepingFunction", { nowMs: Date.now() + 3_700_000 }, instance);
    await until(async () => (await hourLater()) && (await ws.completed(id))["deleted"], { what: "the erasure" });
    expect(JSON.stringify(await ws.completed(id))).not.toContain("topsecret");
  });
});
