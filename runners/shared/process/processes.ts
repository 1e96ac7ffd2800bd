import { execFile } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";

/**
 * Every process of a job inherits this variable, so a process that left its group can be found. It is not a secret and not the nonce.
 */
export const PROCESS_TAG = "SVC_PROCESS_TAG";

const linux = process.platform === "linux";
const PAGE_KB = 4;

/** The properties by which a process belongs to a job. */
export interface Family {
  /** The process that the supervisor started; also the id of its process group. */
  leader: number;
  tag: string;
  /** A process whose working directory is inside belongs to the job, even with another group and environment. */
  directory: string;
}

/** Returns the current process ids; empty without /proc. */
export function processIds(): Set<number> {
  if (!linux) return new Set();
  const ids = new Set<number>();
  for (const name of readdirSync("/proc")) {
    const id = Number(name);
    if (id > 0) ids.add(id);
  }
  return ids;
}

/** Returns the fields of a process that follow its name in `/proc/<id>/stat`: state, parent, group and so on. Throws if the process has ended. */
export function readStatFields(id: number): string[] {
  // pid (name) state parent group …; the name may contain any character, so parsing starts after the last parenthesis.
  const stat = readFileSync(`/proc/${id}/stat`, "latin1");
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

/** Returns the parent of a process; `undefined` if the process has ended. */
export function parentOf(id: number): number | undefined {
  try {
    return Number(readStatFields(id)[1]);
  } catch {
    // The process has ended.
    return undefined;
  }
}

/**
 * Returns the living processes of a family except its leader (Linux only). `others` are known not to belong to it, for example because they are
 * older. Unrelated processes are added to `others`, so that each is examined once.
 */
function relatives({ leader, tag, directory }: Family, others: Set<number>): number[] {
  const needle = `${PROCESS_TAG}=${tag}`;
  const found: number[] = [];
  for (const id of processIds()) {
    if (id === leader || others.has(id)) continue;
    try {
      const [state, , group] = readStatFields(id);
      if (state === "Z" || state === "X") continue;
      if (Number(group) === leader || readFileSync(`/proc/${id}/environ`, "latin1").split("\0").includes(needle)) {
        found.push(id);
        continue;
      }
      const cwd = readlinkSync(`/proc/${id}/cwd`);
      if (cwd === directory || cwd.startsWith(`${directory}/`)) found.push(id);
      else others.add(id);
    } catch (error) {
      // The process has ended, or it belongs to another user.
      if ((error as NodeJS.ErrnoException).code === "EACCES") others.add(id);
    }
  }
  return found;
}

/** A family that starts processes faster than they are killed must not stop the supervisor for longer. */
const SEARCH_MS = 5000;

/** Kills a family's remaining processes, including those that they fork during the search. Returns the number of killed processes. */
export function killRelatives(family: Family, others: Set<number>): number {
  const killed = new Set<number>();
  const endMs = Date.now() + SEARCH_MS;
  for (;;) {
    const ids = relatives(family, others).filter((id) => !killed.has(id));
    if (ids.length === 0 || Date.now() > endMs) return killed.size;
    for (const id of ids) {
      kill(id);
      killed.add(id);
    }
  }
}

/** Returns the newest process id of the machine. While it is unchanged, no process or thread was started. `undefined` without /proc. */
export function newestProcessId(): string | undefined {
  if (!linux) return undefined;
  const text = readFileSync("/proc/loadavg", "latin1");
  return text.slice(text.lastIndexOf(" ") + 1);
}

export function killGroup(leader: number): void {
  kill(-leader);
}

function kill(id: number): void {
  try {
    process.kill(id, "SIGKILL");
  } catch {
    // The process has already ended.
  }
}

/** Returns the resident memory of one process in KB; 0 if it has ended, or without /proc. */
export function residentKb(id: number): number {
  if (!linux) return 0;
  try {
    return Number(readFileSync(`/proc/${id}/statm`, "latin1").split(" ")[1]) * PAGE_KB;
  } catch {
    // The process has ended.
    return 0;
  }
}

/** Returns the peak resident memory of one process in KB; 0 if it has ended, or without /proc. */
export function peakResidentKb(id: number): number {
  if (!linux) return 0;
  try {
    return Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${id}/status`, "latin1"))?.[1] ?? 0);
  } catch {
    // The process has ended.
    return 0;
  }
}

/** Returns the resident memory of the leader and its relatives in KB; on systems without /proc, that of the process group from `ps`. */
export async function familyMemoryKb(family: Family, others: Set<number>): Promise<number> {
  if (linux) return [family.leader, ...relatives(family, others)].reduce((sum, id) => sum + residentKb(id), 0);
  return (await groupByPs(family.leader)).reduce((sum, { rssKb }) => sum + rssKb, 0);
}

/** Returns the processes of a group, for systems without /proc. */
export function groupByPs(leader: number): Promise<{ id: number; rssKb: number }[]> {
  return new Promise((resolve) => {
    execFile("ps", ["-axo", "pid=,pgid=,rss="], { maxBuffer: 16 * 1024 * 1024 }, (error, stdout) => {
      const rows = error ? [] : stdout.split("\n").map((line) => line.trim().split(/\s+/).map(Number));
      resolve(rows.filter(([, group]) => group === leader).map(([id = 0, , rssKb = 0]) => ({ id, rssKb })));
    });
  });
}

/** Makes the kernel kill the job and not its supervisor when memory runs out. */
export function offerToOomKiller(id: number): void {
  if (!linux) return;
  try {
    writeFileSync(`/proc/${id}/oom_score_adj`, "1000");
  } catch {
    // The kernel does not allow it here, or the process has ended.
  }
}
