import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { beforeAll, describe, expect, it } from "vitest";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { until } from "../../support/until.ts";

let ws: Workspace;
beforeAll(async () => {
  ws = await newWorkspace();
});

describe("a running job that is canceled by force", () => {
  it("the job retains that end and its output, whatever its runner reports afterwards", async () => {
    await ws.saveScript({
      path: "f/t/late",
      language: "bun",
      content: `export async function main(pad: string, url: string, ms: number) {
        console.log("first line");
        await fetch(url);
        await Bun.sleep(ms);
        return "late result " + pad;
      }`,
    });
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const server = createServer((_, response) => void released.then(() => response.end()));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    // Large enough that neither end has room in the job's head item.
    const job = await ws.run("f/t/late", { pad: "x".repeat(400), url, ms: 0 });
    await until(async () => (await ws.get(`jobs_u/get_logs/${job}`)).text.includes("first line"), {
      timeoutMs: 30_000,
      what: "the first line",
    });
    expectStatus(await ws.post(`jobs_u/queue/force_cancel/${job}`, { reason: "r".repeat(300) }), 200);
    // The script ends before the runner polls again, so it does not notice the cancellation.
    release();
    // The report of its end arrives while this run lasts.
    const witness = await ws.runWait("f/t/late", { pad: "", url, ms: 2000 });
    expect(witness.json).toBe("late result ");
    server.close();

    const result = expectStatus(await ws.get(`jobs_u/completed/get_result/${job}`), 200).json;
    expect(result).toEqual({ error: { name: "Canceled", message: expect.stringContaining("rrr") } });
    expect((await ws.get(`jobs_u/get_logs/${job}`)).text).toContain("first line");
    expect((await ws.completed(job))["canceled"]).toBe(true);
  });
});
