import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import path from "node:path";
import { type Answer, createClient, readValue } from "../../contract/client/client.ts";
import type { Reply } from "../../contract/client/operation.ts";
import { operations } from "../../contract/client/operations/all.ts";
import { type ApiRequest, toJsonContent, toRequest } from "../../contract/client/request.ts";
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
  const hasFolder = await createApi(access).folders.exists({ name: FOLDER });
  if (!hasFolder && earlier === undefined) await createApi(access).folders.create({ body: { name: FOLDER, summary: "Examples" } });
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
  const { status, value } = await send(
    access,
    toRequest(operations, "scripts.getByPath", { workspace: access.workspace, path: `f/${FOLDER}/${name}` }),
    [404],
  );
  return status === 404 ? savedHash === undefined : hashOf((value as Reply<"scripts.getByPath">).content) === savedHash;
}

/** Returns whether the example of the printed commands still exists. */
export async function hasFirstExample(access: Access): Promise<boolean> {
  return createApi(access).scripts.exists({ path: FIRST_EXAMPLE });
}

function save(access: Access, example: Example): Promise<unknown> {
  const { name, language, summary } = example;
  const content = contentOf(example);
  const body = { path: `f/${FOLDER}/${name}`, summary, description: "", content, language, kind: "script", auto_parent: true } as const;
  return createApi(access).scripts.create({ query: { skip_if_noop: true }, body });
}

/** The first call may wait for containers for longer than the time limit of a reply. A later call finds them started. */
async function firstResult(access: Access, args: object): Promise<unknown> {
  const request = toRequest(operations, "jobs.runWait.scripts", { workspace: access.workspace, path: FIRST_EXAMPLE, body: args });
  for (let more = 2; more > 0; more--) {
    const { status, value } = await send(access, request, [504]);
    if (status !== 504) return value;
  }
  return (await send(access, request)).value;
}

/** A synchronous call returns within 25 s, and a first build may take longer, so it is awaited first. */
async function built(access: Access, hash: string): Promise<void> {
  for (let ended = false; ; ) {
    const status = await createApi(access).scripts.deploymentStatus({ hash });
    if (status.lock_error_logs) throw new Complaint(`${FIRST_EXAMPLE} could not be built.\n${lastLines(status.lock_error_logs)}`);
    if (status.lock !== undefined) return;
    if (ended || !status.job_id)
      throw new Complaint(`The build of ${FIRST_EXAMPLE} ended without a status. Run npm run reset to start again.`);
    // The server delays the response until there is a change, but at most for a second.
    const { completed } = await createApi(access).jobs.getUpdate({ id: status.job_id, query: { running: true } });
    ended = completed === true;
  }
}

export const FIRST_EXAMPLE = `f/${FOLDER}/${examples[0].name}`;

const createApi = (access: Access) => createClient(operations, (request) => send(access, request), { workspace: access.workspace }).call;

/** Sends a request. Throws `Complaint` unless the status is a success or one of `expected`. */
async function send(
  { url, token, signal }: Omit<Access, "workspace">,
  { method, address, body }: ApiRequest,
  expected: readonly number[] = [],
): Promise<Answer> {
  const content = toJsonContent(body);
  const answer = await fetch(`${url}${address}`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...content.headers },
    ...defined({ body: content.body, signal }),
  });
  const { ok, status, headers } = answer;
  const text = await answer.text();
  if (ok) return { status, headers, value: readValue(headers.get("content-type"), text) };
  if (expected.includes(status)) return { status, headers, value: text };
  throw new Complaint(`${method} ${address} returned ${status}: ${text}`);
}

/** Returns whether the token of an earlier start is still valid. */
export async function tokenWorks({ url, token }: Pick<Access, "url" | "token">): Promise<boolean> {
  const { address } = toRequest(operations, "users.whoamiGlobal");
  const answer = await fetch(`${url}${address}`, { headers: { authorization: `Bearer ${token}` } });
  await answer.arrayBuffer();
  return answer.ok;
}
