import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { chmod, mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { env } from "../../contract/env.ts";
import { BuildLog } from "./build-log.ts";

/** A failure that the author of the script can correct. Any other error is a fault of the service. */
export class BuildFailure extends Error {
  override readonly name = "BuildFailure";
}

export interface ChildProcessSpec {
  command: string;
  args: string[];
  cwd: string;
  /** Added to the variables of every child process. */
  env?: Record<string, string>;
  /** The output is not logged. */
  quiet?: boolean;
}

const OUTPUT_CHARS = 16 * 1024;

/** The proxies and certificates of the machine's owner, without which company networks block access. */
const PROXY_VARIABLES = [
  ...["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy"],
  ...["SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS"],
];

/** Returns the named variables of this process. Tools see no others, so that credentials stay here. */
export function pickVariables(names: string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));
}

/**
 * The directory, log, deadline and child processes of one build. Tools get a home and a temporary directory inside it, so that builds do
 * not affect each other. Shared content is below `cache`, see docs/decisions/0020.
 */
export class BuildSandbox implements AsyncDisposable {
  readonly log: BuildLog;
  readonly signal: AbortSignal;
  readonly dir: string;
  readonly cache: string;

  private constructor(workDir: string, timeMs: number) {
    this.dir = join(workDir, "builds", randomUUID());
    this.cache = join(workDir, "cache");
    this.log = new BuildLog(this.dir);
    this.signal = AbortSignal.timeout(timeMs);
  }

  static async open(timeMs: number): Promise<BuildSandbox> {
    const sandbox = new BuildSandbox(process.env[env.workDir] || "/tmp/svc", timeMs);
    await mkdir(join(sandbox.cache), { recursive: true, mode: 0o700 });
    await mkdir(sandbox.dir, { recursive: true, mode: 0o700 });
    for (const name of ["home", "tmp", "out"]) await mkdir(join(sandbox.dir, name));
    return sandbox;
  }

  get home(): string {
    return join(this.dir, "home");
  }

  /** The directory whose content becomes the artefact, in the layout of docs/architecture.md. */
  get out(): string {
    return join(this.dir, "out");
  }

  /** The file with the declarations of the packages as JSON, if they ship any. */
  get declarations(): string {
    return join(this.dir, "declarations.json");
  }

  childEnv(variables: Record<string, string> = {}): Record<string, string> {
    const tmp = join(this.dir, "tmp");
    return {
      PATH: "/usr/local/bin:/usr/bin:/bin",
      HOME: this.home,
      TMPDIR: tmp,
      LANG: "C.UTF-8",
      ...pickVariables(PROXY_VARIABLES),
      ...variables,
    };
  }

  /**
   * Runs a tool to its end and logs its output. When this settles, the tool and all processes that it started have ended. `output` is the
   * end of the tool's output. Throws `BuildFailure` at the deadline.
   */
  async run({ command, args, cwd, env: variables, quiet }: ChildProcessSpec): Promise<{ code: number; output: string }> {
    this.checkTime();
    // A detached child leads a process group, which can be killed as a whole.
    const child = spawn(command, args, { cwd, env: this.childEnv(variables), detached: true, stdio: ["ignore", "pipe", "pipe"] });
    const killGroup = () => {
      try {
        if (child.pid) process.kill(-child.pid, "SIGKILL");
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
      }
    };
    this.signal.addEventListener("abort", killGroup, { once: true });
    let output = "";
    const log = (text: string) => {
      const plain = quiet ? text : this.log.add(text);
      output = (output + plain).slice(-OUTPUT_CHARS);
    };
    child.stdout.setEncoding("utf8").on("data", log);
    child.stderr.setEncoding("utf8").on("data", log);
    try {
      const code = await new Promise<number>((resolve, reject) => {
        child.once("error", reject);
        // A grandchild may keep the pipes open, so only the exit of the tool itself counts.
        child.once("exit", () => {
          killGroup();
          child.once("close", (status) => resolve(status ?? -1));
        });
      });
      this.checkTime();
      return { code, output };
    } finally {
      this.signal.removeEventListener("abort", killGroup);
    }
  }

  checkTime(): void {
    if (this.signal.aborted) throw new BuildFailure("The build exceeded its time limit and was stopped.");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      await rm(this.dir, { recursive: true, force: true, maxRetries: 3 });
    } catch {
      // The directories of Go modules and of some wheels are read-only.
      await makeWritable(this.dir);
      await rm(this.dir, { recursive: true, force: true, maxRetries: 3 });
    }
  }
}

async function makeWritable(dir: string): Promise<void> {
  await chmod(dir, 0o700);
  for (const entry of await readdir(dir, { withFileTypes: true })) {
    if (entry.isDirectory()) await makeWritable(join(dir, entry.name));
  }
}
