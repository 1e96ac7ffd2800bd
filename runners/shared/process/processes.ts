import { execFile } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";

/**
 * Every process of a job carries this variable, by inheritance: that is how one that left its process group is found. It is no secret, and not
 * the nonce.
 */
export const PROCESS_TAG = "SVC_PROCESS_TAG";

const linux = process.platform === "linux";
const PAGE_KB = 4;

/** What makes a process part of a job. */
export interface Family {
  /** The process that the supervisor started; also the id of its process group. */
  leader: number;
  tag: string;
  /** A process that works in here belongs to the job, even without its group and its environment. */
  directory: string;
}

/** All process ids of this moment; empty where there is no /proc. */
export function processIds(): Set<number> {
  if (!linux) return new Set();
  const ids = new Set<number>();
  for (const name of readdirSync("/proc")) {
    const id = Number(name);
    if (id > 0) ids.add(id);
  }
  return ids;
}

/**
 * The living processes of a family but its leader. Only on Linux. `others` are known to belong elsewhere, for one because they are older; strangers
 * are added to it, so that each is looked at once.
 */
function relatives({ leader, tag, directory }: Family, others: Set<number>): number[] {
  const needle = `${PROCESS_TAG}=${tag}`;
  const found: number[] = [];
  for (const id of processIds()) {
    if (id === leader || others.has(id)) continue;
    try {
      // pid (name) state parent group …; the name may hold anything, so look behind its last parenthesis.
      const stat = readFileSync(`/proc/${id}/stat`, "latin1");
      const [state, , group] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      if (state === "Z" || state === "X") continue;
      if (Number(group) === leader || readFileSync(`/proc/${id}/environ`, "latin1").split("\0").includes(needle)) {
        found.push(id);
        continue;
      }
      const cwd = readlinkSync(`/proc/${id}/cwd`);
      if (cwd === directory || cwd.startsWith(`${directory}/`)) found.push(id);
      else others.add(id);
    } catch (error) {
      // Ended meanwhile, or another user's.
      if ((error as NodeJS.ErrnoException).code === "EACCES") others.add(id);
    }
  }
  return found;
}

/** Kills what a family left, and what it forks meanwhile. Answers how many there were. */
export function killRelatives(family: Family, others: Set<number>): number {
  const killed = new Set<number>();
  for (;;) {
    const ids = relatives(family, others).filter((id) => !killed.has(id));
    if (ids.length === 0) return killed.size;
    for (const id of ids) {
      kill(id);
      killed.add(id);
    }
  }
}

/** The newest process id of the machine: while it stays the same, nobody has started a process or a thread. Undefined where there is no /proc. */
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
    // Gone already.
  }
}

/** Resident memory of one process; 0 when it is gone, or where there is no /proc. */
export function residentKb(id: number): number {
  if (!linux) return 0;
  try {
    return Number(readFileSync(`/proc/${id}/statm`, "latin1").split(" ")[1]) * PAGE_KB;
  } catch {
    return 0;
  }
}

/** The most that one process ever had resident. */
export function peakResidentKb(id: number): number {
  if (!linux) return 0;
  try {
    return Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${id}/status`, "latin1"))?.[1] ?? 0);
  } catch {
    return 0;
  }
}

/** Resident memory of the leader and all its relatives; on other systems of the process group, as `ps` knows it. */
export async function familyMemoryKb(family: Family, others: Set<number>): Promise<number> {
  if (linux) return [family.leader, ...relatives(family, others)].reduce((sum, id) => sum + residentKb(id), 0);
  return (await groupByPs(family.leader)).reduce((sum, { rssKb }) => sum + rssKb, 0);
}

/** The processes of a group, for systems without /proc. */
export function groupByPs(leader: number): Promise<{ id: number; rssKb: number }[]> {
  return new Promise((resolve) => {
    execFile("ps", ["-axo", "pid=,pgid=,rss="], { maxBuffer: 16 * 1024 * 1024 }, (error, stdout) => {
      const rows = error ? [] : stdout.split("\n").map((line) => line.trim().split(/\s+/).map(Number));
      resolve(rows.filter(([, group]) => group === leader).map(([id = 0, , rssKb = 0]) => ({ id, rssKb })));
    });
  });
}

/** When memory runs out, the kernel takes the job and not its supervisor. */
export function offerToOomKiller(id: number): void {
  if (!linux) return;
  try {
    writeFileSync(`/proc/${id}/oom_score_adj`, "1000");
  } catch {
    // Not allowed here, or the process is gone.
  }
}
