import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { member } from "../../../test/support/api/people.ts";
import { refused } from "../../../test/support/api/refusal.ts";
import { expectStatus, type Workspace } from "../../../test/support/api/workspace.ts";
import { flow, runFlow, saveFlow } from "../../../test/support/flows/flow.ts";
import { type Service, startService } from "../../../test/support/use-cases/service.ts";

let service: Service;
let ws: Workspace;
beforeAll(async () => {
  service = await startService(["run", "jobs", "objects", "people"]);
  ws = service.ws;
});
afterAll(() => service.close());

const { step } = flow;
type Json = Record<string, unknown>;
const jobOf = async (id: string) => (await ws.get(`jobs_u/get/${id}`)).json as Json;

describe("a flow's job", () => {
  it("the job contains no execution before the first one", async () => {
    const value = { modules: [step("a", "1")] };
    const id = expectStatus(await ws.post("jobs/run/preview_flow", { value }, { scheduled_in_secs: 3600 }), 201).text;
    expect(await jobOf(id)).not.toHaveProperty("execution");
    expect(await runFlow(ws, [])).not.toHaveProperty("execution");
  });
});

/** A step that prints what the expression yields. */
const says = (id: string, text: string, more: object = {}) =>
  flow.script(id, "export const main = (text: string) => console.log(text);", { text }, more);
const logsOf = async (id: unknown, at: Workspace = ws) => expectStatus(await at.get(`jobs_u/get_flow_all_logs/${String(id)}`), 200).text;
/** Lines as they are, but for the jobs' ids. */
const plain = (logs: string) => logs.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "#");

describe("the logs of a whole flow", () => {
  it("secrets are masked as in each step's own log", async () => {
    const path = "f/t/secret";
    expectStatus(await ws.post("variables/create", { path, value: "hunter2-and-more", is_secret: true, description: "" }), 201);
    const content = "export const main = (s: string) => console.log(s);";
    const input_transforms = { s: { type: "static", value: `$var:${path}` } };
    const job = await runFlow(ws, [{ id: "a", value: { type: "rawscript", language: "bun", content, input_transforms } }]);
    const logs = await logsOf(job["id"]);
    expect(logs).not.toContain("hunter2");
    expect(plain(logs)).toMatch(/^=== a, attempt 1, job #\n\S+\n$/);
  });

  it("logs of steps that the reader may not read are omitted", async () => {
    await ws.saveScript({ path: "u/admin/mine", language: "bun", content: "export const main = () => console.log('mine');" });
    const mine = { id: "b", value: { type: "script", path: "u/admin/mine", input_transforms: {} } };
    await saveFlow(ws, "f/t/shared", [says("a", "'for all'"), mine]);
    const id = expectStatus(await ws.post("jobs/run/f/f/t/shared", {}), 201).text;
    await ws.completed(id);
    const dev = await member(ws, "reader");
    expectStatus(await ws.post("folders/update/t", { extra_perms: { [`u/${dev.username}`]: false } }), 200);
    const logs = plain(await logsOf(id, dev.in(ws)));
    expect(logs).toBe(
      "=== a, attempt 1, job #\nfor all\n=== b, attempt 1, job #\n[svc] You are not allowed to read the log of this step.\n",
    );
  });

  it("a job that is not a flow returns its log, and a missing job is 404", async () => {
    await ws.saveScript({ path: "f/t/hello", language: "bun", content: "export const main = () => console.log('hello');" });
    const id = await ws.run("f/t/hello");
    await ws.completed(id);
    expect(await logsOf(id)).toBe((await ws.get(`jobs_u/get_logs/${id}`)).text);
    expect(refused(await ws.get(`jobs_u/get_flow_all_logs/${randomUUID()}`))).toMatchObject({ code: "job.notFound" });
  });
});

describe("the state machine of a flow", () => {
  const built = async (path: string) => {
    const { job_id: job } = (await ws.get(`flows/deployment_status/p/${path}`)).json as { job_id: string };
    await ws.completed(job, 120_000);
  };
  const machineAt = (at: string, by: Workspace = ws) => by.get(`flows/machine/${at}`);

  it("each version has its state machine", async () => {
    await saveFlow(ws, "f/t/versions", [step("a", "1")]);
    const { version_id: first } = (await ws.get("flows/get/f/t/versions")).json as Json;
    await saveFlow(ws, "f/t/versions", [step("a", "1"), step("b", "2")]);
    await built("f/t/versions");
    const namesAt = async (at: string) => {
      const { machine, definition } = expectStatus(await machineAt(at), 200).json as { machine: string; definition: { States: object } };
      return [machine, Object.keys(definition.States).sort()];
    };
    const [before, after] = [await namesAt(`v/${String(first)}`), await namesAt("p/f/t/versions")];
    expect([before[1], after[1]]).toEqual([
      ["a", "finish flow"],
      ["a", "b", "finish flow"],
    ]);
    expect(before[0]).not.toBe(after[0]);
  });

  it("a flow without a build, a missing flow and a hidden flow have no state machine", async () => {
    await saveFlow(ws, "f/t/empty", []);
    await saveFlow(
      ws,
      "f/t/large",
      Array.from({ length: 1300 }, (_, index) => flow.identity(`s${index}`)),
    );
    expect(refused(await machineAt("p/f/t/empty"))).toMatchObject({ status: 404, code: "flow.noMachine" });
    expect(refused(await machineAt("p/f/t/large"))).toMatchObject({ status: 404, code: "flow.noMachine" });
    expect(refused(await machineAt("p/f/t/none"))).toMatchObject({ status: 404, code: "flow.notFound" });
    expect(refused(await machineAt("v/1"))).toMatchObject({ status: 404, code: "flow.versionNotFound" });
    await saveFlow(ws, "u/admin/private", [step("a", "1")]);
    const { version_id: version } = (await ws.get("flows/get/u/admin/private")).json as Json;
    const other = (await member(ws, "other")).in(ws);
    expect(refused(await machineAt("p/u/admin/private", other))).toMatchObject({ status: 404 });
    expect(refused(await machineAt(`v/${String(version)}`, other))).toMatchObject({ status: 404 });
  });
});
