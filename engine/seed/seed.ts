import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import path from "node:path";
import { defined } from "../../contract/defined.ts";
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

/** The SHA-256 of the content with which each example was saved, by its name. */
type Seeded = Record<string, string>;

/**
 * Saves the examples through the public API, each of them once, and runs the first one with `args` by a POST request to its webhook if it
 * was saved now. `seeded` is the record of earlier starts. An example that a user has changed or deleted remains as it is, and one that
 * changed in the checkout gets a new version if no user has changed it. The first example runs before the others are saved, because their
 * builds would slow it down. Returns the record for the next start.
 */
export async function seedExamples(access: Access, args: object, earlier?: Seeded): Promise<{ seeded: Seeded; result?: unknown }> {
  const hasFolder = (await call(access, "GET", `folders/exists/${FOLDER}`)) === true;
  if (!hasFolder && earlier === undefined) await call(access, "POST", "folders/create", { name: FOLDER, summary: "Examples" });
  // An earlier release wrote no record. A user may have changed or deleted its examples.
  const before = earlier ?? (hasFolder ? Object.fromEntries(examples.map((example) => [example.name, hashOf(contentOf(example))])) : {});
  const seeded: Seeded = { ...before };
  let result: unknown;
  for (const example of examples) {
    const hash = hashOf(contentOf(example));
    if (before[example.name] === hash || !(await isOurs(access, example, before[example.name]))) continue;
    const version = String(await save(access, example));
    seeded[example.name] = hash;
    if (example !== examples[0]) continue;
    await built(access, version);
    result = await firstResult(access, args);
  }
  return { seeded, ...defined({ result }) };
}

type Example = (typeof examples)[number];
const contentOf = ({ file }: Example) => readFileSync(path.join(examplesDir, file), "utf8");
const hashOf = (content: string) => createHash("sha256").update(content).digest("hex");

/** Returns whether an example may be saved: it was never saved and its path is free, or it is unchanged since an earlier start saved it. */
async function isOurs(access: Access, { name }: Example, savedHash: string | undefined): Promise<boolean> {
  const answer = await send(access, "GET", `scripts/get/p/f/${FOLDER}/${name}`);
  const text = await answer.text();
  if (answer.status === 404) return savedHash === undefined;
  if (!answer.ok) throw new Complaint(`GET scripts/get/p/f/${FOLDER}/${name} returned ${answer.status}: ${text}`);
  return hashOf((JSON.parse(text) as { content: string }).content) === savedHash;
}

/** Returns whether the example of the printed commands still exists. */
export async function hasFirstExample(access: Access): Promise<boolean> {
  return (await call(access, "GET", `scripts/exists/p/${FIRST_EXAMPLE}`)) === true;
}

function save(access: Access, example: Example): Promise<unknown> {
  const { name, language, summary } = example;
  const content = contentOf(example);
  const script = { path: `f/${FOLDER}/${name}`, summary, description: "", content, language, kind: "script", auto_parent: true };
  return call(access, "POST", "scripts/create?skip_if_noop=true", script);
}

/** The first call may wait for containers for longer than the time limit of a reply. A later call finds them started. */
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
    // The server delays the response until there is a change, but at most for a second.
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
