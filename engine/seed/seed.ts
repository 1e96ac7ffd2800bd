import { readFileSync } from "node:fs";
import path from "node:path";
import { lastLines } from "../commands/command.ts";
import { Complaint } from "../launch/complaint.mjs";
import { root } from "../paths.ts";

const FOLDER = "examples";
const examplesDir = path.join(root, "engine", "seed", "examples");

const examples = [
  { name: "hello_bun", file: "hello_bun.ts", language: "bun", summary: "Returns a greeting, called through its webhook" },
  { name: "fibo_deno", file: "fibo_deno.ts", language: "deno", summary: "A Fibonacci number in Deno" },
  { name: "slug_nodejs", file: "slug_nodejs.ts", language: "nodejs", summary: "An npm package in Node" },
  { name: "words_python", file: "words_python.py", language: "python3", summary: "A PyPI package in Python" },
  { name: "fibo_go", file: "fibo_go.go", language: "go", summary: "A Fibonacci number in Go" },
  { name: "disk_bash", file: "disk_bash.sh", language: "bash", summary: "Disk usage in Bash" },
] as const;

export interface Access {
  url: string;
  workspace: string;
  token: string;
  signal?: AbortSignal;
}

/**
 * Saves the examples through the public API and runs the first one with `args` by a POST request to its webhook. Repeated calls create no
 * new versions. The first example runs before the others are saved, because their builds would slow it down.
 */
export async function seedExamples(access: Access, args: object): Promise<{ scripts: number; result: unknown }> {
  const [first, ...others] = examples;
  if ((await call(access, "GET", `folders/exists/${FOLDER}`)) !== true) {
    await call(access, "POST", "folders/create", { name: FOLDER, summary: "Examples" });
  }
  const hash = String(await save(access, first));
  await built(access, hash);
  const result = await firstResult(access, args);
  for (const example of others) await save(access, example);
  return { scripts: examples.length, result };
}

function save(access: Access, { name, file, language, summary }: (typeof examples)[number]): Promise<unknown> {
  const content = readFileSync(path.join(examplesDir, file), "utf8");
  const script = { path: `f/${FOLDER}/${name}`, summary, description: "", content, language, kind: "script", auto_parent: true };
  return call(access, "POST", "scripts/create?skip_if_noop=true", script);
}

/** The first call may wait for containers longer than a reply may take. A later call finds them started. */
async function firstResult(access: Access, args: object): Promise<unknown> {
  const run = () => send(access, "POST", `jobs/run_wait_result/p/${FIRST_EXAMPLE}`, args);
  let answer = await run();
  for (let more = 2; more > 0 && answer.status === 504; more--) {
    await answer.arrayBuffer();
    answer = await run();
  }
  return read(answer, `POST jobs/run_wait_result/p/${FIRST_EXAMPLE}`);
}

/** A synchronous call returns within 25 s, and a first build may take longer, so it is awaited first. */
async function built(access: Access, hash: string): Promise<void> {
  for (let ended = false; ; ) {
    const status = (await call(access, "GET", `scripts/deployment_status/h/${hash}`)) as DeploymentStatus;
    if (status.lock_error_logs) throw new Complaint(`${FIRST_EXAMPLE} could not be built.\n${lastLines(status.lock_error_logs)}`);
    if (status.lock !== undefined) return;
    if (ended || !status.job_id)
      throw new Complaint(`The build of ${FIRST_EXAMPLE} ended without a status. Run npm run reset to start again.`);
    // The server delays the response until there is a change, for at most a second.
    const update = await call(access, "GET", `jobs_u/getupdate/${status.job_id}?running=true`);
    ended = (update as { completed?: boolean }).completed === true;
  }
}

interface DeploymentStatus {
  lock?: string;
  lock_error_logs?: string;
  job_id?: string;
}

export const FIRST_EXAMPLE = `f/${FOLDER}/${examples[0].name}`;

async function call(access: Access, method: string, route: string, body?: unknown): Promise<unknown> {
  return read(await send(access, method, route, body), `${method} ${route}`);
}

function send({ url, workspace, token, signal }: Access, method: string, route: string, body?: unknown): Promise<Response> {
  return fetch(`${url}/api/w/${workspace}/${route}`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body === undefined ? {} : { "content-type": "application/json" }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal ? { signal } : {}),
  });
}

async function read(answer: Response, request: string): Promise<unknown> {
  const text = await answer.text();
  if (!answer.ok) throw new Complaint(`${request} returned ${answer.status}: ${text}`);
  return answer.headers.get("content-type")?.startsWith("application/json") ? JSON.parse(text) : text;
}

/** Returns whether the token of an earlier start is still valid. */
export async function tokenWorks({ url, token }: Pick<Access, "url" | "token">): Promise<boolean> {
  const answer = await fetch(`${url}/api/users/whoami`, { headers: { authorization: `Bearer ${token}` } });
  await answer.arrayBuffer();
  return answer.ok;
}
