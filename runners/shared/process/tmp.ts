import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { settings, type TmpMode } from "../settings.ts";

/**
 * Runs a command in a mount namespace of its own. Arguments: the folder of all jobs' directories, the job's own one in it, its private /tmp, the
 * directory to work in, the command. /tmp is the private one, and of the jobs' directories only the own one is there.
 */
const ENTER = `cd "$1" && mount -t tmpfs -o mode=711 tmpfs "$0" && mkdir -m 700 "$1" && mount -c --bind . "$1" && \
mount --bind "$2" /tmp && cd "$3" && shift 3 && exec "$@"`;

let unshare: string[] | undefined | null;

/** The `unshare` call that works here: as root, else as root of a namespace of its own, else none. Tried once. */
function workingUnshare(): string[] | null {
  if (unshare !== undefined) return unshare;
  unshare = null;
  if (process.platform !== "linux") return null;
  const directory = mkdtempSync(join(settings().workDir, "probe-"));
  const own = join(directory, "own");
  mkdirSync(join(own, "tmp"), { recursive: true });
  mkdirSync(join(directory, "other"));
  writeFileSync(join(own, "tmp", "seen"), "");
  for (const call of [["--mount"], ["--user", "--map-root-user", "--mount"]]) {
    try {
      const check = ["sh", "-c", 'test -e /tmp/seen && ! test -e "$0"', join(directory, "other")];
      execFileSync("unshare", [...call, "sh", "-c", ENTER, directory, own, join(own, "tmp"), own, ...check], {
        stdio: "ignore",
        timeout: 5000,
      });
      unshare = call;
      break;
    } catch {
      // Not allowed, or there is no such program.
    }
  }
  rmSync(directory, { recursive: true, force: true });
  return unshare;
}

/** The mode that holds here: `private` needs a kernel that lets us, and a work directory outside /tmp. */
export function effectiveTmpMode(): TmpMode {
  const { tmpMode, workDir } = settings();
  if (tmpMode !== "private") return tmpMode;
  return !`${workDir}/`.startsWith("/tmp/") && workingUnshare() ? "private" : "none";
}

/** The command that starts `command` where /tmp is `tmp` and other jobs are out of sight. The process id stays: each program replaces the one before. */
export function withPrivateTmp(command: string[], { own, tmp, cwd }: { own: string; tmp: string; cwd: string }): string[] {
  return ["unshare", ...(workingUnshare() ?? []), "sh", "-c", ENTER, dirname(own), own, tmp, cwd, ...command];
}

/** Deletes everything in a directory but the entry that holds `keep`. */
export function emptyDirectory(directory: string, keep?: string): void {
  let names: string[];
  try {
    names = readdirSync(directory);
  } catch {
    return;
  }
  for (const name of names) {
    const path = join(directory, name);
    if (keep === path || keep?.startsWith(`${path}/`)) continue;
    removeTree(path);
  }
}

/** Deletes a tree even when the job took the rights from its own directories. Never throws: what cannot go is the next run's to ignore. */
export function removeTree(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    try {
      execFileSync("chmod", ["-R", "u+rwX", path], { stdio: "ignore" });
      rmSync(path, { recursive: true, force: true, maxRetries: 2 });
    } catch {
      // Another user's file, or a mount: not ours to remove.
    }
  }
}

/** After a run on AWS: /tmp is empty but for the supervisor's own work directory. */
export function sweepTmp(root = "/tmp"): void {
  const { workDir } = settings();
  if (dirname(workDir) === workDir) return;
  emptyDirectory(root, workDir);
}
