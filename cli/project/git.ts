import { execFileSync, type StdioOptions } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** Turns off settings that would execute a program of the repository, and repositories inside folders of the project. */
const SAFE = ["-c", "safe.bareRepository=explicit", "-c", "core.fsmonitor=false", "-c", "log.showSignature=false"];

/** Missing objects are not fetched, because the repository's settings name the program that would fetch them. */
const NO_FETCH = { GIT_NO_LAZY_FETCH: "1", GIT_ALLOW_PROTOCOL: "" };

function git(folder: string, ...args: string[]): string | undefined {
  try {
    const env = { ...process.env, ...NO_FETCH };
    // Some systems search for a program in the current folder first, so that folder must not be in the repository.
    const cwd = dirname(process.execPath);
    const stdio: StdioOptions = ["ignore", "pipe", "ignore"];
    return execFileSync("git", ["-C", folder, ...SAFE, ...args], { cwd, env, encoding: "utf8", stdio }).trim();
  } catch {
    // The folder is not a repository, has no commit, or git is not installed.
    return undefined;
  }
}

/** Returns the root of the repository that contains a folder. A setting of the repository could name any folder, which then has no `.git`. */
export function findGitRoot(folder: string): string | undefined {
  const top = git(folder, "rev-parse", "--show-toplevel");
  return top !== undefined && existsSync(join(top, ".git")) ? top : undefined;
}
/** Returns the current branch, or `undefined` if there is none. */
export const findGitBranch = (folder: string): string | undefined => git(folder, "symbolic-ref", "--short", "-q", "HEAD") || undefined;
/** Returns the subject of the last commit. */
export const findLastSubject = (folder: string): string | undefined => git(folder, "log", "-1", "--format=%s") || undefined;
