import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

const SELF = "test/support/source-rules.test.ts";
const sources = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "*.ts"], { encoding: "utf8" })
  .trim()
  .split("\n")
  .filter((file) => file !== SELF);
const listMatches = (pattern: RegExp) => sources.filter((file) => pattern.test(readFileSync(file, "utf8")));

/** A machine need not have these programs on its path: the project installs them, or finds them under another name. */
const byName = /\b(?:exec|execFile|spawn)(?:Sync)?\(\s*["'`](?:go|python3?|deno|bun|uv)["'`]/;

it("no source starts an interpreter or a compiler by its bare name", () => {
  expect(byName.test('execFileSync("go", ["version"])')).toBe(true);
  expect(listMatches(byName)).toEqual([]);
});

/** `vi.waitFor` gives up after one second, and no setting changes that. */
const shortWait = /\bvi\.wait(?:For|Until)\(/;

it("no test waits with a limit of one second, which a busy machine exceeds", () => {
  expect(shortWait.test("await vi.waitFor(() => expect(done).toBe(true));")).toBe(true);
  expect(listMatches(shortWait)).toEqual([]);
});

const assertedTime = /\bexpect\((?:performance|Date)\.now\(\) - \w+\)\.toBeLess/;

it("no test asserts how long something takes, because that depends on the machine", () => {
  expect(assertedTime.test("expect(performance.now() - startedMs).toBeLessThan(200);")).toBe(true);
  expect(listMatches(assertedTime)).toEqual([]);
});
