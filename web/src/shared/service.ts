import { basePath } from "./base-path.ts";

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

export interface Login {
  type: string;
  display_name?: string;
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

/** Calls the service as the signed-in user. Throws `Refused`. */
export async function call(method: "GET" | "POST", path: string, body?: object): Promise<Response> {
  const answer = await fetch(`${basePath}${path}`, {
    method,
    credentials: "same-origin",
    ...(body ? { headers: { "content-type": "application/json" }, body: JSON.stringify(body) } : {}),
  }).catch(() => {
    throw new Refused(0, "page.offline", "The service did not respond. Check your connection and try again.");
  });
  if (answer.ok) return answer;
  throw new Refused(answer.status, answer.headers.get("x-svc-error") ?? "", await answer.text());
}
