import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { blocksOf, HELPER, notRead, PREAMBLE, pages, type Reading, readings, setByReader } from "./pages.ts";

const tests = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "test/*.test.ts"], { encoding: "utf8" })
  .trim()
  .split("\n")
  .map((file) => readFileSync(file, "utf8"));
const withShell = pages.filter((page) => blocksOf(page, "sh").length > 0);
const ofApi = withShell.filter((page) => blocksOf(page, "sh").some((block) => /\$(URL|API|TOKEN)\b/.test(block)));

/** Blocks that show commands without running them, by their first line, and the reason. */
const shown: Readonly<Record<string, string>> = {
  "npm run up        # installs": "the commands of the checkout: test/e2e/local/up.test.ts runs the first one",
  "npm run verify    #": "the commands for changes of the project itself",
  "npm install -g https://svc.example.com/cli/svc-cli.tgz":
    "the package shows its reader where it comes from; docs/sync.md runs the same commands",
  "svc dev": "it never ends; test/e2e/cli/dev.test.ts runs it",
};

/** A command's lines without the texts in which a shell replaces nothing: those in single quotes, here-documents with a quoted end, comments. */
const bare = (block: string) =>
  block
    .replace(/<<'(\w+)'\n[\s\S]*?^\1$/gm, "")
    .replace(/(^|\s{2,})# .*$/gm, "")
    .replace(/'[^']*'/g, "''");

describe("the shell blocks of the documentation", () => {
  it("are each run by a test, or are in the list of those that no test can run", () => {
    const read = (page: string) => (Object.values(readings) as Reading[]).filter((reading) => reading.page === page);
    const unread = withShell.flatMap((page) => {
      const all = blocksOf(page, "sh").map((_block, place) => place);
      const run = read(page).flatMap(({ blocks }) => blocks ?? all);
      return page in notRead ? [] : all.filter((place) => !run.includes(place)).map((place) => `${page}, block ${place}`);
    });
    expect(unread).toEqual([]);
    expect(Object.keys(notRead).filter((page) => !withShell.includes(page) || read(page).length > 0)).toEqual([]);
    const unused = Object.keys(readings).filter(
      (name) => !tests.some((text) => text.includes("readAloud(") && new RegExp(`\\b${name}\\b`).test(text)),
    );
    expect(unused).toEqual([]);
  });

  it("are marked as sh where they are commands", () => {
    const commands = /^\s*(\$ )?(npm|npx|svc|curl|git|docker|aws|mkdir|cd|export|eval)\s/;
    const found = pages.flatMap((page) =>
      ["", "bash", "shell", "console", "zsh", "text"]
        .flatMap((language) => blocksOf(page, language))
        .map((block) => block.split("\n")[0] ?? ""),
    );
    const unmarked = found.filter((line) => commands.test(line) || line === "svc dev");
    expect(unmarked.filter((line) => !Object.keys(shown).some((begin) => line.startsWith(begin)))).toEqual([]);
    expect(Object.keys(shown).filter((begin) => !unmarked.some((line) => line.startsWith(begin)))).toEqual([]);
  });

  it.each(ofApi.filter((page) => !(page in notRead)))("begin in %s with the line that sets URL, TOKEN and API", (page) => {
    expect(blocksOf(page, "sh")[0]?.slice(0, PREAMBLE.length)).toBe(PREAMBLE);
    const functions = blocksOf(page, "sh").flatMap((block) => block.match(/^\w+ ?\(\) ?\{.*\n/gm) ?? []);
    expect(functions.filter((line) => line !== HELPER)).toEqual([]);
  });

  it.each(withShell)("use in %s only variables that the page sets", (page) => {
    const set = new Set<string>(setByReader[page]);
    const unset: string[] = [];
    for (const block of blocksOf(page, "sh")) {
      if (block.includes(PREAMBLE)) for (const name of ["URL", "TOKEN", "API"]) set.add(name);
      for (const line of bare(block).split("\n")) {
        for (const [, name = ""] of line.matchAll(/(?:^|[\s;])(?:for )?([A-Za-z_]\w*)(?:=| in )/g)) set.add(name);
        for (const [, name = ""] of line.matchAll(/\$\{?([A-Za-z_]\w*)/g)) if (!set.has(name)) unset.push(name);
      }
    }
    expect(unset).toEqual([]);
  });

  it.each(withShell)("in %s end by themselves, say why a request fails, and read JSON with a parser", (page) => {
    const blocks = blocksOf(page, "sh").map((block) => block.replace(HELPER, ""));
    const faults = blocks.flatMap((block) => [
      ...(bare(block).match(/\b(until|while)\b.*/g) ?? []),
      ...(block.match(/\bsed\b.*["{]\S*:.*/g) ?? []),
      ...(block.match(/.*(localhost|127\.0\.0\.1):\d+.*/g) ?? []),
      ...(block.match(/^svc ?\(\).*/gm) ?? []),
      // A request whose status is printed shows its failure itself.
      ...(block.match(/\bcurl .*/g) ?? []).filter((call) => !/^curl (--fail-with-body -sSN? |-sS .*%\{http_code\})/.test(call)),
    ]);
    expect(faults).toEqual([]);
  });
});
