import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { jobTable } from "../../aws/dynamodb/job-table.ts";
import { expectStatus, type Workspace } from "../../test/support/api/workspace.ts";
import { until } from "../../test/support/until.ts";
import { type Service, startService } from "../../test/support/use-cases/service.ts";

let service: Service;
let ws: Workspace;
beforeAll(async () => {
  service = await startService(["run", "jobs", "objects", "people"]);
  ws = service.ws;
  await Promise.all([
    ws.saveScript({ path: "f/t/reply", language: "bun", content: "export function main(result: unknown) { return result; }" }),
    ws.saveScript({ path: "f/t/erased", language: "bun", content: 'export const main = () => "x".repeat(3000);', delete_after_secs: 0 }),
    ws.saveScript({ path: "f/t/quotes", language: "bun", content: 'export const main = (n: number) => new Array(n).fill("");' }),
  ]);
});
afterEach(() => void vi.restoreAllMocks());
afterAll(() => service.close());

const reply = (result: unknown) => ws.runWait("f/t/reply", { result });

describe("shaped replies (spec 4.4)", () => {
  it("a reply with invalid base64 returns 400 with the job id", async () => {
    for (const base64 of ["%%%", "abc=d", "a"]) {
      const answer = await reply({ svc_content_type: "image/png", result: { base64 } });
      expect([base64, answer.status, answer.headers.get("x-svc-error")]).toEqual([base64, 400, "reply.shape"]);
      expect(answer.headers.get("x-svc-job-id")).toBeTruthy();
    }
  });

  it("a reply accepts base64 in the URL-safe alphabet and without padding", async () => {
    const answer = await reply({ svc_content_type: "text/plain", result: { base64: Buffer.from("é?>~ÿ!").toString("base64url") } });
    expect([answer.status, answer.text]).toEqual([200, "é?>~ÿ!"]);
  });

  it("a reply overrides headers that the service also sets", async () => {
    const answer = await reply({ svc_headers: { "Referrer-Policy": "origin", "Cache-Control": "max-age=60" }, result: 1 });
    expect([answer.headers.get("referrer-policy"), answer.headers.get("cache-control")]).toEqual(["origin", "max-age=60"]);
  });
});

describe("results that exceed a reply after encoding", () => {
  it("such a result is returned as a link (design 9)", async () => {
    const answer = expectStatus(await ws.runWait("f/t/quotes", { n: 1_300_000 }), 200);
    const { s3, url, size } = answer.json as { s3?: string; url?: string; size?: number };
    expect([typeof s3, typeof url, size]).toEqual(["string", "string", 1 + 3 * 1_300_000]);
    expect(((await (await fetch(String(url))).json()) as unknown[]).length).toBe(1_300_000);
  });
});

describe("calls with one Idempotency-Key whose result is erased", () => {
  it("one call returns the result; the others return an error that it is gone, and never a wrong result", async () => {
    const headers = { "idempotency-key": `erased-${ws.id}` };
    const call = () => ws.call("POST", "jobs/run_wait_result/p/f/t/erased", { body: {}, headers });
    const { answers: runners } = service.world;
    const { run } = runners;
    const reads = vi.spyOn(jobTable, "get");
    // The run ends when the three other calls wait for it.
    runners.run = async (request) => {
      const waiting = () => reads.mock.calls.filter(([job]) => job === request.job).length >= 3;
      await until(waiting, { what: "the calls that wait for the run" });
      return run(request);
    };
    const answers = await Promise.all([call(), call(), call(), call()]);
    runners.run = run;
    for (const answer of [...answers, await call()]) {
      if (answer.status === 200) expect(answer.json).toBe("x".repeat(3000));
      else expect([answer.status, answer.headers.get("x-svc-error")]).toEqual([404, "job.erased"]);
    }
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(0);
    expect((await call()).status).toBe(404);
  });
});
