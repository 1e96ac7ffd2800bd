import { execFileSync } from "node:child_process";
import { chmodSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { settings, type TmpMode, workFolders } from "../settings.ts";

/**
 * Runs a command in its own mount namespace. Arguments: the folder of all jobs' directories, the job's directory in it, its private /tmp, the
 * working directory, the names of entries of the machine's /tmp that stay visible, joined by slashes, and the command. The command sees the private
 * /tmp, and only its own job's directory. The entries are mounted after the other jobs are hidden, so they are hidden in them too.
 */
const ENTER = `cd "$1" && mount -t tmpfs -o mode=711 tmpfs "$0" && mkdir -m 700 "$1" && mount -c --bind . "$1" && set -f && IFS=/ && \
for name in $4; do mkdir -p "$2/$name" && mount -c --rbind "/tmp/$name" "$2/$name" || exit 1; done && unset IFS && set +f && \
mount --rbind "$2" /tmp && cd "$3" && shift 4 && exec "$@"`;

/** Returns the entries of /tmp that a job needs if the checkout is in /tmp: its work directory, this code and the interpreter. */
export function visibleBelowTmp(): string[] {
  const needed = [settings().workDir, import.meta.dirname, process.execPath];
  return [...new Set(needed.flatMap((path) => /^\/tmp\/([^/]+)/.exec(path)?.[1] ?? []))];
}

let unshare: string[] | undefined | null;

/** The `unshare` command that works on this machine: as root, otherwise with a user namespace, otherwise none. Determined once. */
function workingUnshare(): string[] | null {
  if (unshare !== undefined) return unshare;
  unshare = null;
  if (process.platform !== "linux") return null;
  const directory = mkdtempSync(join(settings().workDir, "probe-"));
  const ownFolder = join(directory, "own");
  mkdirSync(join(ownFolder, "tmp"), { recursive: true });
  mkdirSync(join(directory, "other"));
  writeFileSync(join(ownFolder, "tmp", "seen"), "");
  for (const call of [["--mount"], ["--user", "--map-root-user", "--mount"]]) {
    try {
      const check = ["sh", "-c", 'test -e /tmp/seen && ! test -e "$0"', join(directory, "other")];
      execFileSync(
        "unshare",
        [...call, "sh", "-c", ENTER, directory, ownFolder, join(ownFolder, "tmp"), ownFolder, visibleBelowTmp().join("/"), ...check],
        {
          stdio: "ignore",
          timeout: 5000,
        },
      );
      unshare = call;
      break;
    } catch {
      // The kernel does not allow it, or the program is missing.
    }
  }
  rmSync(directory, { recursive: true, force: true });
  return unshare;
}

/** Returns the effective mode: `private` requires a kernel that allows it. */
export function effectiveTmpMode(): TmpMode {
  const { tmpMode } = settings();
  if (tmpMode !== "private") return tmpMode;
  return workingUnshare() ? "private" : "none";
}

/** Wraps `command` so that its /tmp is `tmp` and other jobs are invisible. The process id does not change, because each program execs the next. */
export function withPrivateTmp(command: string[], { directory, tmp, cwd }: { directory: string; tmp: string; cwd: string }): string[] {
  return [
    "unshare",
    ...(workingUnshare() ?? []),
    "sh",
    "-c",
    ENTER,
    dirname(directory),
    directory,
    tmp,
    cwd,
    visibleBelowTmp().join("/"),
    ...command,
  ];
}

/** Deletes everything in a directory except the entries that contain the paths of `keep`. */
export function emptyDirectory(directory: string, keep: readonly string[] = []): void {
  let names: string[];
  try {
    names = readdirSync(directory);
  } catch {
    // The directory does not exist.
    return;
  }
  for (const name of names) {
    const path = join(directory, name);
    if (keep.some((kept) => kept === path || kept.startsWith(`${path}/`))) continue;
    removeTree(path);
  }
}

/** Deletes a tree, including directories that the job made read-only. Never throws; a remaining file is tolerated. */
export function removeTree(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    // A job may have made a directory read-only.
    try {
      execFileSync("chmod", ["-R", "u+rwX", path], { stdio: "ignore" });
      rmSync(path, { recursive: true, force: true, maxRetries: 2 });
    } catch {
      // The file belongs to another user or is a mount.
    }
  }
}

/** Creates the folders of the work directory that a script has removed or replaced. Call it before each run. */
export function repairWorkDir(): void {
  for (const path of workFolders()) {
    if (isFolder(path)) continue;
    removeTree(path);
    mkdirSync(path, { recursive: true, mode: 0o700 });
  }
}

function isFolder(path: string): boolean {
  try {
    const stat = lstatSync(path);
    if (!stat.isDirectory()) return false;
    if ((stat.mode & 0o700) !== 0o700) chmodSync(path, 0o700);
    return true;
  } catch {
    // The folder is missing, or another user owns it.
    return false;
  }
}

/** Empties /tmp after a run on AWS, except for the supervisor's work directory. */
export function sweepTmp(root = "/tmp"): void {
  const { workDir } = settings();
  if (dirname(workDir) === workDir) return;
  emptyDirectory(root, [workDir]);
}
