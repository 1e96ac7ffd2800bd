import { createPublicKey, generateKeyPairSync, randomUUID } from "node:crypto";
import type { Context, LambdaFunctionURLEvent } from "aws-lambda";
import { beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { type AwsCounts, takeCounts } from "../../aws/sdk/request-counts.ts";
import { limits } from "../../contract/limits.ts";
import type { RunningJob } from "../../core/jobs/record/job.ts";
import { publicKeyObject } from "../../core/people/signing-key.ts";
import { createJobToken } from "../../services/identity/tokens/job-token.ts";
import { claimJob } from "../../services/jobs/lifecycle/claim.ts";
import type { World } from "../../test/support/use-cases/world.ts";
import { addJob, newScriptWorld, resumeDue } from "../../test/support/use-cases/world-jobs.ts";
import { logger } from "../shared/observe.ts";
import { handler } from "./handler.ts";

const RUNS = 20;
const ANONYMOUS = 1000;

let world: World;
let made: AwsCounts["requests"] = {};
let jobs: { job: RunningJob; token: string }[];

beforeAll(async () => {
  // The log line of a request contains the calls of AWS that it made.
  vi.spyOn(logger, "info").mockImplementation((_, ...[line]) => {
    made = (line as { aws: AwsCounts }).aws.requests;
  });
  const script = await newScriptWorld();
  world = script.world;
  const key = await world.deps.signingKey();
  const pem = createPublicKey(key.privateKey).export({ format: "pem", type: "spki" }).toString();
  await world.deps.objects.put({ ...publicKeyObject.key(key.kid), value: pem });
  jobs = await Promise.all(
    Array.from({ length: RUNS }, async () => {
      const { id } = await addJob(world, { hash: script.hash, timeoutS: 600 });
      const job = (await claimJob(world.deps, id)) ?? expect.fail();
      return { job, token: await createJobToken(key, job, Date.now()) };
    }),
  );
});
beforeEach(() => void takeCounts());

/** A request to the URL of the function, in the form that Lambda passes. */
async function post(path: string, token: string | undefined, body: string): Promise<{ status: number; requests: AwsCounts["requests"] }> {
  const event: Partial<LambdaFunctionURLEvent> = {
    version: "2.0",
    rawPath: path,
    rawQueryString: "",
    headers: { "content-type": "application/json", ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) },
    requestContext: { http: { method: "POST", path, sourceIp: "203.0.113.7" } } as LambdaFunctionURLEvent["requestContext"],
    body: Buffer.from(body).toString("base64"),
    isBase64Encoded: true,
  };
  const reply = await handler(event as LambdaFunctionURLEvent, { awsRequestId: "r" } as Context);
  return { status: reply.statusCode, requests: made };
}
const beat = ({ id, attempt, nonce }: RunningJob, token: string) =>
  post(`/api/internal/jobs/${id}/beat`, token, JSON.stringify({ attempt, nonce }));

describe("requests to the function beat", () => {
  it("1,000 anonymous requests cause no call to AWS, and 20 long runs continue while their heartbeats are answered", async () => {
    const [{ job, token } = expect.fail()] = jobs;
    expect((await beat(job, token)).status).toBe(200);
    const { privateKey } = generateKeyPairSync("ed25519");
    const forged = await createJobToken({ kid: "test", privateKey }, job, Date.now());
    const [head = "", claims = ""] = token.split(".");
    const expired = await createJobToken(await world.deps.signingKey(), job, Date.now() - 3600_000);
    const sent: [string, string | undefined][] = [
      [job.id, undefined],
      [job.id, ""],
      [job.id, "a-token-of-a-person"],
      [job.id, "a.b.c"],
      [job.id, forged],
      [job.id, `${head}.${claims}.`],
      [job.id, `${token.slice(0, -6)}AAAAAA`],
      [job.id, expired],
      // The token of another run.
      [randomUUID(), token],
      [jobs[1]?.job.id ?? "", token],
    ];
    for (let index = 0; index < ANONYMOUS; index += 1) {
      const [id, given] = sent[index % sent.length] ?? expect.fail();
      // The body is not JSON: a reply of 400 would show that it was read.
      const { status, requests } = await post(`/api/internal/jobs/${id}/${index % 2 ? "beat" : "report"}`, given, "{".repeat(1000));
      expect([status, requests], `${given}`).toEqual([401, {}]);
      const run = index % 50 === 0 ? jobs[index / 50] : undefined;
      if (run) {
        expect(await beat(run.job, run.token)).toEqual({ status: 200, requests: { "dynamodb.UpdateItem": 1 } });
      }
    }
    world.clock.nowMs = Date.now() + limits.leaseMs - 1000;
    await resumeDue(world);
    const states = (await world.deps.jobs.batchGet(jobs.map((run) => run.job.id))).map(({ state, losses }) => ({ state, losses }));
    expect(states).toEqual(Array.from({ length: RUNS }, () => ({ state: "running", losses: 0 })));
  });

  it("requests with unknown key ids make it read the keys at most once a second", async () => {
    const [{ job } = expect.fail()] = jobs;
    const { privateKey } = generateKeyPairSync("ed25519");
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 10_000 });
    const answers = [];
    for (let index = 0; index < 50; index += 1) {
      answers.push(await beat(job, await createJobToken({ kid: `unknown-${index}`, privateKey }, job, Date.now())));
    }
    expect(answers.flatMap(({ requests }) => Object.keys(requests))).toEqual(["dynamodb.Query"]);
    // The runner of a key that was just published retries.
    expect(answers.map(({ status }) => status)).toEqual([401, ...Array.from({ length: 49 }, () => 429)]);
    vi.useRealTimers();
  });
});
