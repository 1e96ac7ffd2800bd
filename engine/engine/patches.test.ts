import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { runPythonChecks } from "../../test/support/engine/python-checks.ts";
import { root } from "../paths.ts";

const folder = path.join(import.meta.dirname, "patches");
const patches = readdirSync(folder).filter((name) => name.endsWith(".py"));

it.each(patches)("%s states its reason, what will make it unnecessary, and a test that names it", (name) => {
  const [, reason = "", until = "", test = ""] =
    /^"""(.+?)\n\n(?:.*\n\n)?Needed until (.+?)\nTest: (\S+)\n"""/s.exec(readFileSync(path.join(folder, name), "utf8")) ?? [];
  expect([reason, until]).toEqual([expect.stringMatching(/\w{3}/), expect.stringMatching(/\.$/)]);
  expect(existsSync(path.join(root, test)), test).toBe(true);
  expect(readFileSync(path.join(root, test), "utf8")).toMatch(new RegExp(`\\bpatches(\\.| import )${path.basename(name, ".py")}\\b`));
});

it("the patches that have no other file of checks have an effect", { timeout: 300_000 }, async () => {
  const { status, stderr } = await runPythonChecks("effects.py");
  expect(stderr).toMatch(/^Ran 12 tests/m);
  expect(status, stderr).toBe(0);
});
