import { spawn } from "node:child_process";

export interface CommandResult {
  /** -1: could not be started (no such file, not executable). */
  code: number;
  /** Both outputs in order of arrival. */
  output: string;
  timedOut: boolean;
}

interface CommandOptions {
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  /** Ends the command and everything it started. */
  timeoutMs?: number;
  signal?: AbortSignal;
  /** Receives every line that is not empty. */
  onLine?: (line: string) => void;
}

/** Ends the running commands. One listener for all of them, because Node warns about more than ten. */
const running = new Set<() => void>();
process.once("exit", () => {
  for (const end of running) end();
});

/** Runs a command to its end and never rejects. It has a separate process group, so that ending it ends its children too. */
export function runCommand(file: string, args: readonly string[], options: CommandOptions = {}): Promise<CommandResult> {
  const { cwd, env = process.env, timeoutMs, signal, onLine } = options;
  return new Promise((resolve) => {
    const child = spawn(file, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"], detached: true });
    let output = "";
    let timedOut = false;
    const take = (chunk: Buffer) => {
      const text = chunk.toString();
      output += text;
      for (const line of text.split("\n")) if (line.trim()) onLine?.(line.trim());
    };
    child.stdout.on("data", take);
    child.stderr.on("data", take);
    const end = () => {
      if (child.pid !== undefined) killGroup(child.pid, "SIGKILL");
    };
    const expire = () => {
      timedOut = true;
      end();
    };
    const timer = timeoutMs === undefined ? undefined : setTimeout(expire, timeoutMs);
    signal?.addEventListener("abort", end, { once: true });
    // A terminal's Ctrl-C does not reach a separate group, and it must not outlive this process.
    running.add(end);
    const finish = (code: number, more = "") => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      running.delete(end);
      resolve({ code, output: output + more, timedOut });
    };
    child.once("error", (error) => finish(-1, error.message));
    child.once("close", (code) => finish(code ?? 1));
  });
}

export function killGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // The group has ended.
  }
}

/** Returns the last lines of a tool's output for an error sentence. */
export function lastLines(text: string, count = 8): string {
  return text
    .trimEnd()
    .split("\n")
    .slice(-count)
    .map((line) => `  ${line}`)
    .join("\n");
}
