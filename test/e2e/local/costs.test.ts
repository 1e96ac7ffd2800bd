import { beforeAll, describe, expect, it } from "vitest";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { findLogLine } from "../../support/engine/logs.ts";

let ws: Workspace;
beforeAll(async () => {
  ws = await newWorkspace();
  await ws.saveScript({ path: "f/t/echo", language: "bun", content: "export const main = ({ ...all }) => all;" });
});

interface Line {
  route?: string;
  workspace?: string;
  job?: string;
  jobs?: string[];
  aws?: { requests: Record<string, number> };
}

/** The AWS requests of functions, from their log lines, which arrive shortly after the response. */
async function requestsOf(what: string, fits: (line: Line) => boolean): Promise<Record<string, number>> {
  const line = await findLogLine((text) => text.startsWith("{") && fits(JSON.parse(text) as Line), what);
  return (JSON.parse(line) as Line).aws?.requests ?? {};
}
const reads = (requests: Record<string, number>) =>
  Object.entries(requests).reduce(
    (sum, [name, count]) => (/^dynamodb\.(BatchGetItem|GetItem|Query|Scan)$/.test(name) ? sum + count : sum),
    0,
  );

/** The requests of a worker for one job, and the worker. Jobs in one batch share a log line, so another job is run in that case. */
async function workerRequests(args: unknown): Promise<{ worker: string; requests: Record<string, number> }> {
  for (;;) {
    const job = await ws.run("f/t/echo", args);
    const done = await ws.completed(job);
    expect(done).toMatchObject({ success: true, worker: expect.any(String) });
    let alone = false;
    const found = await requestsOf(`the worker of job ${job}`, ({ jobs }) => {
      if (!jobs?.includes(job)) return false;
      alone = jobs.length === 1;
      return true;
    });
    if (alone) return { worker: String(done["worker"]), requests: found };
  }
}

describe("the costs of a call", () => {
  it("a call needs one read for the token and the rights of its owner", async () => {
    expectStatus(await ws.get("users/is_owner/f/t/x"), 200);
    const found = await requestsOf("the call", ({ route, workspace }) => route === "users.isOwnerOfPath" && workspace === ws.id);
    expect(reads(found)).toBe(1);
  });

  it("a call with 50 more permission rules needs no additional read", async () => {
    const accept = async () => {
      const id = await ws.run("f/t/echo");
      return requestsOf("the run", ({ route, job }) => route === "jobs.run.scripts" && job === id);
    };
    const before = await accept();
    expect(reads(before)).toBe(1);
    for (let index = 0; index < 50; index += 1) {
      expectStatus(await ws.post("acls/add/folder/t", { owner: `u/reader${index}`, write: index % 2 === 0 }), 200);
    }
    expect(await accept()).toEqual(before);
  });
});

describe("the costs of a job", () => {
  it("a job needs at most three reads to resolve 20 resources in its arguments, one for its rights, and one KMS call in a fresh worker", async () => {
    const args: Record<string, string> = {};
    for (let index = 0; index < 20; index += 1) {
      expectStatus(await ws.post("variables/create", { path: `f/t/v${index}`, value: `secret of ${index}`, is_secret: true }), 201);
      expectStatus(await ws.post("resources/create", { path: `f/t/r${index}`, value: [`$var:f/t/v${index}`], resource_type: "any" }), 201);
      args[`r${index}`] = `$res:f/t/r${index}`;
    }
    // One after the other: most of them find a worker that knows the script and the workspace's keys already, the first does not.
    for (let index = 0; index < 4; index += 1) {
      const { requests } = await workerRequests(args);
      // Its rights are one of them, and each step of references one.
      expect(requests["dynamodb.BatchGetItem"]).toBeLessThanOrEqual(1 + 3);
      // The script's version, the workspace's keys, and what is noted of its secrets.
      expect(requests["dynamodb.GetItem"]).toBeLessThanOrEqual(4);
      expect(requests["kms.Decrypt"] ?? 0).toBeLessThanOrEqual(1);
    }
  });

  it("a job with secrets needs no KMS call once its worker has the key of the workspace", async () => {
    const warm = new Set<string>();
    let again = 0;
    while (again < 5) {
      const { worker, requests } = await workerRequests({ secret: "$var:f/t/v0" });
      const calls = Object.entries(requests).reduce((sum, [name, count]) => (name.startsWith("kms.") ? sum + count : sum), 0);
      // Every job of a worker that has had one before, and not one among many.
      if (warm.has(worker)) {
        expect(calls).toBe(0);
        again += 1;
      } else expect(calls).toBeLessThanOrEqual(1);
      warm.add(worker);
    }
  });
});
