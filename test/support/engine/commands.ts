import { type ChildProcess, spawn } from "node:child_process";
import { root } from "../../../engine/paths.ts";
import { until } from "../until.ts";

/** Runs an `npm run` command as from a terminal: in its own process group, with its output as it arrives. */
export interface Command {
  /** Both outputs in order of arrival. */
  output(): string;
  /** Waits until the output matches; fails with the complete output if the command ends before. */
  says(pattern: RegExp, timeoutMs?: number): Promise<void>;
  /** Sends the signal of Ctrl-C to the whole group. */
  interrupt(): void;
  /** Its exit code. */
  ended: Promise<number | null>;
}

const running = new Set<ChildProcess>();

export function npmRun(script: string, args: readonly string[] = [], env: Record<string, string> = {}): Command {
  const child = spawn("npm", ["run", "--silent", script, "--", ...args], {
    cwd: root,
    env: { ...process.env, NO_COLOR: "1", ...env },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  running.add(child);
  let output = "";
  const take = (chunk: Buffer) => {
    output += chunk.toString();
  };
  child.stdout.on("data", take);
  child.stderr.on("data", take);
  let code: number | null | undefined;
  const ended = new Promise<number | null>((resolve) => {
    child.once("close", (exitCode) => {
      code = exitCode;
      running.delete(child);
      resolve(exitCode);
    });
  });
  return {
    output: () => output,
    async says(pattern, timeoutMs = 180_000) {
      const look = () => {
        if (pattern.test(output)) return true;
        if (code !== undefined) throw new Error(`npm run ${script} ended with ${code}:\n${output}`);
        return false;
      };
      await until(look, { timeoutMs, what: `${pattern} from npm run ${script}` });
    },
    interrupt: () => signalGroup(child, "SIGINT"),
    ended,
  };
}

/** For the end of a test file: no command outlives it. */
export async function endCommands(): Promise<void> {
  for (const child of running) {
    const closed = new Promise((resolve) => child.once("close", resolve));
    signalGroup(child, "SIGTERM");
    await closed;
  }
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid !== undefined) process.kill(-pid, signal);
}
