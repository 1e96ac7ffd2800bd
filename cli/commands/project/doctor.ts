import { statSync } from "node:fs";
import type { Context } from "../../context.ts";
import { exitCodes } from "../../errors.ts";
import { describeOldNode } from "../../node-version.ts";
import { profilesFile } from "../../profiles/profiles.ts";
import { lintFiles } from "../../project/lint.ts";
import { parseLocal, readProjectFiles, toLayout } from "../../project/snapshots.ts";
import { openLocalProject } from "../../sync/session.ts";
import { version } from "../../version.ts";
import { findOwnToken } from "../account/tokens.ts";

/** The outcome of one check. `problem`: the fault and its remedy. */
interface Finding {
  check: string;
  detail?: string;
  problem?: string;
}

const DAY_MS = 24 * 3600 * 1000;
const WARN_DAYS = 7;

/** Checks the prerequisites of commands, and reports each check. Exits with 1 if one fails. */
export async function runDoctor(context: Context): Promise<number> {
  const checks: [string, () => string | Promise<string>][] = [
    ["svc", () => version],
    ["Node.js", checkNode],
    ["profiles", checkProfiles],
    ["service", () => checkService(context)],
    ["token", () => checkToken(context)],
    ["workspace", () => checkWorkspace(context)],
    ["files", () => checkFiles(context)],
    ["bundler", checkBundler],
  ];
  const findings: Finding[] = [];
  for (const [check, find] of checks) {
    const finding = await describe(check, find);
    findings.push(finding);
    const { detail, problem } = finding;
    const { output } = context;
    output.say(problem ? output.style("red", `failed  ${check}: ${problem}`) : `ok      ${check}: ${detail}`);
  }
  if (context.output.json) context.output.data(findings, "");
  return findings.some(({ problem }) => problem) ? exitCodes.failed : exitCodes.done;
}

async function describe(check: string, find: () => string | Promise<string>): Promise<Finding> {
  try {
    return { check, detail: await find() };
  } catch (error) {
    return { check, problem: error instanceof Error ? error.message : String(error) };
  }
}

function checkNode(): string {
  const problem = describeOldNode(process.versions.node);
  if (problem !== undefined) throw new Error(problem);
  return process.versions.node;
}

/** Other users must not read the tokens. */
function checkProfiles(): string {
  const file = profilesFile();
  const found = statSync(file, { throwIfNoEntry: false });
  if (!found) return "none";
  const others = found.mode & 0o077;
  if (others !== 0 && process.platform !== "win32") throw new Error(`Other users may read ${file}. Run: chmod 600 ${file}`);
  return file;
}

async function checkService(context: Context): Promise<string> {
  const { url } = context.target();
  return `${url}, ${await context.instanceClient().call.instance.version()}`;
}

async function checkToken(context: Context): Promise<string> {
  const client = context.instanceClient();
  const { email } = await client.call.users.whoamiGlobal();
  const tokens = await client.call.tokens.list({ query: { exclude_ephemeral: true } });
  const token = findOwnToken(tokens, client.options.token);
  if (token?.expiration === undefined) return email;
  const days = Math.floor((Date.parse(token.expiration) - Date.now()) / DAY_MS);
  if (days < WARN_DAYS) throw new Error(`The token of ${email} expires in ${days} days. Run: svc login ${client.options.url}`);
  return `${email}, expires in ${days} days`;
}

async function checkWorkspace(context: Context): Promise<string> {
  const { workspace } = context.target();
  const user = await context.client().call.users.whoami();
  return `${workspace}, as ${user.username}${user.is_admin ? " (admin)" : ""}`;
}

function checkFiles(context: Context): string {
  const project = openLocalProject(context);
  const parsed = parseLocal(readProjectFiles(project), project, toLayout(project));
  const { problems } = lintFiles(project, parsed, { strict: true });
  if (problems.length > 0) throw new Error(`${problems.length} problems in ${project.root}. Run: svc lint`);
  return `${parsed.snapshot.size} items in ${project.root}`;
}

async function checkBundler(): Promise<string> {
  const { version: found } = await import("esbuild").catch((error: unknown) => {
    throw new Error(`esbuild cannot be loaded, so that codebases cannot be bundled. Install svc again. ${(error as Error).message}`);
  });
  return `esbuild ${found}`;
}
