import { globSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

it("only authorizeDecision calls the rule of core directly, so that no decision skips the check of replaced groups", () => {
  const files = globSync("{services,functions}/**/*.ts", { exclude: ["**/*.test.ts"] });
  expect(files.length).toBeGreaterThan(100);
  const callers = files.filter((file) => /\bauthorize\(/.test(readFileSync(file, "utf8")));
  expect(callers).toEqual(["services/approvals/decisions/authorize-decision.ts"]);
});
