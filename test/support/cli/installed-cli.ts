import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { api } from "../api/api.ts";
import { unpackPackage } from "./unpack-package.ts";

export interface CliResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** The end of a started command. `signal`: the one that ended it. */
export interface StartedCliResult extends CliResult {
  signal: NodeJS.Signals | null;
}

/** A command that runs until it is stopped, and prints NDJSON. */
export interface StartedCli {
  /** The end of a command, by itself or by a signal. */
  end: Promise<StartedCliResult>;
  /** Returns the first match of a pattern in the text for people so far or later, or rejects with the output if the command ends before. */
  text(pattern: RegExp): Promise<RegExpExecArray>;
  /** Returns the next line that fits, or rejects with the output if the command ends before. Lines before this call do not count. */
  line(fits: (line: Record<string, unknown>) => boolean): Promise<Record<string, unknown>>;
  kill(signal: NodeJS.Signals): void;
  /** Interrupts the command as Ctrl-C does, and returns its end. */
  stop(): Promise<StartedCliResult>;
}

/** The command line with a configuration in its own folder. */
export interface Cli {
  folder: string;
  /** Creates a folder for a test. */
  newFolder(): string;
  run(args: string[], options: { cwd: string; env?: Record<string, string>; stdin?: string }): Promise<CliResult>;
  remove(): void;
}

/** The command line as the shared instance serves it, installed in a folder. */
export interface InstalledCli extends Cli {
  start(args: string[], options: { cwd: string; env?: Record<string, string> }): StartedCli;
}

/** Installs the package from its address, without npm, which would need a registry for its one dependency. */
export async function installCli(): Promise<InstalledCli> {
  const folder = mkdtempSync(join(tmpdir(), "svc-e2e-cli-"));
  const answer = await fetch(`${api().url}/cli/svc-cli.tgz`);
  if (!answer.ok) throw new Error(`The package is not served: ${answer.status}.`);
  await unpackPackage(await answer.bytes(), join(folder, "node_modules/svc-cli"));
  symlinkSync(join(process.cwd(), "node_modules/esbuild"), join(folder, "node_modules/esbuild"));
  const program = join(folder, "node_modules/svc-cli/dist/svc.mjs");
  let folders = 0;
  const spawnCli = (args: string[], cwd: string, env: Record<string, string>) => {
    const own = { PATH: process.env["PATH"] ?? "", HOME: folder, SVC_CONFIG_DIR: join(folder, "config"), NO_COLOR: "1", ...env };
    const child = spawn(process.execPath, [program, ...args], { cwd, env: own });
    const result = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"] as const)
      child[name].setEncoding("utf8").on("data", (text: string) => {
        result[name] += text;
      });
    const end = new Promise<StartedCliResult>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", (code, signal) => resolve({ code, signal, ...result }));
    });
    return { child, result, end };
  };
  return {
    folder,
    newFolder() {
      folders += 1;
      const made = join(folder, `checkout${folders}`);
      mkdirSync(made);
      return made;
    },
    async run(args, { cwd, env = {}, stdin = "" }) {
      const { child, end } = spawnCli(args, cwd, env);
      child.stdin.end(stdin);
      const { signal, ...result } = await end;
      return result;
    },
    start: (args, { cwd, env = {} }) => followLines(spawnCli(args, cwd, env)),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

interface Spawned {
  child: ChildProcessWithoutNullStreams;
  result: { stdout: string; stderr: string };
  end: Promise<StartedCliResult>;
}

function followLines({ child, result, end }: Spawned): StartedCli {
  const lines = createInterface({ input: child.stdout });
  return {
    end,
    text: (pattern) =>
      new Promise((resolve, reject) => {
        const fail = () => reject(new Error(`The command has ended.\n${result.stdout}\n${result.stderr}`));
        const read = () => {
          const match = pattern.exec(result.stderr);
          if (!match) return;
          child.stderr.off("data", read).off("close", fail);
          resolve(match);
        };
        child.stderr.on("data", read).once("close", fail);
        read();
      }),
    line: (fits) =>
      new Promise((resolve, reject) => {
        const fail = () => reject(new Error(`The command has ended.\n${result.stdout}\n${result.stderr}`));
        const read = (text: string) => {
          const line = JSON.parse(text) as Record<string, unknown>;
          if (!fits(line)) return;
          lines.off("line", read).off("close", fail);
          resolve(line);
        };
        lines.on("line", read).once("close", fail);
      }),
    kill: (signal) => void child.kill(signal),
    stop() {
      child.kill("SIGINT");
      return end;
    },
  };
}
