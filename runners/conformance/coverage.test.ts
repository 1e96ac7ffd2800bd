import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { getManifest, runnerLanguages } from "../../contract/languages.ts";

it.each(runnerLanguages)("%s passes the conformance cases that its manifest calls for", (language) => {
  const test = readFileSync(join(import.meta.dirname, "..", language, "conformance.test.ts"), "utf8");
  expect(test).toContain(`describeSupervision("${language}"`);
  expect(test.includes(`describeInProcess("${language}"`)).toBe(getManifest(language).wrapper === "in-process");
});
