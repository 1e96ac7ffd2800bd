import { readFileSync } from "node:fs";
import path from "node:path";
import type { OperationName } from "../../contract/client/operation.ts";
import { operations } from "../../contract/client/operations/all.ts";
import { type AnyInput, toRequest } from "../../contract/client/request.ts";
import { callLogService } from "../engine/log-service.ts";
import { readOptions } from "../launch/commands.mjs";
import { Complaint, explain } from "../launch/complaint.mjs";
import { type LocalJson, readLocalJson } from "../local-json.ts";
import { upStateDir } from "../paths.ts";

const DEFAULT_LINES = 50;
/** The name of a function's log group ends with the id of the function in the stack: `…/WorkerLogs4B5B6506`. */
const GROUP = /([^/-]+)Logs[0-9A-F]{8}/;
const RUN_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

interface LogLine {
  atMs: number;
  group: string;
  message: string;
}

/** Shows log lines of functions, or the log of a run, of the local service. */
async function logs(): Promise<void> {
  const { argument, texts } = readOptions("logs");
  const count = Number(texts["lines"] ?? DEFAULT_LINES);
  if (!Number.isInteger(count) || count < 1) throw new Complaint(`--lines takes a number of at least 1, not ${texts["lines"]}.`);
  const service = readLocalJson();
  if (!service) throw new Complaint("The local service was never started here. Start it with npm run up in another terminal.");
  if (argument && RUN_ID.test(argument)) return showRun(service, argument);
  await showFunctions(argument, count);
}

async function showRun({ url, token }: LocalJson, id: string): Promise<void> {
  const read = async (name: OperationName, input: AnyInput) => {
    const answer = await fetch(`${url}${toRequest(operations, name, input).address}`, {
      headers: { authorization: `Bearer ${token}` },
    }).catch(notRunning);
    const text = await answer.text();
    return answer.ok ? text : undefined;
  };
  const workspaces = JSON.parse((await read("workspaces.list", {})) ?? "[]") as { id: string }[];
  for (const workspace of workspaces) {
    const at = { workspace: workspace.id, id };
    const found = await read("jobs.get", at);
    if (found === undefined) continue;
    const job = JSON.parse(found) as { job_kind: string; script_path?: string; success?: boolean; running?: boolean; result?: unknown };
    const isFlow = /^(flow|flowpreview|singlestepflow)$/.test(job.job_kind);
    const text = await read(isFlow ? "jobs.getFlowLogs" : "jobs.getLogs", at);
    const state = job.success === undefined ? (job.running ? "running" : "queued") : job.success ? "succeeded" : "failed";
    console.log(`${workspace.id} ${job.script_path ?? "preview"} ${state}\n`);
    console.log((text ?? "").trimEnd() || "The run has no log.");
    if (job.success === false) console.log(`\nResult: ${JSON.stringify(job.result)}`);
    return;
  }
  throw new Complaint(`There is no run ${id}. The ids of runs are in the terminal of npm run up.`);
}

async function showFunctions(name: string | undefined, count: number): Promise<void> {
  const { logGroups } = await ask<{ logGroups: { logGroupName: string }[] }>("DescribeLogGroups", {});
  const all = logGroups.map(({ logGroupName }) => logGroupName).filter((group) => GROUP.test(group));
  const groups = name === undefined ? all : all.filter((group) => nameOf(group).includes(name.toLowerCase()));
  if (groups.length === 0)
    throw new Complaint(`There is no function ${name}. Functions with a log: ${all.map(nameOf).toSorted().join(", ")}.`);
  const lines: LogLine[] = [];
  for (const group of groups) {
    const { events } = await ask<{ events: { timestamp: number; message: string }[] }>("FilterLogEvents", { logGroupName: group });
    lines.push(...events.map(({ timestamp, message }) => ({ atMs: timestamp, group, message: message.trim() })));
  }
  const written = lines.filter(({ message }) => message !== "" && !/^(START|END|REPORT) /.test(message));
  if (written.length === 0) return console.log("No line was logged since the engine started.");
  for (const line of written.toSorted((a, b) => a.atMs - b.atMs).slice(-count)) console.log(shown(line));
}

const nameOf = (group: string) => (GROUP.exec(group)?.[1] ?? group).toLowerCase();

function shown({ atMs, group, message }: LogLine): string {
  return `${new Date(atMs).toTimeString().slice(0, 8)} ${nameOf(group)} ${message}`;
}

async function ask<T>(operation: string, input: object): Promise<T> {
  const answer = await callLogService(`http://127.0.0.1:${enginePort()}`, operation, input).catch(notRunning);
  const text = await answer.text();
  if (!answer.ok) throw new Complaint(`The engine did not return its logs: ${operation} returned ${answer.status}: ${text}`);
  return JSON.parse(text) as T;
}

const notRunning = () => {
  throw new Complaint("The local service is not running. Start it with npm run up in another terminal.");
};

function enginePort(): string {
  try {
    return readFileSync(path.join(upStateDir, "engine-port"), "utf8").trim();
  } catch {
    return notRunning();
  }
}

try {
  await logs();
} catch (error) {
  process.exitCode = explain(error);
}
