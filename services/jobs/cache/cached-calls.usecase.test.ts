import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Answer } from "../../../test/support/api/api.ts";
import { member } from "../../../test/support/api/people.ts";
import { expectStatus, type Workspace } from "../../../test/support/api/workspace.ts";
import { until } from "../../../test/support/until.ts";
import { type Service, startService } from "../../../test/support/use-cases/service.ts";

let service: Service;
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
  service = await startService(["run", "jobs", "objects", "people"]);
  ws = service.ws;
  await Promise.all([
    save("cached"),
    save("plain", { cache_ttl: null }),
    save("files", { cache_ignore_s3_path: true }),
    save("exact"),
    save("reads", { content: "export const main = (secret: string) => ({ n: Math.random(), length: secret.length, secret });" }),
  ]);
});
afterAll(() => service.close());

const run = async (name: string, args: object = {}, query = {}): Promise<Answer> =>
  expectStatus(await ws.runWait(`f/t/${name}`, args, query), 200);
const isCached = (answer: Answer) => answer.headers.get("x-svc-cached") === "true";
const jobOf = (answer: Answer) => answer.headers.get("x-svc-job-id") ?? "";
let nonce = 0;
/** Arguments that no other test has sent. */
const fresh = (more: object = {}) => ({ a: `input ${nonce++}`, ...more });

describe("cache_ttl of a script", () => {
  it("an equal call returns the first result, marked, as a separate completed job", async () => {
    const first = await run("cached", { a: { x: 1, y: [2] } });
    const second = await run("cached", { a: { y: [2], x: 1 } });
    expect([isCached(first), isCached(second)]).toEqual([false, true]);
    expect(second.text).toBe(first.text);
    expect(jobOf(second)).not.toBe(jobOf(first));
    expect(await ws.completed(jobOf(first))).not.toHaveProperty("cached");
    expect(await ws.completed(jobOf(second))).toMatchObject({
      success: true,
      cached: true,
      result: first.json,
      args: { a: { x: 1, y: [2] } },
    });
    expect((await ws.get("jobs/queue/list")).json).toEqual([]);
  });

  it("calls with other arguments, versions and scripts run", async () => {
    const { json } = await run("cached", { a: 1 });
    expect((await run("cached", { a: "1" })).json).not.toEqual(json);
    expect((await run("plain", { a: 1 })).json).not.toEqual((await run("plain", { a: 1 })).json);
    const before = await run("exact", { a: 1 });
    const hash = await save("exact", { summary: "a new version" });
    const after = await run("exact", { a: 1 });
    expect([isCached(after), after.json]).toEqual([false, expect.not.objectContaining(before.json as object)]);
    const byHash = expectStatus(await ws.post(`jobs/run_wait_result/h/${hash}`, { a: 1 }), 200);
    expect([isCached(byHash), byHash.json]).toEqual([true, after.json]);
  });

  it("a failure is not cached", async () => {
    const args = fresh({ fail: true });
    const [first, second] = [await run("cached", args), await run("cached", args)];
    expect([isCached(second), first.text === second.text]).toEqual([false, false]);
    expect(first.text).toContain("run 0.");
  });

  it.each([
    ["in the record", 10],
    ["in an item", 3000],
    ["in S3", 50_000],
    ["too large for a reply", 5_000_000],
  ])("a cached result %s outlives its original job", async (_where, length) => {
    const args = fresh({ length });
    const first = await run("cached", args);
    const second = await run("cached", args);
    expect(isCached(second)).toBe(true);
    if (length < 5_000_000) expect(second.text).toBe(first.text);
    const result = (await ws.get(`jobs_u/completed/get_result/${jobOf(second)}`)).text;
    expectStatus(await ws.post(`jobs/completed/delete/${jobOf(first)}`), 200);
    expect((await ws.get(`jobs_u/completed/get_result/${jobOf(second)}`)).text).toBe(result);
    expect(JSON.parse(result)).toMatchObject({ text: "x".repeat(length) });
    // An erased result is not returned again.
    expect(isCached(await run("cached", args))).toBe(false);
  });

  it("a call returns a complete result or runs while the original job is being erased", async () => {
    const args = fresh({ length: 20_000 });
    for (let round = 0; round < 3; round += 1) {
      const first = await run("cached", args);
      const [, ...answers] = await Promise.all([
        ws.post(`jobs/completed/delete/${jobOf(first)}`),
        ...Array.from({ length: 6 }, () => run("cached", args)),
      ]);
      for (const { json } of answers) expect(json).toMatchObject({ text: "x".repeat(20_000) });
    }
  });

  it("ten equal later calls run nothing, and ten equal first calls cause no error", async () => {
    const args = fresh();
    const cold = await Promise.all(Array.from({ length: 10 }, () => run("cached", args)));
    const results = new Set(cold.map(({ text }) => text));
    const warm = await Promise.all(Array.from({ length: 10 }, () => run("cached", args)));
    expect(warm.map(isCached)).toEqual(Array(10).fill(true));
    for (const { text } of warm) expect(results.has(text)).toBe(true);
  });

  it("an expired entry is not used, even before its deletion", async () => {
    await save("short", { cache_ttl: 1 });
    const first = await run("short");
    const other = await until(async () => {
      const answer = await run("short");
      return answer.text === first.text ? undefined : answer;
    });
    expect(isCached(other)).toBe(false);
  });

  it("a result that delete_after_secs has erased is not returned", async () => {
    await save("erased", { delete_after_secs: 0 });
    const [first, second] = [await run("erased"), await run("erased")];
    expect([isCached(second), first.text === second.text]).toEqual([false, false]);
  });
});

describe("cache_ttl of a call", () => {
  it("a call can cache results of a script without caching", async () => {
    const args = fresh();
    const first = await run("plain", args, { cache_ttl: HOUR });
    const second = await run("plain", args, { cache_ttl: HOUR });
    expect([isCached(second), second.text]).toEqual([true, first.text]);
    expect(isCached(await run("plain", args))).toBe(false);
  });

  it("a call cannot disable caching, but can require younger results than the script", async () => {
    const args = fresh();
    const first = await run("cached", args);
    expect((await run("cached", args, { cache_ttl: 0 })).text).toBe(first.text);
    const younger = await until(async () => {
      const answer = await run("cached", args, { cache_ttl: 1 });
      return isCached(answer) ? undefined : answer;
    });
    expect(younger.text).not.toBe(first.text);
  });

  it.each(["-1", "x", "1.5", "99999999999"])("an invalid value is rejected: %s", async (cache_ttl) => {
    const answer = await ws.runWait("f/t/cached", {}, { cache_ttl });
    expect([answer.status, answer.headers.get("x-svc-error")]).toEqual([400, "query.invalid"]);
  });
});

describe("rights on cached results", () => {
  it("a cached result is not used for runs of other identities", async () => {
    expectStatus(await ws.post("folders/create", { name: "all", extra_perms: { "g/all": false } }), 201);
    await save("f/all/shared");
    const dev = (await member(ws, "dev")).in(ws);
    const call = (at: Workspace) => at.runWait("f/all/shared", { a: 1 });
    const mine = expectStatus(await call(ws), 200);
    const theirs = expectStatus(await call(dev), 200);
    expect([isCached(theirs), theirs.text === mine.text]).toEqual([false, false]);
    expect((await call(dev)).text).toBe(theirs.text);
  });

  it("all callers share the cached result of a script that runs on behalf of a user", async () => {
    expectStatus(await ws.post("folders/create", { name: "behalf", extra_perms: { "g/all": false } }), 201);
    await ws.saveScript({ path: "f/behalf/s", language: "bun", content, cache_ttl: HOUR, on_behalf_of_email: "admin@example.com" });
    const dev = (await member(ws, "dev")).in(ws);
    const [one, two] = [await member(ws, "one"), await member(ws, "two")].map((who) => who.in(ws));
    const first = expectStatus(await (one ?? dev).runWait("f/behalf/s", { a: 2 }), 200);
    const second = expectStatus(await (two ?? dev).runWait("f/behalf/s", { a: 2 }), 200);
    expect([isCached(second), second.text]).toEqual([true, first.text]);
  });

  it("a change of a referenced value ends the cached result, which is masked for readers like the first one", async () => {
    const secret = (value: string) => ({ path: "f/t/pw", value, is_secret: true, description: "" });
    expectStatus(await ws.post("variables/create", secret("first-secret-value")), 201);
    expectStatus(await ws.post("resources/create", { path: "f/t/holder", value: { pw: "$var:f/t/pw" }, resource_type: "any" }), 201);
    const call = () => run("reads", { secret: "$var:f/t/pw" });
    const first = await call();
    const second = await call();
    expect([isCached(second), second.text]).toEqual([true, first.text]);
    expect(second.json).toMatchObject({ length: 18, secret: expect.stringMatching(/^\*+$/) });
    const nested = await run("cached", { a: "$res:f/t/holder" });
    expect(isCached(await run("cached", { a: "$res:f/t/holder" }))).toBe(true);

    expectStatus(await ws.post("variables/update/f/t/pw", { value: "another-secret" }), 200);
    const third = await call();
    expect([isCached(third), third.json]).toEqual([false, expect.objectContaining({ length: 14 })]);
    const changed = await run("cached", { a: "$res:f/t/holder" });
    expect([isCached(changed), changed.text === nested.text]).toEqual([false, false]);

    expectStatus(await ws.call("DELETE", "variables/delete/f/t/pw"), 200);
    expect((await call()).json).toMatchObject({ error: { name: "BadReference" } });
  });

  it("a caller who lost the right to an input cannot get the cached result", async () => {
    const who = await member(ws, "lost");
    const mine = who.in(ws);
    expectStatus(await ws.post("folders/create", { name: "lent", extra_perms: { [`u/${who.username}`]: false } }), 201);
    expectStatus(await ws.post("variables/create", { path: "f/lent/v", value: "lent-secret", is_secret: true, description: "" }), 201);
    await save("f/all/reads", { content: "export const main = (secret: string) => secret.length + Math.random();" });
    const call = () => mine.runWait("f/all/reads", { secret: "$var:f/lent/v" });
    const first = expectStatus(await call(), 200);
    expect((await call()).text).toBe(first.text);
    expectStatus(await ws.post("acls/remove/folder/lent", { owner: `u/${who.username}` }), 200);
    expect((await call()).json).toMatchObject({ error: { name: "BadReference" } });
  });
});

describe("cached results and files", () => {
  const upload = async (file_key: string, body: string) =>
    expectStatus(await ws.call("POST", "job_helpers/upload_s3_file", { body, query: { file_key } }), 200);
  const named = (name: string, s3: string) => run(name, { a: { s3 } });

  it("the cache follows the content of a file, not only its name", async () => {
    await upload("in/data.txt", "one");
    const first = await named("cached", "in/data.txt");
    expect((await named("cached", "in/data.txt")).text).toBe(first.text);
    await upload("in/data.txt", "two");
    const changed = await named("cached", "in/data.txt");
    expect([isCached(changed), changed.text === first.text]).toEqual([false, false]);
    expect(isCached(await named("cached", "in/none.txt"))).toBe(false);
    expect(isCached(await named("cached", "in/none.txt"))).toBe(true);
    await upload("in/copy.txt", "two");
    expect(isCached(await named("cached", "in/copy.txt"))).toBe(false);
  });

  it("cache_ignore_s3_path makes equal files equal, so that a form file is recognised", async () => {
    const send = async (text: string) => {
      const form = new FormData();
      form.append("a", new Blob([text]), "a.txt");
      const answer = await ws.call("POST", "jobs/run_wait_result/p/f/t/files", { body: form });
      return { cached: isCached(answer), text: answer.text };
    };
    const first = await send("same");
    expect(await send("same")).toEqual({ cached: true, text: first.text });
    expect((await send("else")).cached).toBe(false);
  });
});
