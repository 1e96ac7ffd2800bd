import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { listDifferences } from "../../../test/fixtures/signatures/agreement.ts";
import type { TrueSignature } from "../../../test/fixtures/signatures/case.ts";
import { goCorpus } from "../../../test/fixtures/signatures/go-corpus.ts";
import { goTestEnv } from "../../../test/support/engine/go-cache.ts";
import { goPath } from "../../../test/support/programs.ts";
import { parseSignature } from "../signature.ts";

describe("the signature of a Go script", () => {
  let described: TrueSignature[];
  beforeAll(() => {
    const oracle = join(import.meta.dirname, "../../../test/fixtures/signatures/go-oracle/main.go");
    const input = JSON.stringify(goCorpus.map(({ source }) => source));
    // A program that was built without paths cannot find the sources of the library.
    const GOROOT = execFileSync(goPath(), ["env", "GOROOT"]).toString().trim();
    // A cold compiler on a shared machine is slow.
    described = JSON.parse(
      execFileSync(goPath(), ["run", oracle], { input, env: { ...process.env, ...goTestEnv, GOROOT } }).toString(),
    ) as TrueSignature[];
  }, 240_000);

  it.each(goCorpus.map((one, at) => ({ ...one, at })))("$name is read as go/types describes it", ({ at, ...one }) => {
    const read = parseSignature("go", one.source);
    if (!read.ok) throw new Error(read.error);
    expect(listDifferences(one, read, described[at] as TrueSignature)).toEqual([]);
  });
});
