import { randomInt } from "node:crypto";
import type { Answer, CallOptions } from "../api/api.ts";
import { expectStatus, type Workspace } from "../api/workspace.ts";
import { flow } from "../flows/flow.ts";
import { until } from "../until.ts";

/** A step that requests approval. Its own result is the value of the expression. */
export const asks = (id: string, suspend: object = {}, text = "'asked'", more: object = {}) =>
  flow.step(id, text, { suspend: { required_events: 1, timeout: 600, ...suspend }, ...more });

/** A gate with these approvers. */
export const consent = (id: string, approvers: string[], value: object = {}, more: object = {}) => ({
  id,
  value: { type: "consentgate", approvers, ...value },
  ...more,
});

/** The input of the step after an approval. */
export const sees = (id = "after") => flow.step(id, "({ resume, resumes, approvers, previous: previous_result })");

/** Starts a flow that is not stored. */
export async function startRun(ws: Workspace, value: object | object[], args: object = {}, options: CallOptions = {}): Promise<string> {
  const whole = Array.isArray(value) ? { modules: value } : value;
  return expectStatus(await ws.ask.jobs.run.previewFlow({ body: { value: whole, args }, ...options }), 201).text;
}

export interface Gate {
  gate_id: string;
  module_id: string;
  links?: { resume: string[]; cancel: string; approvalPage: string };
  decision?: { how: string; by?: string; reason?: string };
  [field: string]: unknown;
}
export interface Run {
  state: string;
  gates: Gate[];
  context: Record<string, unknown>;
}

export async function runOf(ws: Workspace, run: string): Promise<Run> {
  return expectStatus(await ws.api.ask.approvals.run({ run_id: run }), 200).json as Run;
}

/** Waits until a module of a run has an open gate, and returns it. */
export async function waitingIn(ws: Workspace, run: string, module: string): Promise<Gate> {
  return until(async () => (await runOf(ws, run)).gates.find((gate) => gate.module_id === module && !gate.decision), {
    timeoutMs: 60_000,
    what: `an open gate of module ${module} in run ${run}`,
  });
}

/** Waits until a run has this number of open gates, and returns them. */
export async function waiting(ws: Workspace, run: string, count = 1): Promise<Gate[]> {
  return until(
    async () => {
      const open = (await runOf(ws, run)).gates.filter(({ decision }) => !decision);
      return open.length >= count ? open : undefined;
    },
    { timeoutMs: 60_000, what: `${count} gates of run ${run} that wait` },
  );
}

export interface Urls {
  approvalPage: string;
  resume: string;
  cancel: string;
}
/** A link for a gate, or for a flow. */
export async function urls(
  ws: Workspace,
  id: string,
  query: Record<string, string | number | boolean> = {},
  resumeId = randomInt(2 ** 32),
): Promise<Urls> {
  return expectStatus(await ws.ask.approvals.mint({ id, resume_id: resumeId, query }), 200).json as Urls;
}

interface Visit {
  method?: string;
  body?: unknown;
  headers?: Record<string, string>;
}

/** Sends a link as a program does, without a token unless one is given. */
export const visit = visitBy(fetch);

/** Returns a function that sends links by `send`. */
export function visitBy(send: (request: Request) => Promise<Response>) {
  return async (url: string, { method = "POST", body, headers = {} }: Visit = {}): Promise<Pick<Answer, "status" | "text" | "headers">> => {
    const request = new Request(url, {
      method,
      redirect: "manual",
      headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const answer = await send(request);
    return { status: answer.status, text: await answer.text(), headers: answer.headers };
  };
}
