import type { ApprovalInfo } from "../../../../contract/routes/approvals/approvals.ts";
import type { Address } from "./address.ts";

/** An error response: one sentence and a code. `status` 0: the service did not respond. */
export class Refused extends Error {
  override readonly name = "Refused";
  readonly status: number;
  readonly code: string;
  constructor(status: number, code: string, sentence: string) {
    super(sentence);
    this.status = status;
    this.code = code;
  }
}

export interface Decision {
  approved: boolean;
  payload?: unknown;
  reason?: string;
}

export interface Login {
  type: string;
  display_name?: string;
}

const flowRoute = ({ workspace, id }: Address, name: string) =>
  `/api/w/${encodeURIComponent(workspace)}/jobs_u/flow/${name}/${encodeURIComponent(id)}`;

export async function loadInfo(address: Address): Promise<ApprovalInfo> {
  const query = address.token === undefined ? "" : `?${new URLSearchParams({ token: address.token })}`;
  const load = async () => (await call("GET", `${flowRoute(address, "approval_info")}${query}`)).json();
  try {
    return await load();
  } catch (error) {
    if (!(error instanceof Refused) || error.code !== "auth.invalid") throw error;
    // An expired session is ignored, because a link may need none.
    await call("POST", "/api/auth/logout");
    return load();
  }
}

export async function decide(address: Address, decision: Decision): Promise<void> {
  const link = address.token === undefined ? {} : { approval_token: address.token };
  await call("POST", flowRoute(address, "resume_suspended"), { ...decision, ...link });
}

export async function signIn(email: string, password: string): Promise<void> {
  await call("POST", "/api/auth/login", { email, password });
}

/** The available ways to sign in: a password and external identity providers. */
export async function loadLogins(): Promise<{ passwords: boolean; others: Login[] }> {
  const [disabled, listed] = await Promise.all([
    call("GET", "/api/auth/is_password_login_disabled").then((answer) => answer.json() as Promise<boolean>),
    call("GET", "/api/oauth/list_logins").then((answer) => answer.json() as Promise<{ oauth: Login[] }>),
  ]);
  return { passwords: !disabled, others: listed.oauth };
}

async function call(method: "GET" | "POST", path: string, body?: object): Promise<Response> {
  const answer = await fetch(path, {
    method,
    credentials: "same-origin",
    ...(body ? { headers: { "content-type": "application/json" }, body: JSON.stringify(body) } : {}),
  }).catch(() => {
    throw new Refused(0, "page.offline", "The service did not respond. Check your connection and try again.");
  });
  if (answer.ok) return answer;
  throw new Refused(answer.status, answer.headers.get("x-svc-error") ?? "", await answer.text());
}
