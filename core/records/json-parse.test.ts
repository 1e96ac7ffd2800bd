import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";

const root = path.join(import.meta.dirname, "../..");

/** The modules that parse JSON text that does not come from a table. `core/records` parses stored text, and names the record that fails. */
const PARSES_OTHER_TEXT: Record<string, string> = {
  "aws/cognito/logins.ts": "the environment",
  "aws/lambda/functions.ts": "the environment, and the payloads of functions",
  "aws/lambda/trigger-sources.ts": "the answer of a function",
  "services/identity/sign-in/federated-login.ts": "a decrypted cookie",
  "services/jobs/read/lists/list.ts": "a query parameter",
  "services/jobs/lifecycle/end/mask-report.ts": "a result that a runner has just returned",
  "services/flows/runtime/segments/run-batch.ts": "a result that a runner has just returned",
  "services/flows/runtime/expressions/evaluate-expression.ts": "the value that an expression has just returned",
  "services/accounts/account-key.ts": "a decrypted key",
  "services/flows/definitions/validate-machine.ts": "a state machine that was just compiled",
  "services/scripts/declarations.ts": "texts that a build has stored in S3",
};

describe("JSON text in a table", () => {
  it("is parsed by `core/records` alone, so that an unreadable record is named", () => {
    const sources = globSync("{aws,services}/**/*.ts", { cwd: root }).filter((file) => !file.endsWith(".test.ts"));
    expect(sources.length).toBeGreaterThan(200);
    const parsing = sources.filter((file) =>
      /JSON\.parse|parseExactJson\(|\.parse\(\s*JSON/.test(readFileSync(path.join(root, file), "utf8")),
    );
    expect(parsing.sort()).toEqual(Object.keys(PARSES_OTHER_TEXT).sort());
  });
});

/** The modules that parse numbers as doubles. No value of a user passes from these texts to a script. */
const ROUNDS: Record<string, string> = {
  "aws/cognito/logins.ts": "the environment",
  "aws/lambda/functions.ts": "the environment, and answers of our functions, in which values are text",
  "aws/lambda/trigger-sources.ts": "the answer of a function",
  "cli/build.ts": "a package.json",
  "cli/codebases/esbuild.ts": "a source map",
  "cli/commands/account/login.ts": "a token",
  "cli/dev/find-source.ts": "a source map",
  "cli/profiles/profiles.ts": "profiles",
  "cli/sync/archive-store.ts": "a list of texts",
  "cli/sync/plan-file.ts": "a list of texts",
  "cli/sync/state.ts": "a list of digests",
  "core/builds/packages/workspace-dependencies.ts": "a package.json",
  "core/jobs/lists/list-cursor.ts": "a cursor",
  "core/payload/json.ts": "prefixes of a text, to find the place of a fault",
  "core/reply/remove-stacks.ts": "a result, of which every number keeps its text",
  "core/resources/type.ts": "a JSON Schema",
  "core/secrets/mask-encryption.ts": "a list of texts",
  "core/signatures/schema.ts": "a JSON Schema",
  "core/triggers/filter-policy.ts": "a policy",
  "functions/build/javascript/bundle.ts": "a source map",
  "functions/build/javascript/npm-lock.ts": "a lock",
  "functions/build/javascript/typed-packages.ts": "a package.json",
  "functions/build/javascript/unbundled-packages.ts": "a package.json",
  "functions/deliver/handler.ts": "a message of the service",
  "functions/shared/edge/messages.ts": "a message of the service",
  "functions/shared/wiring/worker-deps.ts": "the environment",
  "services/accounts/account-key.ts": "a decrypted key",
  "services/flows/definitions/validate-machine.ts": "a state machine that was just compiled",
  "services/flows/runtime/expressions/evaluate-expression.ts": "the value that an expression of JavaScript has just returned",
  "services/identity/sign-in/federated-login.ts": "a decrypted cookie",
  "services/scripts/declarations.ts": "texts",
};

describe("JSON text of users", () => {
  it("is parsed with exact whole numbers", () => {
    const sources = globSync("{aws,cli,core,functions,services}/**/*.ts", { cwd: root }).filter(
      (file) => !/\.test\.ts$|fixture/.test(file),
    );
    const rounding = sources.filter((file) => /JSON\.parse\(/.test(readFileSync(path.join(root, file), "utf8")));
    expect(rounding.sort()).toEqual(Object.keys(ROUNDS).sort());
  });
});
