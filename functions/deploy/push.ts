import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as z from "zod";
import type { Deployment } from "../../contract/deployment/deployment.ts";
import { parseExactJson } from "../../contract/json/exact-json.ts";
import { workspaceObject } from "../../core/workspaces/workspace.ts";
import type { Assets, FileStore } from "../../ports/file-store.ts";
import { lockDeployments } from "../../services/identity/deployment-lock.ts";
import { closeDeployment, openDeployment } from "../../services/identity/tokens/deployment-token.ts";
import type { Uses } from "../../services/uses.ts";
import { writeProject } from "./files.ts";
import { keysOf, leaveToOthers, readStates, stateSchema, type WorkspaceStates, writeState } from "./states.ts";

export interface PushDeps {
  identity: Uses<"objects" | "nowMs" | "instanceEventsUrl">;
  storage: Pick<FileStore, "getObject" | "putObject" | "listObjectKeys">;
  assets: Assets;
  /** The origin of the service. */
  url: string;
  /** The file with the command line `svc`. */
  cli: string;
}

/** The content of `.svc/state.json`, in which the command line stores the items of both sides after the last push. */
const stateFileSchema = z.object({ version: z.literal(1), workspaces: z.record(z.string(), stateSchema.pick({ items: true })) });
/** The service may not answer in the first moments of a new stack. */
const READY_MS = 120_000;
/** The time within which a push that takes too long can end cleanly. */
const STOP_MS = 20_000;

/**
 * Deploys files into a workspace, as `svc sync push` does: it compares them with the last deployment of the same id, and with the workspace.
 * Items that only the workspace has changed do not change, and neither do those that another call of the app contains. `isRemoval`: the app no
 * longer has the call. Throws an error that names the reason, also if a build fails or `untilMs` has passed.
 */
export async function pushDeployment(deps: PushDeps, deployment: Deployment, isRemoval: boolean, untilMs: number): Promise<string> {
  const { workspace, removes } = deployment;
  // A deleted workspace is not created again only to be emptied.
  if (isRemoval && !(await deps.identity.objects.get(workspaceObject.key(workspace)))) return "";
  // The state of each other call is that after its last push.
  return lockDeployments(deps.identity.objects, workspace, untilMs, async (lost) => {
    const states = await readStates(deps.storage, deployment);
    if (!isRemoval) return push(deps, deployment, states, { untilMs, lost });
    const callState = { items: leaveToOthers(states.callState.items, states.others, new Set()), keys: [] };
    await writeState(deps.storage, deployment, callState);
    // Data outlives the app, unless the app requested its removal.
    return removes === "false" ? "" : push(deps, deployment, { ...states, callState }, { untilMs, lost, isRemoval });
  });
}

async function push(
  deps: PushDeps,
  deployment: Deployment,
  { callState, others }: WorkspaceStates,
  { untilMs, lost, isRemoval = false }: { untilMs: number; lost: AbortSignal; isRemoval?: boolean },
): Promise<string> {
  const { workspace, bucket, objectKey } = deployment;
  const zip = await retryDenied(() => deps.assets.readAsset(bucket, objectKey), untilMs);
  const token = await openDeployment(deps.identity, workspace);
  const folder = mkdtempSync(join(tmpdir(), "svc-deploy-"));
  const stateFile = join(folder, ".svc/state.json");
  const base = `${deps.url} ${workspace}`;
  try {
    const { folders, items } = writeProject(folder, zip, { workspace, onlyConfig: isRemoval });
    // Whatever happens to this push, no other call deletes what it may have deployed.
    let after = { items: callState.items, keys: [...new Set([...keysOf(callState), ...items])] };
    await writeState(deps.storage, deployment, after);
    mkdirSync(join(folder, ".svc"), { recursive: true });
    // With a state, a push does not change anything else in the workspace.
    const before = JSON.stringify({ version: 1, workspaces: { [base]: { items: leaveToOthers(callState.items, others, items) } } });
    writeFileSync(stateFile, before);
    await waitUntilReady(deps.url, untilMs);
    for (const name of folders) await ensureFolder(`${deps.url}/api/w/${workspace}/folders/create`, token, name);
    try {
      const printed = await runPush(deps, { folder, token, workspace, untilMs, lost });
      after = { ...after, keys: [...items] };
      return printed;
    } finally {
      // The command writes the state if it has begun to change the workspace.
      const text = readFileSync(stateFile, "utf8");
      const written = text === before ? undefined : stateFileSchema.parse(parseExactJson(text)).workspaces[base];
      if (written) await writeState(deps.storage, deployment, { ...after, ...written });
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
    await closeDeployment(deps.identity, token);
  }
}

/** A right that the deployment has just granted may take some seconds to become effective. */
async function retryDenied<T>(read: () => Promise<T>, untilMs: number): Promise<T> {
  const giveUpMs = Math.min(untilMs, Date.now() + 60_000);
  for (;;) {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof Error && error.name === "AccessDenied") || Date.now() > giveUpMs) throw error;
      await pause();
    }
  }
}

async function waitUntilReady(url: string, untilMs: number): Promise<void> {
  const giveUpMs = Math.min(untilMs, Date.now() + READY_MS);
  for (;;) {
    const reached = await fetch(`${url}/api/version`).catch((error: Error) => error);
    if (reached instanceof Response && reached.ok) return;
    const fault = reached instanceof Response ? `status ${reached.status}` : reached.message;
    if (Date.now() > giveUpMs) throw new Error(`The service does not answer at ${url}: ${fault}.`);
    await pause();
  }
}

/** Creates a folder that the workspace does not have. */
async function ensureFolder(route: string, token: string, name: string): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const answer = await fetch(route, { method: "POST", headers, body: JSON.stringify({ name }) });
  const text = await answer.text();
  if (!answer.ok && answer.headers.get("x-svc-error") !== "folder.exists")
    throw new Error(`The folder f/${name} cannot be created: ${text}`);
}

const pause = () => new Promise((resolve) => setTimeout(resolve, 1000));

/** Runs `svc sync push` in a process that has the token but not the rights of this function. Returns its output. */
function runPush(
  { cli, url }: Pick<PushDeps, "cli" | "url">,
  { folder, token, workspace, untilMs, lost }: { folder: string; token: string; workspace: string; untilMs: number; lost: AbortSignal },
): Promise<string> {
  const args = [cli, "sync", "push", "--yes", "--wait", "--parallel", "4", "--message", "Deployed with its app", "--workspace", workspace];
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: folder,
    SVC_CONFIG_DIR: join(folder, ".svc"),
    SVC_URL: url,
    SVC_TOKEN: token,
    NO_COLOR: "1",
  };
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd: folder, env, stdio: ["ignore", "ignore", "pipe"] });
    const printed: string[] = [];
    child.stderr.setEncoding("utf8").on("data", (text: string) => printed.push(text));
    let stopped = "";
    const stop = (reason: string) => {
      stopped = `${reason}\n`;
      child.kill("SIGTERM");
    };
    const stopLost = () => stop("The deployment could not renew its lock of the workspace.");
    if (lost.aborted) stopLost();
    lost.addEventListener("abort", stopLost);
    const timers = [
      // The command then stops between two items and stores the pushed ones, so that a rollback can restore them.
      setTimeout(stop, Math.max(0, untilMs - STOP_MS - Date.now()), "The push did not end in time."),
      setTimeout(() => child.kill("SIGKILL"), Math.max(0, untilMs - Date.now())),
    ];
    child.on("error", reject);
    child.on("close", (code) => {
      for (const timer of timers) clearTimeout(timer);
      lost.removeEventListener("abort", stopLost);
      const text = printed.join("").trim();
      if (code === 0) resolve(text);
      else reject(new Error(`${stopped}${text}`));
    });
  });
}
