import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmodSync, closeSync, lstatSync, mkdirSync, readdirSync, statSync } from "node:fs";
import type { Socket } from "node:net";
import { join } from "node:path";
import { settings } from "../settings.ts";
import { type PipeReader, pipeFromChild, pipeToChild, removeUnusedPipes } from "./pipes.ts";
import { type Family, killGroup, killRelatives, newestProcessId, offerToOomKiller, PROCESS_TAG, processIds } from "./processes.ts";
import { children, countKillsOfAll, killStrays } from "./strays.ts";
import { effectiveTmpMode, emptyDirectory, removeTree, repairWorkDir, visibleBelowTmp, withPrivateTmp } from "./tmp.ts";

export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
  /** Set if the program could not be started. */
  spawnError?: Error;
}

export interface ChildOptions {
  command: string[];
  /** Variables in addition to those of `baseEnv`. */
  env: Record<string, string>;
  /** File descriptor 3 carries answers to the supervisor. */
  answers: boolean;
  /** File descriptor 4 carries commands to the child. */
  commands: boolean;
}

const living = new Set<Child>();
let started = 0;

/** The variables that every process of a job gets from the supervisor. No other variable may reach it, AWS credentials above all. */
export function baseEnv(tag: string, home: string): Record<string, string> {
  return {
    PATH: process.env["PATH"] ?? "/usr/local/bin:/usr/bin:/bin",
    LANG: process.platform === "darwin" ? "en_US.UTF-8" : "C.UTF-8",
    HOME: home,
    TMPDIR: join(home, "tmp"),
    [PROCESS_TAG]: tag,
  };
}

/** A child process in its own process group, with its pipes and its directory. */
export class Child {
  readonly tag = `${process.pid}-${++started}-${randomBytes(4).toString("hex")}`;
  /** Mode 0700; contains the job's directory and, in mode `private`, the child's /tmp. Removed with the child. */
  readonly directory = join(settings().workDir, "jobs", this.tag);
  /** stdout and stderr, in one pipe. */
  readonly output: PipeReader;
  readonly answers: PipeReader | undefined;
  readonly commands: Socket | undefined;
  readonly exited: Promise<Exit>;
  exit: Exit | undefined;
  readonly pid: number;
  /** The job's working directory and HOME, mode 0700, with `tmp` in it. All jobs of a child use the same one; it is emptied between them. */
  readonly jobDirectory = join(this.directory, "job");
  readonly #place: number;
  readonly #born = countKillsOfAll();
  readonly #process: ChildProcess | undefined;
  #others = processIds();
  #othersMs = Date.now();
  readonly #state = { busy: false, fresh: true };
  /** The newest process id at the last search for relatives. While it is unchanged, no process was started, so no search is needed. */
  #searched: string | undefined;
  readonly #privateTmp: string | undefined;

  constructor(options: ChildOptions | ((child: Child) => ChildOptions)) {
    mkdirSync(this.directory, { mode: 0o700 });
    mkdirSync(join(this.jobDirectory, "tmp"), { recursive: true, mode: 0o700 });
    this.#place = statSync(this.jobDirectory).ino;
    const { command, env, answers, commands } = typeof options === "function" ? options(this) : options;
    if (effectiveTmpMode() === "private") {
      this.#privateTmp = join(this.directory, "private-tmp");
      mkdirSync(this.#privateTmp, { mode: 0o700 });
    }
    const [program = "", ...args] = this.#privateTmp
      ? withPrivateTmp(command, { directory: this.directory, tmp: this.#privateTmp, cwd: this.jobDirectory })
      : command;
    const output = pipeFromChild();
    const answer = answers ? pipeFromChild() : undefined;
    const order = commands ? pipeToChild() : undefined;
    this.output = output.reader;
    this.answers = answer?.reader;
    this.commands = order?.writer;
    const extra = [answer?.childFd, order?.childFd].filter((fd) => fd !== undefined);
    const ended = Promise.withResolvers<Exit>();
    this.exited = ended.promise.then((exit) => {
      this.exit ??= exit;
      living.delete(this);
      children.delete(this.pid);
      return this.exit;
    });
    try {
      this.#process = spawn(program, args, {
        cwd: this.jobDirectory,
        env: { ...baseEnv(this.tag, this.jobDirectory), ...env },
        stdio: ["ignore", output.childFd, output.childFd, ...extra],
        detached: true,
      });
    } catch (error) {
      // `spawn` throws, for example, for arguments that are too large; a missing program is reported by an event instead.
      if (!(error instanceof Error)) throw error;
      ended.resolve({ code: null, signal: null, spawnError: error });
    } finally {
      for (const fd of [output.childFd, ...extra]) closeSync(fd);
    }
    this.#process?.once("exit", (code, signal) => ended.resolve({ code, signal }));
    this.#process?.once("error", (spawnError) => ended.resolve({ code: null, signal: null, spawnError }));
    this.#process?.unref();
    this.pid = this.#process?.pid ?? 0;
    if (this.pid === 0) return;
    living.add(this);
    children.set(this.pid, this.#state);
    offerToOomKiller(this.pid);
  }

  get family(): Family {
    return { leader: this.pid, tag: this.tag, directory: this.directory };
  }

  /** Process ids that do not belong to this child: older processes, and unrelated ones found by later searches. */
  get others(): Set<number> {
    return this.#others;
  }

  /** Kills the processes that a job left, but not the leader. Returns their number. */
  killRelatives(): number {
    const { killed: strays, complete } = killStrays(this.pid);
    if (complete) return strays;
    const newest = newestProcessId();
    if (newest !== undefined && newest === this.#searched) return 0;
    const killed = killRelatives(this.family, this.#others);
    this.#searched = newest;
    return strays + killed;
  }

  /** Renews the list of unrelated processes every minute, because process ids are reused. Returns the number of relatives that it killed. */
  refreshOthers(nowMs: number): number {
    if (nowMs - this.#othersMs < 60_000) return 0;
    const killed = killRelatives(this.family, new Set());
    this.#others = processIds();
    this.#othersMs = nowMs;
    return killed;
  }

  /** Keeps Node's event loop alive while a job runs; a waiting child does not. */
  hold(): void {
    this.#state.busy = true;
    this.#state.fresh = false;
    this.#process?.ref();
  }

  release(): void {
    this.#state.busy = false;
    this.#process?.unref();
  }

  /** Kills the process group and the processes that left it. */
  kill(): void {
    if (this.pid === 0) return;
    // After the leader's exit its group id may be reused. On Linux the relatives are found individually instead.
    if (!this.exit || process.platform !== "linux") killGroup(this.pid);
    if (!killStrays(this.pid).complete) killRelatives(this.family, this.#others);
  }

  /** Whether it runs, and its directory is still the one that was made for it. */
  isUsable(): boolean {
    return !this.exit && this.#born === countKillsOfAll() && this.isPlaced();
  }

  /** Whether the job's directory is still the one that was made for this child. */
  isPlaced(): boolean {
    try {
      return lstatSync(this.jobDirectory).ino === this.#place;
    } catch {
      // A script removed it.
      return false;
    }
  }

  /** Empties the job's directories for the next job. Returns false if that fails; the child must then be disposed of. */
  clean(): boolean {
    const tmp = join(this.jobDirectory, "tmp");
    try {
      if (!this.isPlaced()) return false;
      const written = readdirSync(this.jobDirectory);
      const tmpStat = lstatSync(tmp);
      // Most jobs write nothing.
      if (written.length !== 1 || !tmpStat.isDirectory() || (tmpStat.mode & 0o777) !== 0o700 || readdirSync(tmp).length > 0) {
        emptyDirectory(this.jobDirectory);
        mkdirSync(tmp, { mode: 0o700 });
        if (readdirSync(this.jobDirectory).length !== 1) return false;
      }
      chmodSync(this.jobDirectory, 0o700);
      if (this.#privateTmp) this.#emptyPrivateTmp(this.#privateTmp);
      return this.isPlaced();
    } catch {
      // A directory that cannot be emptied is not used again.
      return false;
    }
  }

  /** The mount points of what stays visible are empty here, but removing them would unmount them for the child. */
  #emptyPrivateTmp(directory: string): void {
    emptyDirectory(
      directory,
      visibleBelowTmp().map((name) => join(directory, name)),
    );
  }

  /**
   * Ends the child and removes its files. The pipes close when its exit is observed, at most 2 s later: a killed process takes milliseconds to
   * release its memory, and no answer waits for that.
   */
  dispose(): void {
    this.kill();
    removeTree(this.directory);
    const close = () => {
      clearTimeout(timer);
      this.output.close();
      this.answers?.close();
      this.commands?.destroy();
      // A system call in progress at the kill may have created one more file.
      removeTree(this.directory);
    };
    const timer = setTimeout(close, 2000);
    timer.unref();
    if (this.exit || this.pid === 0) close();
    else void this.exited.then(close);
  }
}

/** Ends all children and removes their files when the supervisor ends. */
function endAll(): void {
  for (const child of living) {
    child.kill();
    removeTree(child.directory);
  }
  removeUnusedPipes();
}

let installed = false;

/** Ensures that children end with the supervisor, and that leftovers of killed supervisors are removed. */
export function installCleanUp(): void {
  if (installed) return;
  installed = true;
  process.once("exit", endAll);
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
    process.once(signal, () => {
      endAll();
      process.kill(process.pid, signal);
    });
  }
  setTimeout(removeLeftovers, 1000).unref();
}

/** Removes directories and processes of killed supervisors. Each directory's name begins with the process id of its supervisor. */
export function removeLeftovers(): void {
  const { workDir } = settings();
  repairWorkDir();
  for (const folder of ["jobs", "pipes"]) {
    for (const name of readdirSync(join(workDir, folder))) {
      const owner = Number(name.split("-")[0]);
      if (!(owner > 0) || owner === process.pid || isAlive(owner)) continue;
      const directory = join(workDir, folder, name);
      if (folder === "jobs") killRelatives({ leader: 0, tag: name, directory }, new Set());
      removeTree(directory);
    }
  }
}

function isAlive(id: number): boolean {
  try {
    process.kill(id, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
