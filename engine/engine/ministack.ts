import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { env } from "../../contract/env.ts";
import { killGroup, lastLines, runCommand } from "../commands/command.ts";
import { Complaint } from "../launch/complaint.mjs";
import { isAlive } from "../launch/lock.mjs";
import type { PythonTools } from "../launch/venv.ts";
import { root } from "../paths.ts";
import { childEnv } from "./child-env.ts";

/** The local engine while it runs. */
export interface Engine {
  port: number;
  /** `http://127.0.0.1:<port>`, the endpoint for AWS clients. */
  endpoint: string;
  pid: number | undefined;
  logFile: string;
  /** Resolves with one sentence if the engine ends unexpectedly. */
  died: Promise<string>;
  /** Writes the state to disk while the engine is running. */
  save(): Promise<void>;
  /** Saves the state and ends the engine with all its descendants. */
  stop(): Promise<void>;
  /** For tests: ends the engine at once, as a power cut would. */
  kill(): Promise<void>;
}

export interface EngineOptions {
  /** Folder of this engine's state, log and temporary files. */
  dir: string;
  port: number;
  tools: PythonTools;
  /** The key that the front server sends with the requests that it passes on. Without one, the engine answers programs only. */
  engineKey?: string;
  /** The endpoint of another Step Functions, which the functions call instead of the engine's own. */
  statesEndpoint?: string | undefined;
  /** Folder of the unpacked code of functions. Default: below `dir`, until the engine ends. */
  functionCode?: string;
}

const READY_MS = 30_000;
/** At its end, the engine waits 3 s for open requests and then writes its state. */
const STOP_MS = 20_000;
const POLL_MS = 50;

export async function startMinistack({
  dir,
  port,
  tools,
  engineKey = "",
  statesEndpoint,
  functionCode = path.join(dir, "tmp", "functions"),
}: EngineOptions): Promise<Engine> {
  mkdirSync(path.join(dir, "state"), { recursive: true, mode: 0o700 });
  // Remains of a killed engine: unpacked functions and directories of jobs.
  rmSync(path.join(dir, "tmp"), { recursive: true, force: true });
  mkdirSync(path.join(dir, "tmp"), { recursive: true });
  writeFileSync(endedRunsFile(dir), "", { mode: 0o600 });
  const logFile = path.join(dir, "engine.log");
  const log = openSync(logFile, "w", 0o600);
  const child = spawn(tools.python, [path.join(root, "engine", "engine", "ministack_main.py")], {
    cwd: dir,
    env: {
      ...engineEnv(dir, port, tools),
      SVC_FUNCTION_CODE: functionCode,
      ...(statesEndpoint ? { AWS_ENDPOINT_URL_SFN: statesEndpoint } : {}),
    },
    // The engine ends when its standard input closes. The kernel closes it however this process ends.
    stdio: ["pipe", log, log],
    // A separate process group: Ctrl-C in the terminal reaches only this process, which saves the engine's state before it ends the engine.
    detached: true,
  });
  closeSync(log);
  child.stdin?.on("error", () => undefined);
  child.stdin?.write(`${engineKey}\n`);
  const exit = exitOf(child);
  const started = { stopping: false };
  const died = new Promise<string>((resolve) => {
    void exit.then((how) => started.stopping || resolve(diedSentence(how, logFile)));
  });
  if (child.pid !== undefined) writeFileSync(pidFile(dir), JSON.stringify({ pid: child.pid, port }));

  const end = async (signal: NodeJS.Signals) => {
    started.stopping = true;
    const below = await descendants(child.pid);
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    const inTime = await Promise.race([exit.then(() => true), sleep(STOP_MS, false, { ref: false })]);
    if (!inTime) child.kill("SIGKILL");
    await exit;
    if (child.pid !== undefined) killGroup(child.pid, "SIGKILL");
    for (const pid of below) killQuietly(pid);
    rmSync(pidFile(dir), { force: true });
    rmSync(path.join(dir, "tmp"), { recursive: true, force: true });
  };
  let ending: Promise<void> | undefined;
  const engine: Engine = {
    port,
    endpoint: `http://127.0.0.1:${port}`,
    pid: child.pid,
    logFile,
    died,
    save: () => save(dir, child),
    // The state is saved before the stop, because running builds can delay the stop until the engine is killed.
    stop: () => (ending ??= save(dir, child).then(() => end("SIGTERM"))),
    kill: () => (ending ??= end("SIGKILL")),
  };
  await waitUntilReady(engine, died);
  return engine;
}

/** The file to which the functions of an engine append a line for each run that has ended. */
export const endedRunsFile = (dir: string) => path.join(dir, "ended-runs.jsonl");

function engineEnv(dir: string, port: number, tools: PythonTools): NodeJS.ProcessEnv {
  return childEnv(process.env, {
    BIND_HOST: "127.0.0.1",
    GATEWAY_PORT: String(port),
    PERSIST_STATE: "1",
    STATE_DIR: path.join(dir, "state"),
    S3_PERSIST: "1",
    S3_DATA_DIR: path.join(dir, "s3"),
    // The engine unpacks everything into a folder that is removed with it.
    TMPDIR: path.join(dir, "tmp"),
    [env.endedRuns]: endedRunsFile(dir),
    LAMBDA_WARM_TTL_SECONDS: "120",
    LAMBDA_ACCOUNT_CONCURRENCY: String(processLimit()),
    // The AWS runtime ships its SDK, and CDK's custom resources rely on that.
    NODE_PATH: path.join(root, "node_modules"),
    PYTHONDONTWRITEBYTECODE: "1",
    // Turns off listeners that are not used here, because another instance may need their ports.
    SFTP_ENABLED: "0",
    IOT_MTLS_ENABLED: "0",
    LOG_LEVEL: "WARNING",
    ...tools.env,
  });
}

/** Each concurrent call is a separate process of up to 100 MB: as many as fit into memory, and at most 200. */
function processLimit(): number {
  return Math.min(200, Math.max(40, Math.floor(os.totalmem() / 100e6)));
}

async function waitUntilReady(engine: Engine, died: Promise<string>): Promise<void> {
  const failure = died.then((sentence) => {
    throw new Complaint(sentence);
  });
  failure.catch(() => {});
  const deadlineMs = Date.now() + READY_MS;
  while (!(await isHealthy(engine.port))) {
    if (Date.now() > deadlineMs) {
      await engine.kill();
      throw new Complaint(`The local engine did not start within ${READY_MS / 1000} s. See ${engine.logFile}.\n${logTail(engine.logFile)}`);
    }
    await Promise.race([sleep(POLL_MS), failure]);
  }
}

async function isHealthy(port: number): Promise<boolean> {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/_ministack/health`, { signal: AbortSignal.timeout(2_000) });
    await answer.arrayBuffer();
    return answer.ok;
  } catch {
    return false;
  }
}

/** Ends an engine that a killed run left behind on this state. The engine saves its state if it still can. */
export async function stopStaleEngine(dir: string): Promise<boolean> {
  const stale = readPidFile(dir);
  if (!stale || !(await isEngineProcess(stale.pid))) return false;
  const below = await descendants(stale.pid);
  process.kill(stale.pid, "SIGTERM");
  const deadlineMs = Date.now() + STOP_MS;
  while (isAlive(stale.pid) && Date.now() < deadlineMs) await sleep(POLL_MS);
  killGroup(stale.pid, "SIGKILL");
  for (const pid of below) killQuietly(pid);
  rmSync(pidFile(dir), { force: true });
  return true;
}

const pidFile = (dir: string) => path.join(dir, "engine.pid");

function readPidFile(dir: string): { pid: number; port: number } | undefined {
  try {
    return JSON.parse(readFileSync(pidFile(dir), "utf8"));
  } catch {
    return undefined;
  }
}

/** The process id in an old file may belong to another process now, so the command line is checked. */
async function isEngineProcess(pid: number): Promise<boolean> {
  if (!isAlive(pid)) return false;
  const { code, output } = await runCommand("ps", ["-o", "command=", "-p", String(pid)]);
  return code === 0 && output.includes("ministack_main.py");
}

/** Returns all descendants of a process, because user code may have left the engine's process group. */
async function descendants(pid: number | undefined): Promise<number[]> {
  if (pid === undefined) return [];
  const { output } = await runCommand("ps", ["-axo", "pid=,ppid="]);
  const children = new Map<number, number[]>();
  for (const line of output.split("\n")) {
    const [id, parent] = line.trim().split(/\s+/).map(Number);
    if (id && parent) children.set(parent, [...(children.get(parent) ?? []), id]);
  }
  const below: number[] = [];
  const queue = [pid];
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const direct = children.get(next) ?? [];
    below.push(...direct);
    queue.push(...direct);
  }
  return below;
}

function killQuietly(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}

async function save(dir: string, child: ChildProcess): Promise<void> {
  const marker = path.join(dir, "state", "saved");
  rmSync(marker, { force: true });
  if (!child.kill("SIGUSR1")) return;
  const deadlineMs = Date.now() + STOP_MS;
  const runs = () => child.exitCode === null && child.signalCode === null;
  while (!existsSync(marker) && Date.now() < deadlineMs && runs()) await sleep(POLL_MS);
}

function exitOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("exit", (code, signal) => resolve(signal ? `signal ${signal}` : `exit code ${code}`));
  });
}

function diedSentence(how: string, logFile: string): string {
  const tail = logTail(logFile);
  return `The local engine stopped unexpectedly (${how}), and changes since its last save are lost. Start it again with npm run up. Its log is ${logFile}.${tail && `\n${tail}`}`;
}

function logTail(logFile: string): string {
  try {
    return lastLines(readFileSync(logFile, "utf8"), 8);
  } catch {
    return "";
  }
}
