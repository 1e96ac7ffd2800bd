import { type Answer, createClient, readValue } from "../../../contract/client/client.ts";
import type { Reply } from "../../../contract/client/operation.ts";
import { oauthOperations, signInOperations } from "../../../contract/client/operations/people.ts";
import { type ApiRequest, toJsonContent, toRequest } from "../../../contract/client/request.ts";
import { isJsonObject } from "../../../contract/json/json-object.ts";
import { basePath } from "./base-path.ts";

interface RefusedDetails {
  issues?: string | undefined;
  change?: string | undefined;
}

/** An error response: one sentence and a code. `status` 0: the service did not respond. */
export class Refused extends Error {
  override readonly name = "Refused";
  readonly status: number;
  readonly code: string;
  /** The refused values of a form, as the service sends them. */
  readonly issues: string;
  /** The author and the time of a newer version, as the service sends them. */
  readonly change: string;
  constructor(status: number, code: string, sentence: string, { issues = "[]", change = "" }: RefusedDetails = {}) {
    super(sentence);
    this.status = status;
    this.code = code;
    this.issues = issues;
    this.change = change;
  }
}

/** Returns what the service has refused: each issue has the parts of its place or the id of its step, and its reason. Empty: nothing is named. */
export function issuesOf({ issues }: Pick<Refused, "issues">): Record<string, unknown>[] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(issues);
  } catch {
    // A proxy may have cut the header.
  }
  return Array.isArray(parsed) ? parsed.filter(isJsonObject) : [];
}

export type Login = Reply<"oauth.listLogins">["oauth"][number];

/** The replies of a proxy, a firewall or API Gateway have no code, and are no sentence for people. */
function sentenceOf(status: number, text: string): string {
  if (status === 429) return "The service receives too many requests. Wait a moment and try again.";
  if (status === 413) return "The request is larger than the service accepts.";
  if (status >= 500) return "The service can't answer at the moment. Try again in a moment.";
  return /^\s*[<{[]|^\s*$/.test(text) ? `The request was refused before it reached the service (status ${status}).` : text;
}

/** No request waits longer: API Gateway answers within 29 s. */
const STALLED_MS = 60_000;

const unanswered = () => new Refused(0, "page.offline", "The service did not respond. Check your connection and try again.");

interface StrangersRequest {
  /** The whole path on this origin. */
  address: string;
  method: string;
  headers: [name: string, value: string][];
  body: string | undefined;
}

/** Sends a request without the session of the user, as another program does. Throws `Refused` if the service does not respond. */
export async function sendAsStranger({ address, method, headers, body }: StrangersRequest): Promise<Response> {
  const content = body === undefined ? {} : { body };
  const options = {
    method,
    headers,
    ...content,
    credentials: "omit",
    redirect: "manual",
    signal: AbortSignal.timeout(STALLED_MS),
  } as const;
  try {
    return await fetch(address, options);
  } catch (error) {
    throw Object.assign(unanswered(), { cause: error });
  }
}

/**
 * Sends a request as the signed-in user. Throws `Refused`, or the reason of the caller's signal. `read` parses the text of an answer by its content
 * type.
 */
export async function send({ method, address, body, headers: sentHeaders, signal }: ApiRequest, read = readValue): Promise<Answer> {
  const stalled = AbortSignal.timeout(STALLED_MS);
  const content = toJsonContent(body);
  const request = fetch(`${basePath}${address}`, {
    method,
    credentials: "same-origin",
    ...content,
    headers: { ...content.headers, ...sentHeaders },
    signal: signal ? AbortSignal.any([signal, stalled]) : stalled,
  });
  const refuse = () => {
    signal?.throwIfAborted();
    throw unanswered();
  };
  const answer = await request.catch(refuse);
  const { status, headers } = answer;
  const text = await answer.text().catch(refuse);
  if (!answer.ok) {
    const code = headers.get("x-svc-error");
    throw code === null
      ? new Refused(status, "", sentenceOf(status, text))
      : new Refused(status, code, text, {
          issues: headers.get("x-svc-issues") ?? undefined,
          change: headers.get("x-svc-change") ?? undefined,
        });
  }
  return { status, headers, value: read(headers.get("content-type"), text) };
}

const { call } = createClient({ ...signInOperations, ...oauthOperations }, send);

export async function signIn(email: string, password: string): Promise<void> {
  await call.auth.login({ body: { email, password } });
}

export async function signOut(): Promise<void> {
  await call.auth.logout();
}

/** The available ways to sign in: a password and external identity providers. */
export async function loadLogins(): Promise<{ passwords: boolean; others: Login[] }> {
  const [disabled, listed] = await Promise.all([call.auth.isPasswordLoginDisabled(), call.oauth.listLogins()]);
  return { passwords: !disabled, others: listed.oauth };
}

/** The address at which a provider begins a sign-in and returns the browser to this page. */
export const loginAddress = (client: string): string =>
  `${basePath}${toRequest(oauthOperations, "oauth.login", { client, query: { return_to: location.pathname + location.search } }).address}`;
