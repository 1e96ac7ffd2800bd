import { QueryCommand, UpdateItemCommand } from "@aws-sdk/client-dynamodb";
import { ListObjectsV2Command } from "@aws-sdk/client-s3";
import { beforeAll, describe, expect, it } from "vitest";
import { objectFolders } from "../../../contract/retention.ts";
import { shared } from "../../support/api/api.ts";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { awsClients, invoke } from "../../support/engine/aws.ts";
import { until } from "../../support/until.ts";

let ws: Workspace;
const content = `export function main(text: string) { console.log("printed " + text); return { text }; }`;
beforeAll(async () => {
  ws = await newWorkspace();
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

const { dynamodb, s3 } = awsClients();
/** An object of a job, with either retention. */
const storedObject = () => new RegExp(`(${Object.values(objectFolders).join("|")})/${ws.id}`);
/** Everything that any store holds of a job, as text. */
async function traces(job: string): Promise<string> {
  const { outputs } = shared();
  const { Items } = await dynamodb.send(
    new QueryCommand({
      TableName: outputs["JobsTable"],
      KeyConditionExpression: "pk = :p",
      ExpressionAttributeValues: { ":p": { S: job } },
      ConsistentRead: true,
    }),
  );
  const keys = await Promise.all(Object.values(objectFolders).map((folder) => keysIn(`${folder}/${ws.id}/${job}/`)));
  return JSON.stringify([Items, keys.flat()]);
}

async function keysIn(Prefix: string): Promise<(string | undefined)[]> {
  const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket: shared().outputs["Bucket"], Prefix }));
  return Contents.map(({ Key }) => Key);
}

describe("delete_after_secs (spec 4.4)", () => {
  it.each([
    ["of small size", 20],
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
    const isErased = async () => {
      await invoke("HousekeepingFunction", {});
      return !(await traces(job)).includes("topsecret");
    };
    await until(isErased, { what: "the erasure of the run" });
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
      return fetch(`${ws.api.url}/api/w/${ws.id}/jobs/${route}/p/f/t/form`, {
        method: "POST",
        headers: { authorization: `Bearer ${ws.api.token}` },
        body: form,
      });
    };
    const download = (file_key: string) => ws.get("job_helpers/download_s3_file", { file_key });
    const answer = await send("run_wait_result");
    const [doc] = (await answer.json()) as { s3: string }[];
    expect((await download(doc?.s3 ?? "")).status).toBe(404);
    expect(await traces(answer.headers.get("x-svc-job-id") ?? "")).not.toMatch(storedObject());

    const job = await (await send("run")).text();
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

describe("the expiry of a flow's record", () => {
  it("lets the stream of the table remove the flow's items and objects, and the jobs of its steps", async () => {
    const { endpoint, outputs } = shared();
    const module = { id: "a", value: { type: "rawscript", language: "bun", content, input_transforms: {} } };
    const steps = { ...module.value, input_transforms: { text: { type: "javascript", expr: "flow_input.text" } } };
    const job = expectStatus(
      await ws.post("jobs/run/preview_flow", { value: { modules: [{ ...module, value: steps }] }, args: { text: "t".repeat(20_000) } }),
      201,
    ).text;
    await until(async () => (await ws.completed(job))?.["success"] === true, { what: "the end of the flow" });
    const [step] = (await ws.get("jobs/list", { parent_job: job })).json as { id: string }[];
    const ids = [job, step?.id ?? ""];
    for (const id of ids) expect(await traces(id)).toContain(`long-lived/${ws.id}/${id}/`);
    const TableName = outputs["JobsTable"];
    await dynamodb.send(
      new UpdateItemCommand({
        TableName,
        Key: { pk: { S: job }, sk: { S: "job" } },
        UpdateExpression: "SET #t = :now",
        ExpressionAttributeNames: { "#t": "ttl" },
        ExpressionAttributeValues: { ":now": { N: String(Math.floor(Date.now() / 1000) - 10) } },
      }),
    );
    const isGone = async () => {
      await fetch(`${endpoint}/_svc/expire`, {
        method: "POST",
        body: JSON.stringify({ nowMs: Date.now(), tables: [TableName], buckets: [] }),
      });
      return (await Promise.all(ids.map(traces))).every((left) => left === "[[],[]]");
    };
    await until(isGone, { what: "the removal of the flow and its step" });
  });
});
