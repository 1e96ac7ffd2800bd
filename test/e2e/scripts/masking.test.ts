import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { ScanCommand, type ScanCommandOutput } from "@aws-sdk/client-dynamodb";
import { GetObjectCommand, ListObjectsV2Command } from "@aws-sdk/client-s3";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { loadMasker, recordSecrets } from "../../../services/secrets/masks.ts";
import { shared } from "../../support/api/api.ts";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { awsClients } from "../../support/engine/aws.ts";
import { allLogs } from "../../support/engine/logs.ts";
import { stubServiceEnv } from "../../support/engine/stub-env.ts";
import { until } from "../../support/until.ts";

/** Secrets with characters that each encoding writes differently, and a unique part. */
const byArgument = `arg"${randomUUID().slice(0, 13)}/ü+ &%`;
const byRequest = `req\\${randomUUID().slice(0, 13)}?=é 'x`;
const secrets = [byArgument, byRequest];

/** The encodings in which the scripts below print a secret. */
const formsOf = (secret: string) => [
  secret,
  JSON.stringify(secret).slice(1, -1),
  encodeURIComponent(secret),
  new URLSearchParams({ a: secret }).toString().slice(2),
  Buffer.from(secret).toString("base64").slice(0, -4),
  Buffer.from(secret).toString("base64url").slice(0, -4),
  Buffer.from(`xy${secret}`).toString("base64").slice(4, -4),
];
function expectNone(where: string, text: string): void {
  for (const secret of secrets)
    for (const form of formsOf(secret)) expect([where, form, text.includes(form)]).toEqual([where, form, false]);
}

const PRINTS = `
import { setTimeout as sleep } from "node:timers/promises";
const ask = async (path: string) => {
  const headers = { authorization: "Bearer " + process.env.WM_TOKEN };
  return (await fetch(process.env.BASE_INTERNAL_URL + "/api/w/" + process.env.WM_WORKSPACE + "/" + path, { headers })).json();
};
export async function main(db: { password: string }, how: string, pauseMs = 0) {
  const requested = await ask("variables/get_value/f/t/requested");
  const read = [db?.password, requested].filter((text) => typeof text === "string") as string[];
  if (how === "return") return { read, nested: { [read[0]!]: "x " + read[0] } };
  for (const secret of read) {
    const half = Math.floor(secret.length / 2);
    console.log("begin", secret, JSON.stringify({ secret }), encodeURIComponent(secret), new URLSearchParams({ a: secret }).toString());
    console.error(Buffer.from(secret).toString("base64"), Buffer.from(secret).toString("base64url"), Buffer.from("xy" + secret).toString("base64"));
    process.stdout.write("cut:" + secret.slice(0, half));
    if (pauseMs) await sleep(pauseMs);
    process.stdout.write(secret.slice(half) + ":end\\n");
  }
  if (how === "throw") throw new Error("failed with " + read.join(" and ") + " " + Buffer.from(read[0]!).toString("base64"));
  return read.length;
}
`;
const args = (how: string, pauseMs = 0) => ({ db: "$res:f/t/db", how, pauseMs });

let ws: Workspace;
beforeAll(async () => {
  ws = await newWorkspace();
  for (const [path, value] of [
    ["f/t/password", byArgument],
    ["f/t/requested", byRequest],
  ] as const) {
    expectStatus(await ws.post("variables/create", { path, value, is_secret: true, description: "" }), 201);
  }
  expectStatus(await ws.post("resources/create", { path: "f/t/db", value: { password: "$var:f/t/password" }, resource_type: "any" }), 201);
  await ws.saveScript({ path: "f/t/prints", language: "bun", content: PRINTS });
});

describe("secrets that a job has read", () => {
  it("every form of a secret is masked in the output, and the rest of the output is unchanged", async () => {
    const answer = await ws.runWait("f/t/prints", args("print"));
    expect([answer.status, answer.json]).toEqual([200, 2]);
    const job = answer.headers.get("x-svc-job-id") ?? "";
    const logs = (await ws.get(`jobs_u/get_logs/${job}`)).text;
    expectNone("logs", logs);
    expect(logs.match(/begin \*{8,}/g)).toHaveLength(2);
    expect(logs.match(/cut:\*{8,}:end/g)).toHaveLength(2);
    expectNone("job", (await ws.get(`jobs_u/get/${job}`)).text);
  });

  it("a secret is masked when the job runs inline and reads it by itself", async () => {
    const answer = await ws.runWait("f/t/prints", { how: "print" });
    expect(answer.json).toBe(1);
    const logs = (await ws.get(`jobs_u/get_logs/${answer.headers.get("x-svc-job-id")}`)).text;
    expectNone("logs", logs);
    expect(logs).toMatch(/begin \*{8,}/);
  });

  it("a secret that two chunks of output divide is masked during the run", async () => {
    const job = await ws.run("f/t/prints", args("print", 6000));
    const completed = await ws.completed(job);
    const { text } = await ws.get(`jobs_u/get_logs/${job}`);
    expect(completed["success"]).toBe(true);
    expectNone("logs", text);
    expect(text.match(/cut:\*{8,}:end/g)).toHaveLength(2);
  });

  it("any number of secrets is masked", async () => {
    await ws.saveScript({ path: "f/t/waits", language: "bash", content: "sleep 50" });
    const id = await ws.run("f/t/waits");
    stubServiceEnv(shared());
    const { jobTable: jobs } = await import("../../../aws/dynamodb/job-table.ts");
    const running = await until(async () => [await jobs.get(id)].find((job) => job?.state === "running"), { what: "the job to run" });
    // Records each read as the service does, without the calls.
    const many = Array.from({ length: 205 }, (_, index) => `one-of-many-${String(index).padStart(3, "0")}`);
    for (let start = 0; start < many.length; start += 20) {
      await Promise.all(
        many.slice(start, start + 20).map((secret) => recordSecrets({ jobs }, running, { token: "token", secrets: [secret] })),
      );
    }
    const now = await jobs.get(id);
    const masker = now && (await loadMasker({ jobs }, now, "token"));
    expect(many.filter((secret) => masker?.text(secret) !== "*".repeat(secret.length))).toEqual([]);
    vi.unstubAllEnvs();
    expectStatus(await ws.post(`jobs_u/queue/cancel/${id}`, {}), 200);
  });

  it("a secret is masked in the error", async () => {
    const answer = await ws.runWait("f/t/prints", args("throw"));
    expectNone("error", answer.text);
    expect(answer.json).toMatchObject({ error: { message: expect.stringMatching(/^failed with \*+ and \*+ \*+/) } });
    expectNone("job", (await ws.get(`jobs_u/completed/get/${answer.headers.get("x-svc-job-id")}`)).text);
  });

  it("a secret is masked in the result for readers and jobs of other runs, and unmasked for a job that started the run", async () => {
    const answer = await ws.runWait("f/t/prints", args("return"));
    const stars = "*".repeat(byArgument.length);
    const shown = { read: [stars, "*".repeat(byRequest.length)], nested: { [stars]: `x ${stars}` } };
    expect(answer.json).toEqual(shown);
    const job = answer.headers.get("x-svc-job-id") ?? "";
    expect((await ws.get(`jobs_u/completed/get_result/${job}`)).json).toEqual(shown);
    expect((await ws.get(`jobs_u/completed/get_result_maybe/${job}`)).json).toMatchObject({ result: shown });
    expect((await ws.get(`jobs_u/completed/get/${job}`)).json).toMatchObject({ result: shown });
    expect((await ws.get("jobs/list", { result: JSON.stringify({ read: [byArgument] }) })).json).toEqual([]);

    await ws.saveScript({
      path: "f/t/next",
      language: "bun",
      content: `export async function main(foreign: string, wanted: string) {
  const headers = { authorization: "Bearer " + process.env.WM_TOKEN };
  const call = (path: string, more = {}) => fetch(process.env.BASE_INTERNAL_URL + "/api/w/" + process.env.WM_WORKSPACE + "/" + path, { headers, ...more });
  const body = JSON.stringify({ db: "$res:f/t/db", how: "return" });
  const own = await (await call("jobs/run/p/f/t/prints", { method: "POST", body })).text();
  while (!(await (await call("jobs_u/completed/get_result_maybe/" + own)).json()).completed);
  const sees = async (job: string) => {
    const { read } = await (await call("jobs_u/completed/get_result/" + job)).json();
    return btoa(encodeURIComponent(read[0])) === wanted;
  };
  return { own, seesOwn: await sees(own), seesForeign: await sees(foreign) };
}`,
    });
    const next = (await ws.runWait("f/t/next", { foreign: job, wanted: btoa(encodeURIComponent(byArgument)) })).json as { own: string };
    expect(next).toEqual({ own: expect.any(String), seesOwn: true, seesForeign: false });
    expectStatus(await ws.post(`jobs/completed/delete/${next.own}`), 200);
    // The leak test below must not find the result of this job.
    expectStatus(await ws.post(`jobs/completed/delete/${job}`), 200);
  });
});

describe("storage after all masking tests", () => {
  it("no log of a function or of the engine contains a secret", async () => {
    const logs = await allLogs();
    expect([...logs.values()].join("\n")).toContain('"route":"variables.getValue"');
    for (const [group, text] of logs) expectNone(group, text);
    expectNone("engine", readFileSync(shared().engineLog, "utf8"));
  });

  it("no item of any table contains a secret", async () => {
    const { dynamodb } = awsClients();
    for (const table of ["JobsTable", "ObjectsTable"]) {
      let ExclusiveStartKey: ScanCommandOutput["LastEvaluatedKey"];
      do {
        const page: ScanCommandOutput = await dynamodb.send(new ScanCommand({ TableName: shared().outputs[table], ExclusiveStartKey }));
        for (const item of page.Items ?? []) expectNone(`${table} ${item["pk"]?.S} ${item["sk"]?.S}`, strings(item).join("\n"));
        ExclusiveStartKey = page.LastEvaluatedKey;
      } while (ExclusiveStartKey);
    }
  });

  it("no object of the bucket contains a secret", async () => {
    const { s3 } = awsClients();
    const Bucket = shared().outputs["Bucket"];
    const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket, Prefix: `jobs/${ws.id}/` }));
    for (const { Key } of Contents) {
      const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key }));
      expectNone(Key ?? "", (await Body?.transformToString()) ?? "");
    }
  });

  it("no list contains a secret", async () => {
    for (const route of ["variables/list", "resources/list", "resources/list_search", "jobs/list", "jobs/completed/list"]) {
      expectNone(route, expectStatus(await ws.get(route, { per_page: 100 }), 200).text);
    }
  });
});

/** The texts of an item, unescaped: a search in its JSON would miss escaped characters. */
function strings(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(strings) : [];
}
