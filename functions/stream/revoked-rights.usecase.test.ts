import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EDGE_KEY_HEADER } from "../../contract/env.ts";
import { member } from "../../test/support/api/people.ts";
import { expectStatus, type Workspace } from "../../test/support/api/workspace.ts";
import { EDGE_KEY, lambdaContext, toGatewayEvent } from "../../test/support/fuzz/gateway-event.ts";
import { type Service, startService } from "../../test/support/use-cases/service.ts";
import { createStreamHandler } from "./answer-stream.ts";

let service: Service;
let own: Workspace;
let handler: ReturnType<typeof createStreamHandler>;
let aheadMs = 0;
/** Each reading of the clock advances it, so that 30 seconds pass within a few readings of the job. */
const READING_MS = 5000;
beforeAll(async () => {
  service = await startService(["run", "jobs", "objects", "people"]);
  own = service.ws;
  const nowMs = () => {
    aheadMs += READING_MS;
    return Date.now() + aheadMs;
  };
  const deps = { ...service.world.deps, nowMs };
  handler = createStreamHandler({ ...deps, findLastStep: async () => undefined }, { ...deps, publicKey: async () => undefined });
});
afterAll(() => service.close());

/** Opens the stream of a job, and reads its first event. */
async function open(job: string, token: string) {
  const path = `/api/w/${own.id}/jobs_u/getupdate_sse/${job}`;
  const headers = [["authorization", `Bearer ${token}`] as const, [EDGE_KEY_HEADER, EDGE_KEY] as const];
  const reply = await handler(toGatewayEvent({ method: "GET", path, headers }), lambdaContext);
  expect(reply.statusCode).toBe(200);
  const chunks = reply.chunks?.(new AbortController().signal) ?? expect.fail("The reply is not a stream.");
  expect((await chunks.next()).value).toContain('"running":false');
  return chunks;
}

describe("changes of rights", () => {
  it("a change of a token or role works at once, and within 30 seconds for an open stream", async () => {
    const status = async (answer: Promise<{ status: number }>) => (await answer).status;
    const [one, two] = [await member(own, "one"), await member(own, "two")];
    expectStatus(await own.post("folders/create", { name: "seen", owners: [], extra_perms: { "g/all": false } }), 201);
    await own.saveScript({ path: "f/seen/long", language: "bun", content: "export const main = () => 1;" });
    const job = await own.run("f/seen/long", {}, { scheduled_in_secs: 600 });
    const token = expectStatus(await two.api.post("users/tokens/create", { label: "reader" }), 201).text;
    // Both users have access before any right is removed.
    const streams = [await open(job, one.api.token), await open(job, token)];
    expectStatus(await own.get(`jobs_u/get/${job}`), 200);
    expectStatus(await own.post("folders/update/seen", { extra_perms: {} }), 200);
    expectStatus(await two.api.call("DELETE", `users/tokens/delete/${token}`), 200);
    expect(await status(own.call("GET", "users/whoami", { token }))).toBe(401);
    expectStatus(await own.post(`users/update/${one.username}`, { operator: true }), 200);
    expect(await status(one.in(own).post("folders/create", { name: "mine" }))).toBe(403);
    for (const stream of streams) {
      const begunMs = aheadMs;
      let last = "";
      for await (const chunk of stream) last = chunk;
      expect(last).toContain('"type":"not_found"');
      expect(aheadMs - begunMs).toBeLessThanOrEqual(30_000 + 4 * READING_MS);
    }
  });
});
