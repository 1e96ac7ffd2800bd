import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { settings } from "../settings.ts";
import { buildKernelAddon } from "./kernel-addon.ts";
import { parentOf, readStatFields } from "./processes.ts";

/** A process as /proc lists it. `startedAt` distinguishes it from an earlier one with the same id. */
export interface ProcessEntry {
  id: number;
  parent: number;
  startedAt: string;
}

interface ChildState {
  busy: boolean;
  /** No job has begun in it. Its processes are the programs that prepare it, such as `mount`. */
  fresh: boolean;
}

/** A snapshot of the processes that the supervisor knows. */
export interface KnownProcesses {
  supervisor: number;
  /** Processes that are older than the supervisor's first job, with their `startedAt`. */
  older: ReadonlyMap<number, string>;
  /** Short programs that the supervisor started for itself. They and their children are not strays. */
  helpers: ReadonlySet<number>;
  /** Children that execute jobs or wait for one. */
  children: ReadonlyMap<number, ChildState>;
  /** The child whose job has ended. */
  ended: number;
  /** Processes that are not descendants of the supervisor, and cannot become any. */
  unrelated: ReadonlySet<number>;
}

/**
 * Finds the processes that a job left behind: descendants of the supervisor that it does not know. No process of a job can escape from its
 * descendants, whatever group, environment and directory it has, because the supervisor adopts orphans. Processes of other programs are never
 * among them. `unsure`: an orphan may belong to another job, which still runs. `torn`: a process whose parent ended while the list was read.
 */
export function judgeProcess(entry: ProcessEntry, byId: ReadonlyMap<number, ProcessEntry>, processes: KnownProcesses): Verdict {
  const { supervisor, older, helpers, children, ended, unrelated } = processes;
  const isOlder = ({ id, startedAt }: ProcessEntry) => older.get(id) === startedAt;
  if (entry.id === supervisor || children.has(entry.id)) return "known";
  for (let at = entry; ; ) {
    if (at.id === supervisor) return [...children].some(([id, { busy }]) => busy && id !== ended) ? "unsure" : "stray";
    if (helpers.has(at.id)) return "known";
    const child = children.get(at.id);
    if (child) return at.id === ended || !(child.busy || child.fresh) ? "stray" : "known";
    if (at.parent === 0 || unrelated.has(at.parent)) return "unrelated";
    if (isOlder(at)) return "known";
    const parent = byId.get(at.parent);
    if (!parent) return "torn";
    at = parent;
  }
}
type Verdict = "known" | "stray" | "unsure" | "unrelated" | "torn";

/** The supervisor's control of its descendants. */
interface Control {
  reap: (id: number) => void;
  older: ReadonlyMap<number, string>;
}

/** Process ids of programs that the supervisor runs for itself. */
export const helpers = new Set<number>();
/** The children that execute jobs or wait for one, until Node has seen their exit. */
export const children = new Map<number, ChildState>();

let control: Control | undefined;
let problem: string | undefined;
/** Forgotten after a minute, because ids are reused. */
const unrelated = new Set<number>();
let unrelatedMs = 0;

/**
 * Makes this process unreadable for every process of the same user, and the parent of all orphaned descendants. Call it before any code of users
 * runs. Returns the reason if it is not possible, otherwise `undefined`.
 */
export function takeControl(): string | undefined {
  if (control || problem) return problem;
  const addon = process.platform === "linux" ? buildKernelAddon(process.arch) : undefined;
  if (!addon) return undefined;
  const directory = mkdtempSync(join(settings().workDir, "addon-"));
  try {
    const path = join(directory, "kernel.node");
    writeFileSync(path, addon, { mode: 0o600 });
    const loaded = { exports: {} as unknown };
    process.dlopen(loaded, path);
    const older = new Map(readEntries().map(({ id, startedAt }) => [id, startedAt]));
    control = { reap: loaded.exports as Control["reap"], older };
    process.on("SIGCHLD", reapOrphans);
  } catch (error) {
    // The directory for temporary files is mounted without the right to execute, or the C library has no dynamic symbol table.
    problem = `The supervisor cannot be hidden from scripts: ${error instanceof Error ? error.message : String(error)}`;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
  return problem;
}

/** Lists the living processes without those of `except`. `onEnded` is called for each that has ended: with its parent if it is not collected yet. */
function readEntries(
  except: ReadonlySet<number> = new Set(),
  onEnded: (id: number, parent: number | undefined) => void = () => {},
): ProcessEntry[] {
  return readdirSync("/proc").flatMap((name) => {
    const id = Number(name);
    if (!(id > 0) || except.has(id)) return [];
    try {
      const fields = readStatFields(id);
      const entry = { id, parent: Number(fields[1]), startedAt: fields[19] ?? "" };
      // A process whose first thread has ended is shown as a zombie, although its other threads run.
      if (!/[ZX]/.test(fields[0] ?? "") || Number(fields[17]) > 1) return [entry];
      onEnded(id, entry.parent);
    } catch {
      // The process ended after the list of names was read.
      onEnded(id, undefined);
    }
    return [];
  });
}

/** Collects the adopted processes that have ended. Node collects those that it started itself. */
function reapOrphans(): void {
  listProcesses();
}

/** Lists the processes that may be descendants of the supervisor, and collects orphans that have ended. `onEnded` is called with those that have ended. */
function listProcesses(onEnded: (id: number) => void = () => {}): ProcessEntry[] {
  return readEntries(unrelated, (id, parent) => {
    if (children.has(id) || helpers.has(id)) return;
    if (parent === process.pid) control?.reap(id);
    onEnded(id);
  });
}

/**
 * Returns whether a signal to all processes would reach only descendants of the supervisor. The system sends it neither to its sender nor to
 * process 1. Returns false if the supervisor may signal any other process, such as the programs of a developer. `parentOf` returns `undefined`
 * for a process that has ended.
 */
export function ownsAll(
  ids: readonly number[],
  supervisor: number,
  { parentOf, maySignal }: { parentOf: (id: number) => number | undefined; maySignal: (id: number) => boolean },
): boolean {
  const isBelow = (id: number): boolean | undefined => {
    for (let at: number | undefined = id; at !== supervisor; at = parentOf(at)) {
      if (at === undefined) return undefined;
      if (at <= 1) return false;
    }
    return true;
  };
  return ids.every((id) => {
    if (id === 1) return true;
    // The parent may end during the walk up the ancestors; the supervisor then becomes the parent.
    for (let attempt = 0; attempt < 20; attempt++) {
      const found = isBelow(id);
      if (found === true || parentOf(id) === undefined) return true;
      if (found === false) return !maySignal(id);
    }
    return false;
  });
}

function maySignal(id: number): boolean {
  try {
    return process.kill(id, 0);
  } catch {
    // It belongs to another user, or has ended.
    return false;
  }
}

let killsOfAll = 0;
/** Returns how often all processes were killed. A child that was started before is dead, even if Node has not seen its exit yet. */
export const countKillsOfAll = (): number => killsOfAll;

/**
 * Kills all descendants of the supervisor at once, including those that wait for a job, so that none of them can start another process first.
 * Returns false and kills nothing where this would reach other programs or jobs, as on a developer's machine.
 */
function killAll(ended: number): boolean {
  const isOtherBusy = [...children].some(([id, { busy }]) => busy && id !== ended);
  const ids = readEntries().map(({ id }) => id);
  if (!settings().sole || isOtherBusy || !ownsAll(ids, process.pid, { parentOf, maySignal })) return false;
  killsOfAll++;
  try {
    process.kill(-1, "SIGKILL");
  } catch {
    // No process was left.
  }
  return true;
}

let left: string | undefined;

/** Returns the fault if processes of the last job could not be ended, once. */
export function takeSurvivors(): string | undefined {
  const fault = left;
  left = undefined;
  return fault;
}

/** After everything was killed, the remaining processes are found quickly. */
const LAST_SWEEP_MS = 5000;

/**
 * Kills the processes that jobs left, including those that they fork during the search. If more remain after some seconds, all processes end at
 * once, where that is possible. `complete`: none can remain. It is false without control, and while other jobs run.
 */
export function killStrays(ended: number): { killed: number; complete: boolean } {
  if (!control) return { killed: 0, complete: false };
  const { isOver, ...first } = sweep(ended, settings().sweepMs, control.older);
  if (!isOver) return first;
  const second = killAll(ended) ? sweep(ended, LAST_SWEEP_MS, control.older) : { complete: false, isOver };
  if (second.isOver) left = "Processes of a run could not be ended, because they start others too fast.";
  return { killed: Math.max(1, first.killed), complete: second.complete };
}

function sweep(ended: number, sweepMs: number, older: Control["older"]): { killed: number; complete: boolean; isOver: boolean } {
  const startMs = Date.now();
  if (startMs - unrelatedMs > 60_000) {
    unrelated.clear();
    unrelatedMs = startMs;
  }
  const processes = { supervisor: process.pid, older, helpers, children, ended, unrelated };
  const killed = new Set<number>();
  const gone = new Set<number>();
  for (;;) {
    const goneBefore = gone.size;
    const entries = listProcesses((id) => gone.add(id));
    const byId = new Map(entries.map((entry) => [entry.id, entry]));
    const verdicts = entries.map((entry) => [entry.id, judgeProcess(entry, byId, processes)] as const);
    const idsOf = (expected: Verdict) => verdicts.filter(([, verdict]) => verdict === expected).map(([id]) => id);
    for (const id of idsOf("unrelated")) unrelated.add(id);
    const found = idsOf("stray").filter((id) => !killed.has(id));
    for (const id of found) {
      killed.add(id);
      try {
        process.kill(id, "SIGKILL");
      } catch {
        // The process has already ended.
      }
    }
    // A process that ended while the list was read may have started another one, which is not in the list.
    if (found.length === 0 && idsOf("torn").length === 0 && gone.size === goneBefore)
      return { killed: killed.size, complete: idsOf("unsure").length === 0, isOver: false };
    if (Date.now() - startMs > sweepMs) return { killed: killed.size, complete: false, isOver: true };
  }
}
