import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { lastLines, runCommand } from "../commands/command.ts";
import { Complaint } from "../launch/complaint.mjs";
import { root } from "../paths.ts";
import type { ForeignEngine, InPhase } from "./instance.ts";

const PORT = 4566;
const ENDPOINT = `http://127.0.0.1:${PORT}`;
/** The service of the compose file: functions' containers are on its network, where Docker resolves the name. */
const ENDPOINT_FOR_FUNCTIONS = `http://localstack:${PORT}`;
const READY_MS = 120_000;
/** The project has a name so that its network has a fixed name in every checkout. */
const PROJECT = "svc-localstack";
const compose = ["compose", "--project-name", PROJECT, "--file", path.join(root, "engine", "engine", "localstack", "compose.yaml")];

/** The second engine, which runs functions in containers, as on AWS. It requires Docker. */
export async function startLocalstack(inPhase: InPhase, signal: AbortSignal): Promise<ForeignEngine & { stop: () => Promise<void> }> {
  try {
    await inPhase("engine", "LocalStack's container", () => start(signal));
  } catch (error) {
    await stop();
    throw error;
  }
  return { endpoint: ENDPOINT, endpointForFunctions: ENDPOINT_FOR_FUNCTIONS, died: died(), stop };
}

/** The first start downloads the image, without a time limit. */
async function start(signal: AbortSignal): Promise<void> {
  const started = await runCommand("docker", [...compose, "up", "--detach"], { cwd: root, signal });
  signal.throwIfAborted();
  if (started.code !== 0) {
    const why = started.code === -1 ? "docker was not found" : "docker compose failed";
    throw new Complaint(
      `${why}: --engine localstack needs Docker with compose; without it, npm run up uses MiniStack.\n${lastLines(started.output)}`,
    );
  }
  const deadlineMs = Date.now() + READY_MS;
  while (!(await isReady())) {
    if (Date.now() > deadlineMs)
      throw new Complaint(
        `LocalStack did not respond within ${READY_MS / 1000} s. Check that no other program uses port ${PORT}, then run npm run up again.`,
      );
    await sleep(500, undefined, { signal });
  }
}

/** Resolves with one sentence when the container ends, for any reason. */
async function died(): Promise<string> {
  const { code } = await runCommand("docker", ["wait", ...(await containerIds([...compose, "ps", "--quiet"]))]);
  // A caller that cannot wait continues without this information.
  if (code !== 0) await new Promise(() => {});
  return "LocalStack's container stopped unexpectedly. Start it again with npm run up -- --engine localstack.";
}

/**
 * The free release stores no state, so it can be stopped immediately. A regular stop leaves it no time to remove the containers of many
 * functions, so they are removed here, by their common network.
 */
async function stop(): Promise<void> {
  await runCommand("docker", [...compose, "kill"], { cwd: root });
  const ofFunctions = ["--filter", `network=${PROJECT}_default`, "--filter", "name=-lambda-"];
  const functions = await containerIds(["ps", "--all", "--quiet", ...ofFunctions]);
  if (functions.length > 0) await runCommand("docker", ["rm", "--force", ...functions]);
  await runCommand("docker", [...compose, "down", "--volumes"], { cwd: root });
}

/** Returns the lines that a Docker command lists, without its other output. */
async function containerIds(args: readonly string[]): Promise<string[]> {
  const { output } = await runCommand("docker", args, { cwd: root });
  return output.split("\n").filter((line) => /^[0-9a-f]{12,64}$/.test(line));
}

async function isReady(): Promise<boolean> {
  try {
    const answer = await fetch(`${ENDPOINT}/_localstack/health`, { signal: AbortSignal.timeout(2_000) });
    await answer.arrayBuffer();
    return answer.ok;
  } catch {
    return false;
  }
}
