import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { chmod, mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { env } from "../../contract/env.ts";
import { BuildLog } from "./build-log.ts";

/** A build that cannot succeed as asked: the author of the script mends it. Anything else that is thrown is our fault. */
export class BuildFailure extends Error {
  override readonly name = "BuildFailure";
}

export interface Child {
  command: string;
  args: string[];
  cwd: string;
  /** Added to what every child gets. */
  env?: Record<string, string>;
  /** What it prints is of no use to whoever reads the log. */
  quiet?: boolean;
}

const OUTPUT_CHARS = 16 * 1024;

/** Proxies and certificates of the machine's owner: without them nothing is reached behind a company's network. */
const PASSED_ON = [
  ...["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy"],
  ...["SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS"],
];

/** Variables of this process that tools may see, by name. Everything else stays here, credentials above all. */
export function passOn(names: string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));
}

/**
 * One build's own directory, log, deadline and children. Tools get a home and a temporary directory inside it, so that nothing of one build
 * is there for the next; what they may share is below `cache`, see docs/decisions/0020.
 */
export class BuildRoom implements AsyncDisposable {
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

  static async open(timeMs: number): Promise<BuildRoom> {
    const room = new BuildRoom(process.env[env.workDir] || "/tmp/svc", timeMs);
    await mkdir(join(room.cache), { recursive: true, mode: 0o700 });
    await mkdir(room.dir, { recursive: true, mode: 0o700 });
    for (const name of ["home", "tmp", "out"]) await mkdir(join(room.dir, name));
    return room;
  }

  get home(): string {
    return join(this.dir, "home");
  }

  /** What becomes the artefact, laid out as docs/architecture.md says. */
  get out(): string {
    return join(this.dir, "out");
  }

  childEnv(own: Record<string, string> = {}): Record<string, string> {
    const tmp = join(this.dir, "tmp");
    return { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: this.home, TMPDIR: tmp, LANG: "C.UTF-8", ...passOn(PASSED_ON), ...own };
  }

  /**
   * Runs a tool to its end and logs what it prints; it and all it started are gone when this settles. `output` is the end of what it printed.
   * Throws `BuildFailure` when the time is up.
   */
  async run({ command, args, cwd, env: own, quiet }: Child): Promise<{ code: number; output: string }> {
    this.checkTime();
    // Detached makes it the leader of a process group, which can be killed as a whole.
    const child = spawn(command, args, { cwd, env: this.childEnv(own), detached: true, stdio: ["ignore", "pipe", "pipe"] });
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
        // A grandchild may hold the pipes open: the tool's own end is what counts.
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
    if (this.signal.aborted) throw new BuildFailure("The build took too long and was stopped.");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      await rm(this.dir, { recursive: true, force: true, maxRetries: 3 });
    } catch {
      // Go's and some wheels' directories are read-only.
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
