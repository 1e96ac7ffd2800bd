import { randomUUID } from "node:crypto";
import { until } from "../until.ts";
import { type Answer, type Api, api, askBy, type Operations } from "./api.ts";

export interface NewScript {
  path: string;
  content: string;
  language: string;
  summary?: string;
  [field: string]: unknown;
}

/** A new workspace for one test file, with folder `f/t`. Routes are relative to `/api/w/{ws}/`. */
export interface Workspace {
  id: string;
  api: Api;
  /** The operations of this workspace. */
  ask: Operations<"workspace">;
  get: Api["get"];
  post: Api["post"];
  call: Api["call"];
  /** Saves a script and returns its hash; with `ready` (the default) after its build has ended, successfully or not. */
  saveScript(script: NewScript, ready?: boolean): Promise<string>;
  /** Runs the newest version and returns the response of `run_wait_result`. */
  runWait(path: string, args?: unknown, query?: Record<string, string | number | boolean>): Promise<Answer>;
  /** Queues the newest version and returns the job's id. */
  run(path: string, args?: unknown, query?: Record<string, string | number | boolean>): Promise<string>;
  /** Waits for the completed job and returns it. */
  completed(job: string, timeoutMs?: number): Promise<Record<string, unknown>>;
}

export async function newWorkspace(client: Api = api()): Promise<Workspace> {
  const id = `t-${randomUUID().slice(0, 8)}`;
  expectStatus(await client.ask.workspaces.create({ body: { id, name: id } }), 201);
  const workspace = workspaceOf(client, id);
  expectStatus(await workspace.ask.folders.create({ body: { name: "t" } }), 201);
  return workspace;
}

/** A client for a workspace that exists. */
export function workspaceOf(client: Api, id: string): Workspace {
  const prefix = `w/${id}/`;
  const post: Api["post"] = (route, body, query) => client.post(prefix + route, body, query);
  const get: Api["get"] = (route, query) => client.get(prefix + route, query);
  const ask = askBy(client.call, { workspace: id });
  return {
    id,
    api: client,
    ask,
    get,
    post,
    call: (method, route, options) => client.call(method, prefix + route, options),
    async saveScript({ summary = "", ...script }, ready = true) {
      const hash = expectStatus(await post("scripts/create", { summary, auto_parent: true, ...script }), 201).text;
      if (ready) await until(() => buildEnded(ask, hash), { timeoutMs: 120_000, what: `the build of ${script.path}` });
      return hash;
    },
    runWait: (path, args = {}, query) => post(`jobs/run_wait_result/p/${path}`, args, query),
    async run(path, args = {}, query) {
      return expectStatus(await post(`jobs/run/p/${path}`, args, query), 201).text;
    },
    completed: (job, timeoutMs = 60_000) =>
      until(
        async () => {
          const answer = await get(`jobs_u/completed/get/${job}`);
          return answer.status === 200 ? (answer.json as Record<string, unknown>) : undefined;
        },
        { timeoutMs, what: `the end of job ${job}` },
      ),
  };
}

async function buildEnded(ask: Operations<"workspace">, hash: string): Promise<boolean> {
  const { lock, lock_error_logs: failure } = (await ask.scripts.deploymentStatus({ hash })).json;
  return typeof lock === "string" || Boolean(failure);
}

/** Fails with the response of the service, which `toBe(201)` alone would not show. */
export function expectStatus(answer: Answer, status: number): Answer {
  if (answer.status !== status) throw new Error(`expected ${status}, got ${answer.status}: ${answer.text}`);
  return answer;
}
