import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { objectFolders } from "../../../contract/retention.ts";
import { expectStatus, type Workspace } from "../../../test/support/api/workspace.ts";
import { type Service, startService } from "../../../test/support/use-cases/service.ts";
import { tracesOf } from "../../../test/support/use-cases/stored/traces.ts";

let service: Service;
let ws: Workspace;
const content = `export function main(text: string) { console.log("printed " + text); return { text }; }`;
beforeAll(async () => {
  service = await startService(["run", "jobs", "objects", "people"]);
  ws = service.ws;
  await Promise.all([
    ws.saveScript({ path: "f/t/at_once", language: "bun", content, delete_after_secs: 0 }),
    ws.saveScript({
      path: "f/t/form",
      language: "bun",
      content: "export function main(doc: unknown) { return doc; }",
      delete_after_secs: 0,
    }),
    ws.saveScript({ path: "f/t/later", language: "bun", content, delete_after_secs: 1 }),
  ]);
});
afterAll(() => service.close());

/** An object of a job, with either retention. */
const storedObject = () => new RegExp(`(${Object.values(objectFolders).join("|")})/${ws.id}`);
const traces = (job: string) => tracesOf(ws.id, job);

describe("delete_after_secs (spec 4.4)", () => {
  it.each([
    ["in separate items", 3000],
    ["in S3", 20_000],
  ])("the value 0 erases arguments, log and result %s after the reply", async (_what, length) => {
    const secret = "topsecret".padEnd(length, "s");
    const answer = expectStatus(await ws.runWait("f/t/at_once", { text: secret }), 200);
    expect(answer.json).toEqual({ text: secret });
    const job = answer.headers.get("x-svc-job-id") ?? "";
    const left = await traces(job);
    expect(left).not.toContain("topsecret");
    expect(left).not.toMatch(storedObject());
    const read = await ws.completed(job);
    expect(read).toMatchObject({ success: true, deleted: true });
    expect(JSON.stringify(read)).not.toContain("topsecret");
    expect((await ws.get(`jobs_u/get_logs/${job}`)).text).toBe("");
  });

  it("a positive value lets housekeeping erase them after that time", async () => {
    const answer = expectStatus(await ws.runWait("f/t/later", { text: "topsecret" }), 200);
    const job = answer.headers.get("x-svc-job-id") ?? "";
    expect(await traces(job)).toContain("topsecret");
    await service.housekeep(0);
    expect(await traces(job)).toContain("topsecret");
    await service.housekeep(2);
    expect(await traces(job)).not.toContain("topsecret");
  });

  it.each([
    ["of small size", 20],
    ["in separate items", 3000],
    ["in S3", 20_000],
  ])("a deletion erases the source of a preview %s with the rest", async (_what, length) => {
    const source = `export const main = () => 1; // ${"topsecret".padEnd(length, "s")}`;
    const job = expectStatus(await ws.post("jobs/run/preview", { content: source, language: "bun", args: {} }), 201).text;
    await ws.completed(job);
    expect((await ws.get(`jobs_u/get/${job}`)).json).toMatchObject({ raw_code: source });
    expectStatus(await ws.post(`jobs/completed/delete/${job}`), 200);
    const left = await traces(job);
    expect(left).not.toContain("topsecret");
    expect(left).not.toMatch(storedObject());
    expect((await ws.get(`jobs_u/get/${job}`)).text).not.toContain("topsecret");
  });

  it("the value 0 erases the files of a form, even if the job is deleted by hand", async () => {
    const send = async (route: string) => {
      const form = new FormData();
      form.append("doc", new Blob(["topsecret"]), "d.txt");
      return ws.call("POST", `jobs/${route}/p/f/t/form`, { body: form });
    };
    const download = (file_key: string) => ws.get("job_helpers/download_s3_file", { file_key });
    const answer = await send("run_wait_result");
    const [doc] = answer.json as { s3: string }[];
    expect((await download(doc?.s3 ?? "")).status).toBe(404);
    expect(await traces(answer.headers.get("x-svc-job-id") ?? "")).not.toMatch(storedObject());

    const job = (await send("run")).text;
    const { result } = (await ws.completed(job)) as unknown as { result: { s3: string }[] };
    const key = result[0]?.s3 ?? "";
    expect((await download(key)).text).toBe("topsecret");
    expectStatus(await ws.post(`jobs/completed/delete/${job}`), 200);
    expect((await download(key)).status).toBe(404);
    expect(await traces(job)).not.toMatch(storedObject());
  });

  it("asynchronous runs are not affected", async () => {
    const job = await ws.run("f/t/at_once", { text: "kept" });
    expect(await ws.completed(job)).toMatchObject({ result: { text: "kept" } });
    expect(await traces(job)).toContain("kept");
  });
});
