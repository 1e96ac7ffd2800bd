import { execFileSync } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";

const tracked = (pattern: string) => execFileSync("git", ["ls-files", pattern], { encoding: "utf8" }).trim().split("\n");

const folders = new Set(tracked("*/*").map((file) => file.split("/")[0]));
/** Decisions keep the paths of their time. */
const pages = tracked("*.md").filter((page) => !page.startsWith("docs/decisions/") && !page.startsWith("test/fixtures/"));

/** Paths in a page's code spans that begin with a folder of the checkout. Braces and asterisks have the meaning that they have in a shell. */
function pathsIn(page: string): string[] {
  const spans = [...readFileSync(page, "utf8").matchAll(/`([\w./{},*-]+\/[\w./{},*-]*)`/g)].map(([, span = ""]) => span);
  return spans.filter((span) => folders.has(span.split("/")[0] ?? "") && !/<|\.\.\./.test(span));
}

describe("paths in the documentation", () => {
  it.each(pages)("each path that %s names exists", (page) => {
    const missing = pathsIn(page)
      .flatMap(expandBraces)
      .filter((each) => globSync(each.replace(/\/$/, "")).length === 0);
    expect(missing).toEqual([]);
  });
});

describe("the page about the test support", () => {
  const support = tracked("test/support").flatMap((file) => /^test\/support\/((?:use-cases\/)?[\w-]+)\//.exec(file)?.[1] ?? []);
  it.each([...new Set(support)])("explains the words of the folder %s", (folder) => {
    expect(readFileSync("docs/testing.md", "utf8")).toMatch(new RegExp(`\`(test/support/)?${folder}[/\`]`));
  });
});

/** The links of a page to files of the checkout, as the paths of their files with the anchors. */
function linksIn(page: string): { file: string; anchor: string }[] {
  const text = readFileSync(page, "utf8").replace(/^```[\s\S]*?^```$/gm, "");
  const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = ""]) => link).filter((link) => !/^[a-z]+:/.test(link));
  return links.map((link) => {
    const [target = "", anchor = ""] = link.split("#");
    return { file: target === "" ? page : path.join(path.dirname(page), target), anchor };
  });
}

/** The anchors of a page's headings, as GitHub forms them. */
const anchorsOf = (page: string) =>
  [...readFileSync(page, "utf8").matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );

describe("links in the documentation", () => {
  it.each([...pages, ...tracked("docs/decisions/*.md")])("each link of %s leads to a file and a heading", (page) => {
    const broken = linksIn(page).filter(
      ({ file, anchor }) => !existsSync(file) || (anchor !== "" && file.endsWith(".md") && !anchorsOf(file).includes(anchor)),
    );
    expect(broken).toEqual([]);
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
