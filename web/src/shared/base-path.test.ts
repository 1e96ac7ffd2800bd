import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { basePathOf } from "./base-path.ts";

describe("the path below which the service answers", () => {
  it.each([
    ["https://svc.example.com/assets/shared-1a2b.js", ""],
    ["https://a1b2.execute-api.eu-west-1.amazonaws.com/prod/assets/shared-1a2b.js", "/prod"],
    ["http://localhost:5173/src/shared/base-path.ts", ""],
  ])("of a page with the file %s is '%s'", (file, path) => {
    expect(basePathOf(file)).toBe(path);
  });

  it("begins every address of the service that a page requests or links to", async () => {
    const root = join(import.meta.dirname, "..");
    const names = (await readdir(root, { recursive: true })).filter((name) => /\.tsx?$/.test(name) && !name.includes(".test."));
    const lines = (await Promise.all(names.map((name) => readFile(join(root, name), "utf8")))).flatMap((text) => text.split("\n"));
    // `call` adds the path; `apiOf` returns addresses for `call`.
    const without = lines.filter((line) => /["'`]\/(api|docs|approve|device)\b/.test(line) && !/\bcall\(|basePath|jobs_u\/flow/.test(line));
    expect(without.filter((line) => !/^\s*(\/?\*|\/\/)/.test(line))).toEqual([]);
    // One sends requests as the user, and one as a stranger. A program that is shown as an example has the address of a webhook in its text. The script that tests resources runs in the service.
    expect(lines.filter((line) => /\bfetch\((?!\$\{)/.test(line))).toHaveLength(3);
  });
});
