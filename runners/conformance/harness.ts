import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { parseExactJson } from "../../contract/json/exact-json.ts";
import { interpreters, interpreterVariable } from "../../contract/languages.ts";
import { parseRunnerAnswer } from "../../core/jobs/runner-answer.ts";
import { pythonPath } from "../../test/support/programs.ts";
import type { RunnerManifest } from "../manifest.ts";
import * as manifests from "../manifests.ts";
import type { RunOutcome, RunRequest } from "../protocol.ts";
import { helpers } from "../shared/process/strays.ts";
import { makeRequest, type Script, type Service, startService } from "./service.ts";

/** A runner of one language and the service around it. */
export interface Runner extends Service {
  run(script: Script): Promise<RunOutcome>;
  /** Sends a request unchanged. */
  send(request: RunRequest): Promise<RunOutcome>;
  request(script: Script): RunRequest;
  /** The lines that the runner has printed itself, one for each run. */
  printed: string[];
  /** The process that supervises. */
  pid: number;
  workDir: string;
  close(): Promise<void>;
}

/** A supervisor, however it is hosted. */
interface Supervisor {
  send(request: RunRequest): Promise<RunOutcome>;
  printed: string[];
  pid: number;
  workDir: string;
  close(): Promise<void>;
}

/** Variables of the supervisor that no script may see. */
const secrets = { AWS_ACCESS_KEY_ID: "never-to-be-seen", AWS_SECRET_ACCESS_KEY: "never-to-be-seen", SUPERVISOR_SECRET: "never-to-be-seen" };

/**
 * Starts a runner of one language. A supervisor hosted in Node runs in this process, with one work directory for all of them: its settings are
 * read at the first run.
 * @param environment variables of the runner, in addition to the usual ones
 */
export function startRunner(language: string, environment: Record<string, string> = {}): Promise<Runner> {
  return start(language, (manifest) =>
    manifest.function.runtime === "python"
      ? Promise.resolve(spawnSupervisor(manifest, environment))
      : loadSupervisor(language, environment),
  );
}

const isRoot = process.getuid?.() === 0;
const inNamespace = [
  ...["unshare", ...(isRoot ? [] : ["--user", "--map-root-user"]), "--pid", "--fork", "--mount-proc", "--kill-child"],
  // As on Lambda, process 1 of the namespace is not the program itself.
  ...["sh", "-c", '"$@"; exit', "sh"],
];
/**
 * A command that runs another one in its own process namespace: it hides all other processes, and when it ends, the kernel ends all processes in
 * the namespace. `undefined` if the system refuses it.
 */
export const aloneInNamespace =
  process.platform === "linux" && spawnSync("unshare", [...inNamespace.slice(1), "true"]).status === 0 ? inNamespace : undefined;

/**
 * Starts a runner of one language as on Lambda: the supervisor is a separate process with its own directory, and neither it nor its jobs have
 * root privileges. `before`: a command that starts it.
 */
export function startUnprivilegedRunner(
  language: string,
  environment: Record<string, string> = {},
  before: readonly string[] = [],
): Promise<Runner> {
  const unprivileged = isRoot ? ["setpriv", "--bounding-set=-all", "--inh-caps=-all", "--"] : [];
  return start(language, (manifest) => Promise.resolve(spawnSupervisor(manifest, environment, [...before, ...unprivileged])));
}

async function start(language: string, host: (manifest: RunnerManifest) => Promise<Supervisor>): Promise<Runner> {
  const manifest = (Object.values(manifests) as RunnerManifest[]).find(({ id }) => id === language);
  if (!manifest) throw new Error(`There is no manifest for ${language}.`);
  const { service, close } = await startService();
  const supervisor = await host(manifest);
  const { printed, pid, workDir } = supervisor;
  const send = async (request: RunRequest) => {
    const answer = parseRunnerAnswer(JSON.stringify(await supervisor.send(request)));
    // Callers must accept every answer of a runner.
    if (answer.kind === "lost") throw new Error(answer.reason);
    return answer.outcome;
  };
  const request = (script: Script) => makeRequest(manifest, script, service);
  return Object.assign(service, {
    run: (script: Script) => send(request(script)),
    send,
    request,
    printed,
    pid,
    workDir,
    async close() {
      await supervisor.close();
      await close();
    },
  });
}

/** Makes this process the supervisor. */
async function loadSupervisor(language: string, environment: Record<string, string>): Promise<Supervisor> {
  process.env["SVC_WORK_DIR"] ??= mkdtempSync(join(tmpdir(), "svc-runner-"));
  const workDir = process.env["SVC_WORK_DIR"];
  for (const one of interpreters) process.env[interpreterVariable(one)] ??= interpreter(one.name);
  Object.assign(process.env, secrets, environment);
  const { handler } = (await import(`../${language}/handler.ts`)) as { handler: (request: RunRequest) => Promise<RunOutcome> };
  const printed: string[] = [];
  const print = console.log;
  console.log = (...line: unknown[]) => {
    if (String(line[0]).startsWith(`{"level":`)) printed.push(String(line[0]));
    else print(...line);
  };
  return {
    send: handler,
    printed,
    pid: process.pid,
    workDir,
    async close() {
      console.log = print;
      process.once("exit", () => rmSync(workDir, { recursive: true, force: true }));
    },
  };
}

/** Starts a supervisor as one warm process, as the local engine does. It takes one request at a time, like a Lambda environment. */
function spawnSupervisor(manifest: RunnerManifest, environment: Record<string, string>, prefix: string[] = []): Supervisor {
  const workDir = mkdtempSync(join(tmpdir(), `svc-${manifest.id}-`));
  const driver =
    manifest.function.runtime === "python"
      ? [pythonPath(), join(import.meta.dirname, "../python3/test/driver.py")]
      : [process.execPath, join(import.meta.dirname, "driver.ts"), manifest.id];
  const [program = "", ...args] = [...prefix, ...driver];
  const paths = Object.fromEntries(interpreters.map((one) => [interpreterVariable(one), interpreter(one.name)]));
  const child = spawn(program, args, {
    env: { PATH: process.env["PATH"], SVC_WORK_DIR: workDir, ...paths, ...secrets, ...environment },
    stdio: ["pipe", "pipe", "pipe"],
  });
  // A supervisor in this process does not end the other one.
  helpers.add(child.pid ?? 0);
  const printed: string[] = [];
  createInterface({ input: child.stderr }).on("line", (line) => printed.push(line));
  const waiting: { resolve: (outcome: RunOutcome) => void; reject: (error: Error) => void }[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => {
    const next = waiting.shift();
    if (!next) throw new Error(`the runner wrote to the protocol's stream: ${line}`);
    next.resolve(parseExactJson(line) as RunOutcome);
  });
  child.on("exit", () => {
    for (const { reject } of waiting.splice(0)) reject(new Error(`the runner ended: ${printed.join("\n")}`));
  });
  return {
    send: (request) =>
      new Promise((resolve, reject) => {
        waiting.push({ resolve, reject });
        child.stdin.write(`${JSON.stringify(request)}\n`);
      }),
    printed,
    pid: child.pid ?? -1,
    workDir,
    async close() {
      child.stdin.end();
      if (child.exitCode === null && child.signalCode === null) await new Promise((done) => child.once("exit", done));
      rmSync(workDir, { recursive: true, force: true });
    },
  };
}

const require = createRequire(import.meta.url);

/** The path of an interpreter from the npm package of this platform; its bare name if the package is missing. */
export function interpreter(name: string): string {
  const { packages, file } = interpreters.find((one) => one.name === name) ?? {};
  const found = packages?.[`${process.platform}-${process.arch}` as keyof typeof packages];
  return found && file ? join(dirname(require.resolve(`${found}/package.json`)), file) : name;
}

/** The files that jobs have left. Each waiting host or spare has a directory, empty except for its `tmp`. */
export function filesOfJobs(runner: Runner): string[] {
  return readdirSync(join(runner.workDir, "jobs"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\/(deno|cache)(\/|$)/.test(entry.parentPath))
    .map((entry) => join(entry.parentPath, entry.name));
}

export function isAlive(id: number): boolean {
  try {
    process.kill(id, 0);
    return true;
  } catch {
    // No process has this id.
    return false;
  }
}

/** Waits until a condition holds; the test's own time limit is the limit. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 20));
}
