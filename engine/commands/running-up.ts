import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { isPortFree, portTaken } from "../engine/ports.ts";
import { Complaint } from "../launch/complaint.mjs";
import { isAlive } from "../launch/lock.mjs";
import { stateDir } from "../paths.ts";
import { runCommand } from "./command.ts";

interface Running {
  pid: number;
  port: number;
}

const pidFile = path.join(stateDir, "up.json");

/** Locks a checkout for one `up`, because two would write the same state. Returns a function that releases the lock. */
export async function claimUp(port: number): Promise<() => void> {
  const running = await runningUp();
  if (running) {
    throw new Complaint(
      `npm run up is already running on port ${running.port} (process ${running.pid}). Use that one, or stop it with Ctrl-C.`,
    );
  }
  if (!(await isPortFree(port))) throw new Complaint(portTaken(port));
  mkdirSync(stateDir, { recursive: true });
  writeFileSync(pidFile, JSON.stringify({ pid: process.pid, port }));
  return () => rmSync(pidFile, { force: true });
}

export async function runningUp(): Promise<Running | undefined> {
  let found: Running;
  try {
    found = JSON.parse(readFileSync(pidFile, "utf8"));
  } catch {
    return undefined;
  }
  if (!isAlive(found.pid)) return undefined;
  // Another program may have this id by now.
  const { output } = await runCommand("ps", ["-o", "command=", "-p", String(found.pid)]);
  return output.includes("up.ts") ? found : undefined;
}
