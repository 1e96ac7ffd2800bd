import { Validator } from "@seriousme/openapi-schema-validator";
import { beforeAll, describe, expect, it } from "vitest";
import type * as z from "zod";
import type { Route } from "../../../contract/route.ts";
import { examples } from "../../../contract/routes/examples.ts";
import { routes } from "../../../contract/routes/routes.ts";
import { missingTriggerKinds } from "../../../contract/routes/triggers/trigger-kind.ts";
import manifest from "../../../package.json" with { type: "json" };
import { type Answer, api } from "../../support/api/api.ts";
import { newWorkspace, type Workspace } from "../../support/api/workspace.ts";

interface Operation {
  operationId: string;
  tags: string[];
  security?: unknown[];
  parameters?: { name: string; in: string; required?: boolean }[];
  requestBody?: { content: Record<string, { schema: object }> };
  responses: Record<string, { content?: Record<string, { schema: object }>; headers?: object }>;
}
interface Document {
  openapi: string;
  servers: { url: string }[];
  paths: Record<string, Record<string, Operation>>;
}

let answer: Answer;
let document: Document;
beforeAll(async () => {
  answer = await api().call("GET", "openapi.json", { token: "" });
  document = answer.json as Document;
});

describe("GET /api/openapi.json", () => {
  it("the document needs no token, and an independent validator accepts it as OpenAPI 3.1", async () => {
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/json"]);
    const validator = new Validator();
    const { valid, errors } = await validator.validate(answer.json as Record<string, unknown>);
    expect(errors ?? []).toEqual([]);
    expect(valid).toBe(true);
    expect(validator.version).toBe("3.1");
    expect(document.openapi).toMatch(/^3\.1\./);
    expect(document.servers[0]?.url).toBe(api().url);
  });

  it("the document contains each public route once with its parameters, and no internal route", () => {
    const expected = Object.values<Route>(routes)
      .filter(({ auth }) => auth !== "job")
      .map(({ method, path }) => `${method} ${path.replace(/\{(\w+)\+\}/, "{$1}")}`);
    const listed = Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(listed.sort()).toEqual(expected.sort());
    expect(listed.some((route) => route.includes("internal"))).toBe(false);
    const operations = Object.entries(document.paths).flatMap(([path, byMethod]) =>
      Object.values(byMethod).map((one) => ({ path, ...one })),
    );
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
    for (const { path, parameters = [] } of operations) {
      const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      expect(parameters.filter((parameter) => parameter.in === "path").map(({ name }) => name)).toEqual(named);
    }
  });

  it("every operation documents its responses, including errors, and whether it needs a token", () => {
    for (const route of Object.values<Route>(routes)) {
      if (route.auth === "job") continue;
      const operation = document.paths[route.path.replace(/\{(\w+)\+\}/, "{$1}")]?.[route.method.toLowerCase()];
      const answers = Object.keys(operation?.responses ?? {});
      expect(answers).toContain(String(route.status));
      if (route.auth === "none") expect(operation?.security).toEqual([]);
      else expect(answers).toEqual(expect.arrayContaining(["401", "403"]));
      if (route.body) expect(answers).toEqual(expect.arrayContaining(["400", "413", "422"]));
      // A run chooses the status and the type of its reply, so that its caller may receive any.
      const returnsRun = route.errors.some((code) => code === "reply.shape");
      expect(answers.includes("default")).toBe(returnsRun);
      for (const [status, { content = {} }] of Object.entries(operation?.responses ?? {})) {
        const forms = [
          "text/plain",
          ...(status === "400" && route.oauthErrors ? ["application/json"] : []),
          ...(returnsRun ? ["*/*"] : []),
        ];
        if (Number(status) >= 400) expect(Object.keys(content)).toEqual(forms);
      }
    }
  });

  it("the document describes the events of streams and marks optional bodies", () => {
    const stream = document.paths["/api/w/{workspace}/jobs_u/getupdate_sse/{id}"]?.["get"];
    expect(stream?.responses["200"]?.content?.["text/event-stream"]?.schema).toMatchObject({
      properties: { data: { contentMediaType: "application/json", contentSchema: expect.anything() } },
    });
    const bodyOf = (path: string) => document.paths[path]?.["post"]?.requestBody as { required?: boolean } | undefined;
    expect(bodyOf("/api/w/{workspace}/folders/create")?.required).toBe(true);
    expect(bodyOf("/api/users/tokens/create")?.required).toBe(false);
  });

  it("run routes accept any body, and the document names the bodies with a special meaning", () => {
    const operation = document.paths["/api/w/{workspace}/jobs/run/p/{path}"]?.["post"];
    expect(Object.keys(operation?.requestBody?.content ?? {})).toEqual([
      "application/json",
      "application/x-www-form-urlencoded",
      "multipart/form-data",
      "application/cloudevents+json",
      "*/*",
    ]);
  });
});

describe("the worked examples", () => {
  it("belong to their operations, and each works after the previous ones", async () => {
    const ws = await newWorkspace();
    const byName = new Map(Object.values<Route>(routes).map((route) => [route.name, route]));
    for (const [name, { params, body }] of Object.entries(examples)) {
      const route = byName.get(name);
      const path = (route?.path ?? "").replace(/\{(\w+)\+?\}/g, (_, part: string) => ({ ...params, workspace: ws.id })[part] ?? "");
      const operation = document.paths[(route?.path ?? "").replace(/\{(\w+)\+\}/, "{$1}")]?.[route?.method.toLowerCase() ?? ""];
      expect([name, operation?.requestBody?.content["application/json"]]).toEqual([
        name,
        expect.objectContaining({ examples: { example: expect.objectContaining({ value: body }) } }),
      ]);
      const { status, text } = await api().call(route?.method ?? "POST", path.replace(/^\/api\//, ""), { body });
      expect([name, status, status === route?.status ? "" : text]).toEqual([name, route?.status, ""]);
      if (name === "jobs.runWait.scripts") expect(JSON.parse(text)).toBe("Hello Ada");
    }
  });

  it("are in the description of the document, which names the version of the service", () => {
    const { info, tags } = answer.json as { info: { version: string; description: string }; tags: { name: string }[] };
    expect(info.version).toBe(manifest.version);
    for (const { summary } of Object.values(examples)) expect(info.description).toContain(`${summary}\n\n\`\`\`sh\ncurl`);
    for (const { body } of Object.values(examples)) expect(info.description).toContain(JSON.stringify(body));
    expect(tags.map(({ name }) => name)).toEqual(["compatibility"]);
  });

  it("no tag names a kind of trigger that does not exist here", () => {
    const tags = Object.values(document.paths).flatMap((operations) => Object.values(operations).flatMap((one) => one.tags));
    expect(missingTriggerKinds.filter((kind) => tags.includes(`${kind}_triggers`))).toEqual([]);
  });
});

describe("replies", () => {
  let ws: Workspace;
  let hash: string;
  let ended: string;
  let waiting: string;
  beforeAll(async () => {
    ws = await newWorkspace();
    const content = "export const main = (a: number, when?: Date) => ({ a });";
    hash = await ws.saveScript({ path: "f/t/shape", language: "bun", content, schema: { type: "object" }, labels: ["l"] });
    ended = await ws.run("f/t/shape", { a: 1 });
    await ws.completed(ended);
    const failed = await ws.post("jobs/run/preview", { language: "bash", content: "exit 1" });
    await ws.completed(failed.text);
    waiting = await ws.run("f/t/shape", { a: 2 }, { scheduled_in_secs: 300 });
  });

  /** The contract names every field of a reply, so that generated clients contain it. */
  function expectShape(route: Route, { status, json, text }: Answer): void {
    expect([route.name, status, status === route.status ? "" : text]).toEqual([route.name, route.status, ""]);
    if (!("json" in route.reply)) return;
    const schema: z.ZodType = route.reply.json;
    const { error, data } = schema.safeParse(json);
    expect([route.name, error?.issues]).toEqual([route.name, undefined]);
    expect([route.name, data]).toEqual([route.name, json]);
  }

  it("every reply has the shape in the contract, without unknown fields", async () => {
    const w = `w/${ws.id}`;
    const { get } = ws.api;
    expectShape(routes.version, await get("version"));
    expectShape(routes.health, await get("health/status"));
    expectShape(routes.listWorkspaces, await get("workspaces/list"));
    expectShape(routes.getFolder, await get(`${w}/folders/get/t`));
    expectShape(routes.listFolders, await get(`${w}/folders/list`));
    expectShape(routes.getJob, await get(`${w}/jobs_u/get/${ended}`));
    expectShape(routes.getJob, await get(`${w}/jobs_u/get/${waiting}`));
    expectShape(routes.getCompletedJob, await get(`${w}/jobs_u/completed/get/${ended}`));
    expectShape(routes.getResult, await get(`${w}/jobs_u/completed/get_result/${ended}`));
    expectShape(routes.getResultMaybe, await get(`${w}/jobs_u/completed/get_result_maybe/${ended}`));
    expectShape(routes.getResultMaybe, await get(`${w}/jobs_u/completed/get_result_maybe/${waiting}`, { get_started: true }));
    expectShape(routes.queuePosition, await get(`${w}/jobs/queue/position/${Date.now()}`));
    expectShape(routes.listWorkers, await get("workers/list", { ping_since: 300 }));
    expectShape(routes.searchScripts, await get(`${w}/scripts/list_search`));
    expectShape(routes.listScriptTokens, await get(`${w}/scripts/list_tokens/f/t/shape`));
    expectShape(routes.countScriptTriggers, await get(`${w}/scripts/get_triggers_count/f/t/shape`));
    expectShape(routes.updateScriptHistory, await ws.post(`scripts/history_update/h/${hash}/p/f/t/shape`, { deployment_msg: "now" }));
    expectShape(routes.editScriptFailureNotice, await ws.post("scripts/edit_failure_notice/p/f/t/shape", { email: ["g/all"] }));
    expectShape(routes.getScriptFailureNotice, await get(`${w}/scripts/get_failure_notice/p/f/t/shape`));
    expectShape(routes.muteScriptErrorHandler, await ws.post(`scripts/toggle_workspace_error_handler/p/f/t/shape`, { muted: true }));
    expectShape(routes.cancelPersistent, await ws.post(`jobs_u/queue/cancel_persistent/f/t/none`, {}));
    expectShape(routes.getTiming, await get(`${w}/jobs_u/completed/get_timing/${ended}`));
    expectShape(routes.getArgs, await get(`${w}/jobs_u/get_args/${ended}`));
    expectShape(routes.getUpdate, await get(`${w}/jobs_u/getupdate/${ended}`));
    expectShape(routes.getUpdate, await get(`${w}/jobs_u/getupdate/${waiting}`));
    expectShape(routes.listJobs, await get(`${w}/jobs/list`));
    expectShape(routes.listQueue, await get(`${w}/jobs/queue/list`));
    expectShape(routes.listCompleted, await get(`${w}/jobs/completed/list`));
    expectShape(routes.listFilteredUuids, await get(`${w}/jobs/list_filtered_uuids`));
    expectShape(routes.countQueue, await get(`${w}/jobs/queue/count`));
    expectShape(routes.countCompleted, await get(`${w}/jobs/completed/count`));
    expectShape(routes.getScheduledFor, await get(`${w}/jobs/queue/scheduled_for/${waiting}`));
    expectShape(routes.startedAtByIds, await ws.post("jobs_u/queue/get_started_at_by_ids", [ended, waiting]));
    expectShape(routes.dbClock, await get("jobs/db_clock"));
    const more: Record<string, string> = {
      "scripts.getByPath": `${w}/scripts/get/p/f/t/shape`,
      "scripts.getByHash": `${w}/scripts/get/h/${hash}`,
      "scripts.list": `${w}/scripts/list`,
      "scripts.listPaths": `${w}/scripts/list_paths`,
      "scripts.exists": `${w}/scripts/exists/p/f/t/shape`,
      "scripts.history": `${w}/scripts/history/p/f/t/shape`,
      "scripts.latestVersion": `${w}/scripts/get_latest_version/f/t/shape`,
      "scripts.deploymentStatus": `${w}/scripts/deployment_status/h/${hash}`,
      "scripts.webhooks": `${w}/scripts/webhooks/p/f/t/shape`,
      "users.whoamiGlobal": "users/whoami",
      "users.whoami": `${w}/users/whoami`,
      "tokens.list": "users/tokens/list",
    };
    for (const route of Object.values<Route>(routes)) {
      const at = more[route.name];
      if (at) expectShape(route, await get(at));
    }
  });
});
