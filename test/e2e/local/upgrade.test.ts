import {
  DescribeTableCommand,
  RestoreTableToPointInTimeCommand,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
} from "@aws-sdk/client-dynamodb";
import { ListEventSourceMappingsCommand } from "@aws-sdk/client-lambda";
import { PutObjectCommand } from "@aws-sdk/client-s3";
import { afterAll, describe, expect, it, vi } from "vitest";
import { type Instance, removeInstance, startInstance } from "../../../engine/engine/instance.ts";
import { type Account, createAdmin } from "../../../engine/seed/admin.ts";
import { api, shared } from "../../support/api/api.ts";
import { eventsOf } from "../../support/api/events.ts";
import { workspaceOf } from "../../support/api/workspace.ts";
import { asks, sees, startRun, urls, visit, waiting } from "../../support/approvals/approvals.ts";
import { awsClients } from "../../support/engine/aws.ts";
import { describeStack, getTemplate, updateStack, updateStackWithImports } from "../../support/engine/cloudformation.ts";
import { assertNoDeniedRequests } from "../../support/engine/denied-requests.ts";
import { newInstanceDir } from "../../support/engine/instances.ts";
import { flow } from "../../support/flows/flow.ts";
import { until } from "../../support/until.ts";

// The service is deployed once more over its state.
vi.setConfig({ testTimeout: 400_000 });

const dir = newInstanceDir();
let instance: Instance | undefined;
let admin: Account | undefined;
afterAll(async () => {
  delete process.env["INCLUDE_HEADERS"];
  await instance?.stop();
  assertNoDeniedRequests(dir);
  await removeInstance(dir);
});

describe("a newer version started on the state of an older one", () => {
  it("the start deploys the new version and retains scripts, versions, jobs and users", async () => {
    instance = await startInstance({ dir, snapshot: { dir: shared().snapshot } });
    const { endpoint, outputs, url } = instance;
    admin = await createAdmin({
      endpoint,
      setupFunction: outputs["SetupFunction"],
      email: "admin@example.com",
      workspace: { id: "kept", name: "Kept" },
      tokenLabel: "tests",
    });
    const before = workspaceOf(api({ url, token: admin.token }), "kept");
    const hash = await before.saveScript({ path: "u/admin/kept", language: "bash", content: "echo kept" });
    const older = await before.saveScript({ path: "u/admin/changed", language: "bash", content: "echo older" });
    const job = await before.run("u/admin/kept");
    await before.completed(job);
    await instance.stop();

    process.env["INCLUDE_HEADERS"] = "X-Tenant, X-Absent";
    // The origin is a setting of every function: another port changes the stack, so this start deploys over the state.
    instance = await startInstance({ dir });
    expect(instance.url).not.toBe(url);
    const client = api({ url: instance.url, token: admin.token });
    const kept = workspaceOf(client, "kept");
    expect((await kept.get("users/whoami")).json).toMatchObject({ email: "admin@example.com", is_admin: true });
    expect((await kept.get(`jobs_u/completed/get_result/${job}`)).json).toBe("kept");
    expect((await kept.post(`jobs/run_wait_result/h/${hash}`, {})).json).toBe("kept");
    expect((await kept.runWait("u/admin/kept")).json).toBe("kept");

    expect((await kept.get("jobs/completed/list", { script_path_exact: "u/admin/kept", job_kinds: "script" })).json).toContainEqual(
      expect.objectContaining({ id: job, success: true }),
    );
    await kept.saveScript({ path: "u/admin/changed", language: "bash", content: "echo newer" });
    expect((await kept.runWait("u/admin/changed")).json).toBe("newer");
    expect((await kept.post(`jobs/run_wait_result/h/${older}`, {})).json).toBe("older");
    expect((await kept.get("scripts/history/p/u/admin/changed")).json).toHaveLength(2);
  });
});

/** Between its steps the flow waits in Step Functions, while the stack is updated. */
const sleeps = { sleep: { type: "static", value: 10 } };

/** The part of a role that moved into it (decision 137). */
interface RoleProperties {
  Policies?: { PolicyName: string; PolicyDocument: object }[];
}

const putUpdate = async (updated: Instance, template: object): Promise<void> => {
  await updateStack("svc", await putTemplate(updated, template), updated.endpoint);
  await endOfUpdate(updated);
};

/** Gives the stack the form of the release before decision 137, in which the rights of each role are another resource. Returns today's template. */
async function returnToSeparateRights(updated: Instance): Promise<Awaited<ReturnType<typeof getTemplate>>> {
  const today = await getTemplate("svc", updated.endpoint);
  const older = structuredClone(today);
  const roles = Object.entries(older.Resources).filter(([, { Type }]) => Type === "AWS::IAM::Role");
  for (const [id, { Properties }] of roles) {
    const [rights] = (Properties as RoleProperties).Policies ?? [];
    if (!rights) continue;
    const separate = { PolicyName: `${id}DefaultPolicy`, PolicyDocument: rights.PolicyDocument, Roles: [{ Ref: id }] };
    older.Resources[`${id}DefaultPolicy`] = { Type: "AWS::IAM::Policy", Properties: separate as object };
  }
  await putUpdate(updated, older);
  expect(Object.values(older.Resources).filter(({ Type }) => Type === "AWS::IAM::Policy").length).toBeGreaterThan(20);
  // Only now, so that no role lacks its rights in between.
  for (const [, { Properties }] of roles) delete (Properties as RoleProperties).Policies;
  await putUpdate(updated, older);
  return today;
}

/** Updates the stack while it serves: every function gets another configuration, so that none of its environments remains. */
async function updateEveryFunction(updated: Instance, template: Awaited<ReturnType<typeof getTemplate>>): Promise<number> {
  const functions = Object.values(template.Resources).filter(({ Type }) => Type === "AWS::Lambda::Function");
  for (const { Properties } of functions) Properties.Environment = { Variables: { ...Properties.Environment?.Variables, RELEASE: "next" } };
  await putUpdate(updated, template);
  return functions.length;
}

/** Stores a template that is too large for a request, and returns its URL. */
async function putTemplate({ endpoint, outputs }: Instance, template: object): Promise<string> {
  const [bucket = "", Key] = [outputs["Bucket"], "update/template.json"];
  await awsClients({ endpoint }).s3.send(new PutObjectCommand({ Bucket: bucket, Key, Body: JSON.stringify(template) }));
  return `${endpoint}/${bucket}/${Key}`;
}

const endOfUpdate = ({ endpoint }: Instance) =>
  until(async () => (await describeStack("svc", endpoint)).includes("<StackStatus>UPDATE_COMPLETE<"), {
    what: "the update",
    timeoutMs: 120_000,
  });

describe("an update of the stack", () => {
  it("a running flow, a queued job, an open gate and a schedule continue while the rights of all roles move", async () => {
    if (!instance || !admin) throw new Error("The instance did not start.");
    const ws = workspaceOf(api({ url: instance.url, token: admin.token }), "kept");
    const today = await returnToSeparateRights(instance);
    const ticking = { schedule: "*/2 * * * * *", timezone: "UTC", script_path: "u/admin/kept", is_flow: false, args: {} };
    expect((await ws.post("schedules/create", { path: "u/admin/often", ...ticking })).status).toBe(201);
    const ticks = async () => (await ws.get("jobs/completed/list", { schedule_path: "u/admin/often" })).json as { success: boolean }[];
    const [asking, running] = [
      await startRun(ws, [asks("ask"), sees()]),
      await startRun(ws, [flow.step("a", "'before'", sleeps), sees("b")]),
    ];
    const later = await ws.run("u/admin/kept", {}, { scheduled_in_secs: 3 });
    const [gate] = await waiting(ws, asking);
    await until(async () => JSON.stringify((await ws.get(`jobs_u/get/${running}`)).json).includes('"Success"'), {
      what: "the end of the first step",
    });

    expect(await updateEveryFunction(instance, today)).toBeGreaterThan(20);
    const before = (await ticks()).length;
    await until(async () => (await ticks()).length >= before + 2, { what: "two ticks of the schedule after the update" });
    expect((await ws.post("schedules/setenabled/u/admin/often", { enabled: false })).status).toBe(200);
    expect((await ticks()).filter(({ success }) => !success)).toEqual([]);
    expect(await ws.completed(running)).toMatchObject({ success: true, result: { previous: "before" } });
    expect(await ws.completed(later)).toMatchObject({ success: true, result: "kept" });
    const { resume } = await urls(ws, gate?.gate_id ?? "", { approver: "kim" });
    expect(await visit(resume, { body: { ok: true } })).toMatchObject({ status: 201 });
    expect(await ws.completed(asking)).toMatchObject({ success: true, result: { previous: "asked", approvers: ["kim"] } });
  });
});
describe("INCLUDE_HEADERS (spec 4.2.6)", () => {
  const headers = { "x-tenant": "acme" };
  it("every run receives the headers, however it is called", async () => {
    if (!instance || !admin) throw new Error("The instance did not start.");
    const ws = workspaceOf(api({ url: instance.url, token: admin.token }), "kept");
    await ws.saveScript({ path: "u/admin/echo", language: "bun", content: "export function main({ ...all }) { return all; }" });
    const waited = await ws.call("POST", "jobs/run_wait_result/p/u/admin/echo", { body: { a: 1 }, headers });
    expect(waited.json).toEqual({ a: 1, x_tenant: "acme" });
    const streamed = await eventsOf(ws, "jobs/run_and_stream/p/u/admin/echo", { method: "POST", body: { a: 2 }, headers });
    expect(streamed.at(-1)?.data["only_result"]).toEqual({ a: 2, x_tenant: "acme" });
  });
});

/** The steps of docs/aws.md, "Restoring", with the template that the setting `restored` produces (lib/storage/storage.test.ts). */
async function restoreTables(restored: Instance): Promise<{ jobs: string; objects: string }> {
  const { endpoint, outputs } = restored;
  const { dynamodb } = awsClients({ endpoint });
  const names = { jobs: "svc-jobs-restored", objects: "svc-objects-restored" };
  const sources = { jobs: outputs["JobsTable"], objects: outputs["ObjectsTable"] };
  for (const table of ["jobs", "objects"] as const) {
    const TableName = names[table];
    await dynamodb.send(
      new RestoreTableToPointInTimeCommand({ SourceTableName: sources[table], TargetTableName: TableName, UseLatestRestorableTime: true }),
    );
    await dynamodb.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification: { AttributeName: "ttl", Enabled: true } }));
  }
  for (const [table, StreamViewType] of [
    ["jobs", "OLD_IMAGE"],
    ["objects", "NEW_IMAGE"],
  ] as const)
    await dynamodb.send(new UpdateTableCommand({ TableName: names[table], StreamSpecification: { StreamEnabled: true, StreamViewType } }));
  return names;
}

/** Puts restored tables in the place of those of the stack: other resources, which have their names and which the stack retains. */
async function useTables(updated: Instance, names: { jobs: string; objects: string }): Promise<void> {
  let text = JSON.stringify(await getTemplate("svc", updated.endpoint));
  const tables = [...text.matchAll(/"(Jobs|Objects)Table\w+":\{"Type":"AWS::DynamoDB::Table"/g)].map(
    ([whole]) => whole.split('"')[1] ?? "",
  );
  for (const id of tables) text = text.replaceAll(`"${id}"`, `"Restored${id}"`).replaceAll(`\${${id}`, `\${Restored${id}`);
  const template = JSON.parse(text) as Awaited<ReturnType<typeof getTemplate>>;
  for (const [id, resource] of Object.entries(template.Resources)) {
    if (resource.Type !== "AWS::DynamoDB::Table") continue;
    const name = id.includes("Objects") ? names.objects : names.jobs;
    Object.assign(resource, { DeletionPolicy: "Retain", Properties: { ...resource.Properties, TableName: name } });
  }
  await updateStackWithImports("svc", await putTemplate(updated, template), updated.endpoint);
  await endOfUpdate(updated);
}

// Last in this file: the front server, which streams locally, continues to read the previous tables.
describe("tables that are restored to a point in time", () => {
  it("replace the tables of the stack, with the scripts, jobs and users of that time, and their event sources work", async () => {
    if (!instance || !admin) throw new Error("The instance did not start.");
    const ws = workspaceOf(api({ url: instance.url, token: admin.token }), "kept");
    const job = await ws.run("u/admin/kept");
    await ws.completed(job);
    const names = await restoreTables(instance);
    expect((await ws.post("scripts/delete/p/u/admin/kept", {})).status).toBe(200);
    expect((await ws.runWait("u/admin/kept")).status).toBe(404);

    await useTables(instance, names);
    expect((await ws.runWait("u/admin/kept")).json).toBe("kept");
    expect((await ws.get(`jobs_u/completed/get_result/${job}`)).json).toBe("kept");
    expect((await ws.api.get("users/whoami")).json).toMatchObject({ email: "admin@example.com" });
    const { lambda, dynamodb } = awsClients({ endpoint: instance.endpoint });
    const { EventSourceMappings = [] } = await lambda.send(new ListEventSourceMappingsCommand({}));
    for (const TableName of [names.jobs, names.objects]) {
      const { Table } = await dynamodb.send(new DescribeTableCommand({ TableName }));
      expect(EventSourceMappings.map(({ EventSourceArn }) => EventSourceArn)).toContain(Table?.LatestStreamArn);
    }
    const asking = await startRun(ws, [asks("ask"), sees()]);
    const [gate] = await waiting(ws, asking);
    const { resume } = await urls(ws, gate?.gate_id ?? "", { approver: "kim" });
    expect(await visit(resume)).toMatchObject({ status: 201 });
    expect(await ws.completed(asking)).toMatchObject({ success: true });
  });
});
