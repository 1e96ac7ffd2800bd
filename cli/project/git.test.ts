import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, existsSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { findGitBranch, findGitRoot, findLastSubject } from "./git.ts";

let folder: string;
const git = (...args: string[]) => execFileSync("git", args, { cwd: folder, encoding: "utf8" }).trim();
const runs = () => existsSync(join(folder, "ran"));
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "svc-git-")));
  git("init", "-q", "-b", "main");
  git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "first");
  writeFileSync(join(folder, "program"), `#!/bin/sh\ntouch "${folder}/ran"\nexit 1\n`);
  chmodSync(join(folder, "program"), 0o755);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

describe("queries to git", () => {
  it("return answers", () => {
    expect([findGitRoot(folder), findGitBranch(folder), findLastSubject(folder)]).toEqual([folder, "main", "first"]);
  });

  it("run no program that the settings of a repository name, even if an object is missing", () => {
    const head = git("rev-parse", "HEAD");
    const program = join(folder, "program");
    for (const name of [
      "core.fsmonitor",
      "core.sshCommand",
      "core.pager",
      "core.gitProxy",
      "gpg.program",
      "diff.external",
      "credential.helper",
    ])
      git("config", name, program);
    git("config", "log.showSignature", "true");
    git("config", "protocol.ext.allow", "always");
    git("config", "core.repositoryformatversion", "1");
    git("config", "extensions.partialClone", "origin");
    git("config", "remote.origin.promisor", "true");
    rmSync(join(folder, ".git/objects", head.slice(0, 2), head.slice(2)));
    for (const url of ["ssh://localhost/x", `ext::${program}`]) {
      git("config", "remote.origin.url", url);
      expect([findGitRoot(folder), findGitBranch(folder), findLastSubject(folder), runs()], url).toEqual([
        folder,
        "main",
        undefined,
        false,
      ]);
    }
  });

  it("run no program of the repository, even where the search path starts with the current folder", () => {
    copyFileSync(join(folder, "program"), join(folder, "git"));
    vi.stubEnv("PATH", `.${delimiter}${process.env["PATH"]}`);
    expect([findGitRoot(folder), findGitBranch(folder), runs()]).toEqual([folder, "main", false]);
  });

  it("never use a root that the repository chooses", () => {
    git("config", "core.worktree", tmpdir());
    expect(findGitRoot(folder)).toBeUndefined();
  });
});
