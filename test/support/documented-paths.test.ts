import { execFileSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const tracked = (pattern: string) => execFileSync("git", ["ls-files", pattern], { encoding: "utf8" }).trim().split("\n");

const folders = new Set(tracked("*/*").map((file) => file.split("/")[0]));
/** Decisions keep the paths of their time. */
const pages = tracked("*.md").filter((page) => !page.startsWith("docs/decisions/") && !page.startsWith("test/fixtures/"));

/** Paths in a page's code spans that begin with a folder of the checkout. Braces and asterisks have the meaning that they have in a shell. */
function pathsIn(page: string): string[] {
  const spans = [...readFileSync(page, "utf8").matchAll(/`([\w./{},*-]+\/[\w./{},*-]*)`/g)].map(([, path = ""]) => path);
  return spans.filter((path) => folders.has(path.split("/")[0] ?? "") && !/<|\.\.\./.test(path));
}

describe("paths in the documentation", () => {
  it.each(pages)("each path that %s names exists", (page) => {
    const missing = pathsIn(page)
      .flatMap(expandBraces)
      .filter((path) => globSync(path.replace(/\/$/, "")).length === 0);
    expect(missing).toEqual([]);
  });
});

describe("the README", () => {
  it("links every page of the documentation", () => {
    const readme = readFileSync("README.md", "utf8");
    expect(pages.filter((page) => page.startsWith("docs/") && !readme.includes(`](${page})`))).toEqual([]);
  });
});

/** `a/{b,c}` names two files, and each of them must exist. */
function expandBraces(path: string): string[] {
  const [whole, before = "", list = "", after = ""] = /^(.*?)\{([^{}]*)\}(.*)$/.exec(path) ?? [];
  return whole === undefined ? [path] : list.split(",").flatMap((part) => expandBraces(before + part + after));
}
