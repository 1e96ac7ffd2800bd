import { GetItemCommand } from "@aws-sdk/client-dynamodb";
import { DeleteObjectsCommand, ListObjectsV2Command } from "@aws-sdk/client-s3";
import { beforeAll, describe, expect, it } from "vitest";
import { shared } from "../../support/api/api.ts";
import { eventsOf, streamOf } from "../../support/api/events.ts";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { awsClients } from "../../support/engine/aws.ts";
import { startWitness } from "../../support/jobs/witness.ts";
import { until } from "../../support/until.ts";

let ws: Workspace;
/** Texts that a line of output could be mistaken for: an escaped newline, a real one, a backslash at an end, half a mark. */
const TEXTS = ["C:\\new\\\\n", "a\nb\\", "n\\", "\\n", "WM_STREAM: x\r\n", "é🙂", ""];
const TS = `export async function* main(texts: string[]) { for (const text of texts) yield text; }`;
const PY = "def main(texts):\n    for text in texts:\n        yield text\n";

beforeAll(async () => {
  ws = await newWorkspace();
  await Promise.all([
    ...["bun", "deno", "nodejs"].map((language) => ws.saveScript({ path: `f/t/texts_${language}`, language, content: TS })),
    ws.saveScript({ path: "f/t/texts_python3", language: "python3", content: PY }),
    ws.saveScript({
      path: "f/t/client_bun",
      language: "bun",
      content: `import * as svc from "svc-client"; export async function main(texts: string[]) { await svc.streamResult(texts); return "done"; }`,
    }),
    ws.saveScript({
      path: "f/t/client_python3",
      language: "python3",
      content: "import svc\n\ndef main(texts):\n    svc.stream_result(texts)\n    return 'done'\n",
    }),
    ws.saveScript({
      path: "f/t/slow",
      language: "bun",
      content: `export async function* main(n: number) { for (let i = 0; i < n; i++) { yield "piece " + i + " "; await Bun.sleep(400); } }`,
    }),
    ws.saveScript({
      path: "f/t/quiet",
      language: "bun",
      content: `export async function* main() { yield "one"; await Bun.sleep(60_000); }`,
    }),
    ws.saveScript({
      path: "f/t/progress",
      language: "bun",
      content: `import * as svc from "svc-client"; export async function main(url: string) { await svc.setProgress(42); await fetch(url + "/set"); await Bun.sleep(30_000); }`,
    }),
  ]);
});
const run = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  eventsOf(ws, `jobs/run_and_stream/p/${path}`, { method: "POST", body, headers });

describe("the text of a stream (api.md 2.5)", () => {
  it.each(["texts_bun", "texts_deno", "texts_nodejs", "texts_python3", "client_bun", "client_python3"])(
    "a text sent by %s arrives unchanged, including escapes",
    async (script) => {
      const found = await run(`f/t/${script}`, { texts: TEXTS });
      expect(streamOf(found)).toBe(TEXTS.join(""));
    },
  );
});

describe("run_and_stream", () => {
  it("the stream of a new run begins at its beginning, whatever Last-Event-ID remains of an older one", async () => {
    const found = await run("f/t/texts_bun", { texts: ["one ", "two"] }, { "last-event-id": "5" });
    expect(streamOf(found)).toBe("one two");
  });

  it("a repeated call with the id of the last event continues the same run, and returns 204 after its end", async () => {
    const [first] = await eventsOf(ws, "jobs/run_and_stream/p/f/t/slow", { method: "POST", body: { n: 4 }, most: 1 });
    const rest = await run("f/t/slow", { n: 4 }, { "last-event-id": String(first?.lastEventId) });
    expect((first ? streamOf([first]) : "") + streamOf(rest)).toBe("piece 0 piece 1 piece 2 piece 3 ");
    const headers = { "last-event-id": String(rest.at(-1)?.lastEventId) };
    expect((await ws.call("POST", "jobs/run_and_stream/p/f/t/slow", { body: { n: 4 }, headers })).status).toBe(204);
  });

  it("a repeated call with its Idempotency-Key continues the same run from Last-Event-ID", async () => {
    const key = { "idempotency-key": `again-${ws.id}` };
    const [first] = await eventsOf(ws, "jobs/run_and_stream/p/f/t/slow", { method: "POST", body: { n: 4 }, headers: key, most: 1 });
    const rest = await run("f/t/slow", { n: 4 }, { ...key, "last-event-id": String(first?.id) });
    expect((first ? streamOf([first]) : "") + streamOf(rest)).toBe("piece 0 piece 1 piece 2 piece 3 ");
  });
});

describe("getupdate (api.md 2.2)", () => {
  it("the reply contains the stream since stream_offset, and the offset for the next call", async () => {
    const job = await ws.run("f/t/slow", { n: 4 });
    let stream = "";
    for (let offset = 0, done = false; !done; ) {
      const update = expectStatus(await ws.get(`jobs_u/getupdate/${job}`, { stream_offset: offset, no_logs: true, running: true }), 200)
        .json as Record<string, unknown>;
      stream += (update["new_result_stream"] as string | undefined) ?? "";
      offset = (update["stream_offset"] as number | undefined) ?? offset;
      done = update["completed"] === true;
    }
    expect(stream).toBe("piece 0 piece 1 piece 2 piece 3 ");
  });
});

describe("getupdate_sse (api.md 2.2)", () => {
  it("the stream contains progress on request, while the job runs", async () => {
    const witness = await startWitness();
    const job = await ws.run("f/t/progress", { url: witness.url });
    await witness.waitForReport("set");
    const found = await eventsOf(ws, `jobs_u/getupdate_sse/${job}`, {
      query: { get_progress: "true" },
      until: ({ data }) => data["progress"] !== undefined,
    });
    expect(found.at(-1)?.data).toMatchObject({ type: "update", progress: 42 });
    expectStatus(await ws.post(`jobs_u/queue/cancel/${job}`, {}), 200);
    await witness.close();
  });

  it("an empty Last-Event-ID counts as none", async () => {
    const job = await ws.run("f/t/texts_bun", { texts: ["one ", "two"] });
    await ws.completed(job);
    const found = await eventsOf(ws, `jobs_u/getupdate_sse/${job}`, { headers: { "last-event-id": "" }, query: { stream_offset: "4" } });
    expect(streamOf(found)).toBe("two");
  });

  it("a stream that cannot continue ends with an error event, at the offset that it reached", async () => {
    const { s3 } = awsClients();
    const Bucket = shared().outputs["Bucket"];
    const job = await ws.run("f/t/texts_bun", { texts: ["x".repeat(20_000)] });
    await ws.completed(job);
    const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket, Prefix: `jobs/${ws.id}/${job}/result` }));
    expect(Contents.length).toBe(1);
    await s3.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects: Contents.map(({ Key }) => ({ Key })) } }));
    const found = await eventsOf(ws, `jobs_u/getupdate_sse/${job}`, { query: { only_result: "true", stream_offset: "7" } });
    expect(found).toEqual([{ id: 7, lastEventId: "7", data: { type: "error", error: expect.stringMatching(/\.$/) } }]);
  });

  it("the function stops polling after its reader has disconnected", async () => {
    const { dynamodb } = awsClients();
    const watchedUntilMs = async (id: string) => {
      const { Item } = await dynamodb.send(
        new GetItemCommand({ TableName: shared().outputs["JobsTable"], Key: { pk: { S: id }, sk: { S: "job" } }, ConsistentRead: true }),
      );
      return Number(Item?.["wu"]?.N);
    };
    const job = await ws.run("f/t/quiet");
    await eventsOf(ws, `jobs_u/getupdate_sse/${job}`, {
      query: { only_result: "true", no_logs: "true" },
      until: ({ data }) => Boolean(data["new_result_stream"]),
    });
    const last = await watchedUntilMs(job);
    // A reader of the stream renews its watch before this time.
    await until(() => Date.now() > last, { what: "the time that the reader was there for" });
    expect(await watchedUntilMs(job)).toBe(last);
    expectStatus(await ws.post(`jobs_u/queue/cancel/${job}`, {}), 200);
  });
});
