import { randomBytes } from "node:crypto";
import { parseArgs } from "node:util";
import { getManifest, type RunnerLanguage, runnerLanguages } from "../../contract/languages.ts";
import { Complaint, explain } from "../launch/complaint.mjs";
import { formatDuration } from "../launch/progress.mjs";

const USAGE = "npm run smoke -- --url https://… --token … [--workspace demo] [--languages bash,bun,python3]";

/** A first save builds, and a first run starts a function that was not called before. */
const BUILD_LIMIT_MS = 180_000;
const RUN_LIMIT_MS = 60_000;
const PAUSE_MS = 250;

interface Target {
  url: string;
  token: string;
}

async function call({ url, token }: Target, method: string, path: string, body?: unknown): Promise<{ status: number; text: string }> {
  const answer = await fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body === undefined ? {} : { "content-type": "application/json" }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(RUN_LIMIT_MS),
  }).catch((error: unknown) => {
    throw new Complaint(`${url} did not respond: ${error instanceof Error ? (error.cause ?? error) : error}.`);
  });
  return { status: answer.status, text: await answer.text() };
}

/** The answer's text; anything but a 2xx is this check's failure, in the service's own words. */
async function ask(target: Target, method: string, path: string, body?: unknown): Promise<string> {
  const { status, text } = await call(target, method, path, body);
  if (status >= 200 && status < 300) return text;
  throw new Complaint(`${method} ${path} returned ${status}: ${text.slice(0, 400)}`);
}

async function until<T>(limitMs: number, what: string, look: () => Promise<T | undefined>): Promise<T> {
  for (const deadlineMs = Date.now() + limitMs; ; ) {
    const found = await look();
    if (found !== undefined) return found;
    if (Date.now() > deadlineMs) throw new Complaint(`${what} did not happen within ${formatDuration(limitMs)}.`);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

function expectEqual(got: unknown, wanted: unknown, what: string): void {
  const [gotJson, wantedJson] = [JSON.stringify(got), JSON.stringify(wanted)];
  if (gotJson !== wantedJson) throw new Complaint(`${what} is ${gotJson} instead of ${wantedJson}.`);
}

/** Prints one line per step, with its time; answers whether it went well. */
async function step(name: string, work: () => Promise<string | undefined>): Promise<boolean> {
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

async function smoke(target: Target, workspace: string, languages: RunnerLanguage[]): Promise<boolean> {
  let allWell = await step("version", () => ask(target, "GET", "/api/version"));
  let username = "";
  const known = await step(`token in ${workspace}`, async () => {
    const me = JSON.parse(await ask(target, "GET", `/api/w/${workspace}/users/whoami`)) as { username: string };
    username = me.username;
    return username;
  });
  if (!known) return false;
  for (const language of languages) {
    const path = `u/${username}/smoke_${language}_${randomBytes(4).toString("hex")}`;
    allWell = (await smokeLanguage(target, workspace, language, path)) && allWell;
  }
  return allWell;
}

/** Saves, builds, runs (both ways) and deletes one script. The script is deleted even if an earlier step fails. */
async function smokeLanguage(target: Target, workspace: string, language: RunnerLanguage, path: string): Promise<boolean> {
  const w = `/api/w/${workspace}`;
  const args = { a: 19, b: 23 };
  const { content, output, result: wanted } = getManifest(language).smokeTest;
  let hash = "";
  const saved = await step(`${language}: save`, async () => {
    const script = { path, summary: "smoke test", description: "", content, language };
    hash = await ask(target, "POST", `${w}/scripts/create`, script);
    return hash;
  });
  if (!saved) return false;
  const steps: [string, () => Promise<string | undefined>][] = [
    ["build", () => built(target, w, hash)],
    [
      "run and wait",
      async () => {
        expectEqual(JSON.parse(await ask(target, "POST", `${w}/jobs/run_wait_result/p/${path}`, args)), wanted, "The result");
        return undefined;
      },
    ],
    [
      "run in the background",
      async () => {
        const job = await ask(target, "POST", `${w}/jobs/run/p/${path}`, args);
        const ended = await until(RUN_LIMIT_MS, `The end of job ${job}`, async () => {
          const maybe = JSON.parse(await ask(target, "GET", `${w}/jobs_u/completed/get_result_maybe/${job}`)) as {
            completed: boolean;
            result: unknown;
          };
          return maybe.completed ? maybe : undefined;
        });
        expectEqual(ended.result, wanted, "The result");
        const log = await ask(target, "GET", `${w}/jobs_u/get_logs/${job}`);
        if (!log.includes(output))
          throw new Complaint(`The log does not contain the output of the script: ${JSON.stringify(log.slice(0, 200))}`);
        return undefined;
      },
    ],
  ];
  let allWell = true;
  for (const [name, work] of steps) {
    allWell = await step(`${language}: ${name}`, work);
    if (!allWell) break;
  }
  const deleted = await step(`${language}: delete`, async () => {
    await ask(target, "POST", `${w}/scripts/delete/p/${path}`, {});
    const { status } = await call(target, "GET", `${w}/scripts/get/p/${path}`);
    if (status !== 404) throw new Complaint(`The deleted script still exists: ${status}.`);
    return undefined;
  });
  return allWell && deleted;
}

async function built(target: Target, w: string, hash: string): Promise<undefined> {
  await until(BUILD_LIMIT_MS, "The build", async () => {
    const status = JSON.parse(await ask(target, "GET", `${w}/scripts/deployment_status/h/${hash}`)) as {
      lock?: string;
      lock_error_logs?: string;
    };
    if (status.lock_error_logs) throw new Complaint(`The build failed: ${status.lock_error_logs.slice(-400)}`);
    return status.lock === undefined ? undefined : true;
  });
}

async function main(): Promise<number> {
  const values = options();
  // A token on a command line is visible in the shell's history and in the process list.
  const token = values.token ?? process.env["SVC_TOKEN"];
  if (!values.url || !token) throw new Complaint(`The URL or the token is missing: ${USAGE}. The token can also be in SVC_TOKEN.`);
  const target = { url: values.url.replace(/\/+$/, ""), token };
  const languages = values.languages.split(",").map((language) => parseLanguage(language.trim()));
  const workspace = values.workspace ?? (await firstWorkspace(target));
  return (await smoke(target, workspace, languages)) ? 0 : 1;
}

function parseLanguage(name: string): RunnerLanguage {
  const language = runnerLanguages.find((each) => each === name);
  if (!language) throw new Complaint(`There is no smoke test for ${name}: choose from ${runnerLanguages.join(", ")}.`);
  return language;
}

function options() {
  try {
    return parseArgs({
      options: {
        url: { type: "string" },
        token: { type: "string" },
        workspace: { type: "string" },
        languages: { type: "string", default: "bash,bun,python3" },
      },
    }).values;
  } catch (error) {
    throw new Complaint(`${error instanceof Error ? error.message : error} Usage: ${USAGE}`);
  }
}

async function firstWorkspace(target: Target): Promise<string> {
  const [first] = JSON.parse(await ask(target, "GET", "/api/workspaces/list")) as { id: string }[];
  if (!first) throw new Complaint("This token has no workspace. Create one, or name one with --workspace.");
  return first.id;
}

try {
  process.exitCode = await main();
} catch (error) {
  process.exitCode = explain(error);
}
