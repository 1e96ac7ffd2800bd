import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { root } from "../../../engine/paths.ts";
import { interpreter } from "../../../runners/conformance/harness.ts";
import { goTestEnv } from "../engine/go-cache.ts";
import { goPath, pythonPath } from "../programs.ts";

export const clients = ["bun", "deno", "nodejs", "python3", "go"] as const;
export type Client = (typeof clients)[number];

export interface Called {
  result?: unknown;
  error?: { name: string; message: string; status?: number; code?: string; failure?: unknown };
  /** The output of the helper. */
  printed: string[];
}

/** A client library in a separate process of its language, which executes the calls of a test. */
export interface Driver {
  /** `helper` and `args` as in TypeScript. */
  call(helper: string, ...args: unknown[]): Promise<Called>;
  stop(): void;
}

/** The command that runs a TypeScript program. */
export function typescriptCommand(client: "bun" | "deno" | "nodejs", program: string): [string, ...string[]] {
  switch (client) {
    case "bun":
      return [interpreter("bun"), "run", program];
    case "deno":
      return [interpreter("deno"), "run", "--quiet", "--no-lock", "--allow-env", "--allow-net", "--allow-read", program];
    case "nodejs":
      return [process.execPath, program];
  }
}

let goDriver: string | undefined;

/** Compiled once for each process of tests. */
function goProgram(): string {
  if (goDriver && existsSync(goDriver)) return goDriver;
  const program = join(mkdtempSync(join(tmpdir(), "svc-go-client-")), "driver");
  execFileSync(goPath(), ["build", "-o", program, "./internal/driver"], {
    cwd: join(root, "clients/go"),
    env: { ...process.env, ...goTestEnv },
    stdio: "inherit",
  });
  goDriver = program;
  return program;
}

function commandOf(client: Client): [string, ...string[]] {
  if (client === "python3") return [pythonPath(), join(root, "clients/python/test/driver.py")];
  if (client === "go") return [goProgram()];
  return typescriptCommand(client, join(root, "clients/typescript/test/driver.ts"));
}

/** Starts a client with only the variables of its interpreter and the given ones. */
export function startDriver(client: Client, variables: Record<string, string> = {}): Driver {
  const [command, ...args] = commandOf(client);
  const { PATH = "", HOME = "", PYENV_ROOT } = process.env;
  const own = { PATH, HOME, ...(PYENV_ROOT ? { PYENV_ROOT } : {}), PYTHONDONTWRITEBYTECODE: "1", ...variables };
  const child: ChildProcess = spawn(command, args, { env: own, stdio: ["pipe", "pipe", "inherit"] });
  let printed: string[] = [];
  const waiting: PromiseWithResolvers<Called>[] = [];
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  lines.on("line", (line) => {
    if (!line.startsWith("ANSWER ")) {
      printed.push(line);
      return;
    }
    waiting.shift()?.resolve({ ...JSON.parse(line.slice("ANSWER ".length)), printed });
    printed = [];
  });
  child.once("error", (error) => waiting.shift()?.reject(error));
  child.once("exit", (code) => {
    for (const { reject } of waiting) reject(new Error(`The ${client} driver ended with ${code}.`));
  });
  return {
    call(helper, ...given) {
      const answer = Promise.withResolvers<Called>();
      waiting.push(answer);
      child.stdin?.write(`${JSON.stringify({ call: helper, args: given })}\n`);
      return answer.promise;
    },
    stop: () => child.stdin?.end(),
  };
}
