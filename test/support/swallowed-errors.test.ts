import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "../..");
const files = globSync("{aws,clients,contract,core,functions,runners,services}/**/*.{ts,mjs}", {
  cwd: root,
  exclude: ["**/node_modules/**"],
});

/** Places where an error is dropped: a `catch` without the error, a handler of a promise that ignores it, a group that never rejects. */
const DROPS = /\bcatch \{|\.catch\(\(\) =>|\bPromise\.allSettled\(/;
const COMMENT = /\/\/|\/\*|^\s*\*/;

/** The lines of a source that drop an error without a comment on the line or next to it. */
function unexplainedDrops(source: string): number[] {
  const lines = source.split("\n");
  return lines.flatMap((line, at) =>
    DROPS.test(line) && !lines.slice(Math.max(0, at - 1), at + 2).some((near) => COMMENT.test(near)) ? [at + 1] : [],
  );
}

describe("an error that is dropped", () => {
  it("has a comment that says why it is expected", () => {
    const found = files
      .filter((file) => !/\.test\.ts$/.test(file))
      .flatMap((file) => unexplainedDrops(readFileSync(join(root, file), "utf8")).map((line) => `${file}:${line}`));
    expect(files.length).toBeGreaterThan(400);
    expect(found).toEqual([]);
  });

  it.each([
    ["try {\n  a();\n} catch {\n  return 1;\n}", [3]],
    ["await a().catch(() => undefined);", [1]],
    ["await Promise.allSettled(all);", [1]],
    ["try {\n  a();\n} catch {\n  // It is gone.\n}", []],
    ["// Closing twice is harmless.\nawait a().catch(() => undefined);", []],
    ["try {\n  a();\n} catch (error) {\n  report(error);\n}", []],
  ])("is found in %j at lines %j", (source, lines) => {
    expect(unexplainedDrops(source)).toEqual(lines);
  });
});
