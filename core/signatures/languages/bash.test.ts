// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the syntax of the shell.
import { beforeAll, describe, expect, it } from "vitest";
import { listDifferences } from "../../../test/fixtures/signatures/agreement.ts";
import { bashCorpus } from "../../../test/fixtures/signatures/bash-corpus.ts";
import { describeBash } from "../../../test/fixtures/signatures/bash-oracle.ts";
import type { TrueSignature } from "../../../test/fixtures/signatures/case.ts";
import { parseSignature } from "../signature.ts";

describe("the signature of a bash script", () => {
  let described: TrueSignature[];
  beforeAll(() => {
    described = describeBash(bashCorpus.map(({ source }) => source));
  }, 120_000);

  it.each(bashCorpus.map((one, at) => ({ ...one, at })))("$name: bash assigns the same arguments", ({ at, ...one }) => {
    const read = parseSignature("bash", one.source);
    if (!read.ok) throw new Error(read.error);
    expect(listDifferences(one, read, described[at] as TrueSignature)).toEqual([]);
  });

  it.each([
    ["${1:-}", { hasDefault: true, default: "", required: false }],
    ["$1", { hasDefault: false, required: true }],
    ['"${1:?say who}"', { hasDefault: false, required: true }],
  ])("an argument that is written as %s is described", (value, expected) => {
    expect(parseSignature("bash", `a=${value}\n`)).toMatchObject({ params: [{ name: "a", ...expected }] });
  });

  it.each(["${".repeat(10_000), "$(".repeat(10_000), '"${1:-'.repeat(10_000), "(".repeat(10_000), "a=(".repeat(10_000)])(
    "a script that nests without end has a signature (%#)",
    (text) => {
      expect(parseSignature("bash", `a=${text}`).ok).toBe(true);
    },
  );
});
