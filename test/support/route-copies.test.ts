import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "../..");

/** The use cases that write variables or resources without a copy for routes, each with the reason. */
const WRITES_NO_COPY: Record<string, string> = {
  "services/secrets/rotate-workspace-key.ts": "the text of a variable stays the same",
  "services/accounts/accounts.ts": "only the link between the variable and its account ends",
  "services/workspaces/acls.ts": "checks that the variable or the resource exists",
};

/** Finds what may write a variable or a resource: a put, or the description of such an object for the common writer. */
const WRITES = /(write\.(put|update)\(\{?\s*\.\.\.|put\(\{\s*\.\.\.|= [^;]*\{ \.\.\.|key: )(variable|resource)Object\.key\b/;

describe("the copies of credentials for routes", () => {
  it("are kept by every use case that writes variables or resources", () => {
    const sources = globSync("services/**/*.ts", { cwd: root }).filter((file) => !file.endsWith(".test.ts"));
    const texts = sources.map((file) => [file, readFileSync(join(root, file), "utf8")] as const);
    const writers = texts.filter(([, text]) => WRITES.test(text) || /const key = (variable|resource)Object\.key\(/.test(text));
    const withCopies = ["services/accounts/refresh.ts", "services/resources/save.ts", "services/variables/save.ts"];
    const known = [...withCopies, ...Object.keys(WRITES_NO_COPY)];
    expect(writers.map(([file]) => file).filter((file) => !known.includes(file))).toEqual([]);
    for (const [file, text] of texts.filter(([name]) => withCopies.includes(name))) {
      expect([file, /build(Variable|Resource)CopyParts\(/.test(text)]).toEqual([file, true]);
    }
    expect(withCopies.every((file) => writers.some(([name]) => name === file))).toBe(true);
  });
});
