import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { root as checkout } from "../../paths.ts";
import { OUTCOME_FILE, type RunOutcome } from "./outcome.ts";

/** Vitest stops the engine in this time. */
const STOP_MS = 60_000;

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
/** The exit code if a signal ended vitest. */
const STOPPED_CODE = 130;

export interface VitestRuns {
  /** Runs vitest until the deadline. The outcome is missing if vitest ended before it reported one, or was killed. */
  run(args: readonly string[], deadlineMs?: number): Promise<{ code: number; outcome?: RunOutcome }>;
  /** Whether the user or the machine has stopped the runs by a signal. */
  isStopped(): boolean;
  close(): void;
}

/** Runs vitest once or several times, one process at a time, and forwards signals to it. */
export function startVitestRuns(root: string): VitestRuns {
  const folder = mkdtempSync(path.join(tmpdir(), "svc-tests-"));
  const outcomeFile = path.join(folder, "outcome.json");
  const vitest = path.join(checkout, "node_modules", "vitest", "vitest.mjs");
  let isStopped = false;
  let forward = (_signal: NodeJS.Signals): unknown => undefined;
  // On a signal vitest stops the engine and ends by itself; this process only has to outlive it.
  const stop = (signal: NodeJS.Signals) => {
    isStopped = true;
    forward(signal);
  };
  for (const signal of SIGNALS) process.on(signal, stop);

  const run: VitestRuns["run"] = (args, deadlineMs) => {
    rmSync(outcomeFile, { force: true });
    return new Promise((resolve, reject) => {
      const env = { ...process.env, [OUTCOME_FILE]: outcomeFile };
      const child = spawn(process.execPath, [vitest, "run", ...args], { cwd: root, env, stdio: "inherit" });
      forward = (signal) => child.kill(signal);
      const expiry = deadlineMs === undefined ? undefined : endAt(deadlineMs, (signal) => child.kill(signal));
      child.once("error", reject);
      child.once("close", (code) => {
        expiry?.cancel();
        const outcome = expiry?.isOver() ? undefined : readOutcome(outcomeFile);
        resolve({ code: code ?? STOPPED_CODE, ...(outcome && { outcome }) });
      });
    });
  };
  const close = () => {
    for (const signal of SIGNALS) process.off(signal, stop);
    rmSync(folder, { recursive: true, force: true });
  };
  return { run, isStopped: () => isStopped, close };
}

function endAt(deadlineMs: number, kill: (signal: NodeJS.Signals) => void) {
  let isOver = false;
  const force = () => kill("SIGKILL");
  const end = () => {
    isOver = true;
    kill("SIGTERM");
    timer = setTimeout(force, STOP_MS);
  };
  let timer = setTimeout(end, Math.max(0, deadlineMs - Date.now()));
  return { cancel: () => clearTimeout(timer), isOver: () => isOver };
}

function readOutcome(file: string): RunOutcome | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as RunOutcome;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
