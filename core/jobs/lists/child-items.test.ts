import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { childName, childPrefix, childRef } from "./child-items.ts";

const root = path.join(import.meta.dirname, "../../..");
const OWNER = path.join("core", "jobs", "lists", "child-items.ts");
const prefixes = Object.values(childPrefix);

/** The lines of a source text in which a string begins with a prefix of child items. */
function literalsIn(text: string): string[] {
  const escaped = prefixes.map((prefix) => prefix.replaceAll(/[^\w#@]/g, "\\$&"));
  const literal = new RegExp(`["'\`/^](${escaped.join("|")})`);
  return text.split("\n").filter((line) => literal.test(line));
}

describe("child items of a job", () => {
  it("a prefix never begins with another prefix", () => {
    const nested = prefixes.flatMap((one) => prefixes.filter((other) => other !== one && other.startsWith(one)));
    expect(nested).toEqual([]);
    expect(new Set(prefixes).size).toBe(prefixes.length);
  });

  it("the name in a reference is found again, and a reference of another kind has none", () => {
    expect(childName("parkedJob", childRef("parkedJob", "a#b"))).toBe("a#b");
    expect(childName("outcome", childRef("parkedJob", "a"))).toBeUndefined();
  });

  it("the search finds a literal prefix", () => {
    expect(literalsIn('const ref = `m#a`;\nconst other = "job";\nif (/^s#/.test(ref)) return;')).toHaveLength(2);
  });

  it("only one module spells their prefixes", () => {
    const sources = globSync("{aws,contract,core,functions,services}/**/*.ts", { cwd: root });
    expect(sources.length).toBeGreaterThan(300);
    const found = sources
      .filter((file) => file !== OWNER && !file.endsWith(".test.ts"))
      .flatMap((file) => literalsIn(readFileSync(path.join(root, file), "utf8")).map((line) => `${file}: ${line.trim()}`));
    expect(found).toEqual([]);
  });
});
