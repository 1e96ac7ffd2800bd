import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { lastLines, runCommand } from "./command.ts";
import type { InPhase } from "./instance.ts";
import { Complaint } from "./launch/complaint.mjs";
import { root } from "./paths.ts";

const ENDPOINT = "http://127.0.0.1:4566";
const READY_MS = 120_000;
const compose = ["compose", "--file", path.join(root, "engine", "localstack", "compose.yaml")];

/** The second engine, in a container: for those who have Docker and want its stricter Step Functions. */
export async function startLocalstack(inPhase: InPhase): Promise<{ endpoint: string; stop: () => Promise<void> }> {
  return inPhase("engine", "LocalStack's container", async () => {
    const started = await runCommand("docker", [...compose, "up", "--detach"], { cwd: root });
    if (started.code !== 0) {
      const why = started.code === -1 ? "docker was not found" : "docker compose failed";
      throw new Complaint(
        `${why}: --engine localstack needs Docker with compose; without it, npm run up uses MiniStack.\n${lastLines(started.output)}`,
      );
    }
    const deadlineMs = Date.now() + READY_MS;
    while (!(await isReady())) {
      if (Date.now() > deadlineMs)
        throw new Complaint(`LocalStack did not answer within ${READY_MS / 1000} s: see docker ${compose.join(" ")} logs.`);
      await sleep(500);
    }
    return {
      endpoint: ENDPOINT,
      stop: async () => {
        await runCommand("docker", [...compose, "stop"], { cwd: root });
      },
    };
  });
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
