import { QueryCommand, UpdateItemCommand } from "@aws-sdk/client-dynamodb";
import { ListObjectsV2Command } from "@aws-sdk/client-s3";
import { beforeAll, describe, expect, it } from "vitest";
import { objectFolders } from "../../../contract/retention.ts";
import { shared } from "../../support/api/api.ts";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { awsClients } from "../../support/engine/aws.ts";
import { until } from "../../support/until.ts";

let ws: Workspace;
const content = `export function main(text: string) { console.log("printed " + text); return { text }; }`;
beforeAll(async () => {
  ws = await newWorkspace();
  await ws.saveScript({ path: "f/t/at_once", language: "bun", content, delete_after_secs: 0 });
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
  it.each([["of small size", 20]])("the value 0 erases arguments, log and result %s after the reply", async (_what, length) => {
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
