import { execFileSync } from "node:child_process";

/** Settings of a repository that would execute a program of it, and repositories that a folder of the project contains. */
const SAFE = ["-c", "safe.bareRepository=explicit", "-c", "core.fsmonitor=false", "-c", "log.showSignature=false"];

function git(folder: string, ...args: string[]): string | undefined {
  try {
    return execFileSync("git", [...SAFE, ...args], { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  } catch {
    // The folder is no repository, has no commit, or git is not installed.
    return undefined;
  }
}

/** Returns the root of the repository that contains a folder. */
export const findGitRoot = (folder: string): string | undefined => git(folder, "rev-parse", "--show-toplevel");
/** Returns the current branch, or `undefined`, also for a checkout without one. */
export const findGitBranch = (folder: string): string | undefined => git(folder, "symbolic-ref", "--short", "-q", "HEAD") || undefined;
/** Returns the subject of the last commit. */
export const findLastSubject = (folder: string): string | undefined => git(folder, "log", "-1", "--format=%s") || undefined;
