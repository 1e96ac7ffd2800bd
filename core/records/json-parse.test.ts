import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";

const root = path.join(import.meta.dirname, "../..");

/** The modules that parse JSON text themselves, none of it from a table. Stored text is parsed by `core/records`, which names the record that fails. */
const PARSES_OTHER_TEXT: Record<string, string> = {
  "aws/cognito/logins.ts": "the environment",
  "aws/lambda/functions.ts": "the environment, and the payloads of functions",
  "aws/lambda/trigger-sources.ts": "the answer of a function",
  "services/identity/federated-login.ts": "a decrypted cookie",
  "services/jobs/read/list.ts": "a query parameter",
  "services/jobs/lifecycle/finish.ts": "a result that a runner has just returned",
  "services/flows/runtime/segments/run-batch.ts": "a result that a runner has just returned",
  "services/flows/runtime/expressions/evaluate-expression.ts": "the value that an expression has just returned",
  "services/accounts/account-key.ts": "a decrypted key",
  "services/flows/definitions/validate-machine.ts": "a state machine that was just compiled",
};

describe("JSON text in a table", () => {
  it("is parsed by `core/records` alone, so that an unreadable record is named", () => {
    const sources = globSync("{aws,services}/**/*.ts", { cwd: root }).filter((file) => !file.endsWith(".test.ts"));
    expect(sources.length).toBeGreaterThan(200);
    const parsing = sources.filter((file) => /JSON\.parse|\.parse\(\s*JSON/.test(readFileSync(path.join(root, file), "utf8")));
    expect(parsing.sort()).toEqual(Object.keys(PARSES_OTHER_TEXT).sort());
  });
});
