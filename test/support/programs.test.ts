import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

const sources = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "*.ts"], { encoding: "utf8" })
  .trim()
  .split("\n");

/** A machine need not have these programs on its path: the project installs them, or finds them under another name. */
const byName = /\b(?:exec|execFile|spawn)(?:Sync)?\(\s*["'`](?:go|python3?|deno|bun|uv)["'`]/;

it("no source starts an interpreter or a compiler by its bare name", () => {
  expect(byName.test('execFileSync("go", ["version"])')).toBe(true);
  const self = "test/support/programs.test.ts";
  expect(sources.filter((file) => file !== self && byName.test(readFileSync(file, "utf8")))).toEqual([]);
});
