import { type Answer, type Asks, type Calls, createClient, readValue } from "../../../contract/client/client.ts";
import type { OperationName } from "../../../contract/client/operation.ts";
import { operations } from "../../../contract/client/operations/all.ts";
import { type AnyInput, type ApiRequest, toJsonContent, toRequest } from "../../../contract/client/request.ts";
import { defined } from "../../../contract/defined.ts";
import { Complaint } from "../../launch/complaint.mjs";
import { formatDuration } from "../../launch/progress.mjs";

/** A first run starts a function that was not called before. */
export const RUN_LIMIT_MS = 60_000;
const PAUSE_MS = 250;

/** The service to check. */
export interface Target {
  /** Without a trailing slash. */
  url: string;
  token: string;
}

interface CallOptions {
  body?: unknown;
  headers?: Readonly<Record<string, string>>;
  /** Without it, the call has the token of the command. */
  anonymous?: boolean;
  /** `manual` returns a redirect instead of following it. */
  redirect?: "follow" | "manual";
}

/** The reply of the service to a request, even if it refuses the request. */
interface Reply {
  status: number;
  text: string;
  headers: Headers;
}

/** Sends a request and returns the complete reply, even of a refused request. */
export async function call(
  { url, token }: Target,
  method: string,
  path: string,
  { body, headers = {}, anonymous = false, redirect = "follow" }: CallOptions = {},
): Promise<Reply> {
  const content = toJsonContent(body);
  const answer = await fetch(`${url}${path}`, {
    method,
    redirect,
    headers: { ...(anonymous ? {} : { authorization: `Bearer ${token}` }), ...content.headers, ...headers },
    ...defined({ body: content.body }),
    signal: AbortSignal.timeout(RUN_LIMIT_MS),
  }).catch((error: unknown) => {
    throw new Complaint(`${url} did not respond: ${error instanceof Error ? (error.cause ?? error) : error}.`);
  });
  return { status: answer.status, text: await answer.text(), headers: answer.headers };
}

/** Sends a request of an operation and returns the whole reply, even if the service refuses the request. */
export function request(target: Target, name: OperationName, input: AnyInput, options: CallOptions = {}): Promise<Reply> {
  const { method, address, body, headers } = toRequest(operations, name, input);
  return call(target, method, address, { body, ...(headers ? { headers } : {}), ...options });
}

/** The operations of a service, in one workspace. */
export interface Api {
  call: Calls<OperationName, "workspace">;
  ask: Asks<OperationName, "workspace">;
}

/** Any status other than 2xx fails the check with the sentence of the service. */
export function createApi(target: Target, workspace: string): Api {
  const send = async ({ method, address, body }: ApiRequest): Promise<Answer> => {
    const { status, headers, text } = await call(target, method, address, { body });
    if (status >= 200 && status < 300) return { status, headers, value: readValue(headers.get("content-type"), text) };
    throw new Complaint(`${method} ${address} returned ${status}: ${text.slice(0, 400)}`);
  };
  return createClient(operations, send, { workspace });
}

export async function until<T>(limitMs: number, event: string, check: () => Promise<T | undefined>): Promise<T> {
  for (const deadlineMs = Date.now() + limitMs; ; ) {
    const found = await check();
    if (found !== undefined) return found;
    if (Date.now() > deadlineMs) throw new Complaint(`${event} did not happen within ${formatDuration(limitMs)}.`);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

export function expectEqual(got: unknown, expected: unknown, subject: string): void {
  const [gotJson, expectedJson] = [JSON.stringify(got), JSON.stringify(expected)];
  if (gotJson !== expectedJson) throw new Complaint(`${subject} is ${gotJson} instead of ${expectedJson}.`);
}

/** Prints one line per step, with its time. Returns whether the step succeeded. */
export async function step(name: string, work: () => Promise<string | undefined>): Promise<boolean> {
  const startedMs = Date.now();
  const line = (mark: string, detail: string) =>
    process.stdout.write(`${mark} ${name.padEnd(28)} ${formatDuration(Date.now() - startedMs).padStart(8)}  ${detail}\n`);
  try {
    line("ok  ", (await work()) ?? "");
    return true;
  } catch (error) {
    line("FAIL", error instanceof Complaint ? error.message : String(error));
    return false;
  }
}
