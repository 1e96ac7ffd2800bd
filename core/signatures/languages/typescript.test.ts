import { beforeAll, describe, expect, it } from "vitest";
import { listDifferences, listRefusedDefaults } from "../../../test/fixtures/signatures/agreement.ts";
import type { TrueSignature } from "../../../test/fixtures/signatures/case.ts";
import { typescriptCorpus } from "../../../test/fixtures/signatures/typescript-corpus.ts";
import { describeTypescript } from "../../../test/fixtures/signatures/typescript-oracle.ts";
import { toArgumentsSchema } from "../parse-source.ts";
import { parseSignature } from "../signature.ts";

describe("the signature of a TypeScript script", () => {
  let described: TrueSignature[];
  beforeAll(() => {
    described = describeTypescript(typescriptCorpus.map(({ source }) => source));
  }, 120_000);

  it.each(typescriptCorpus.map((one, at) => ({ ...one, at })))("$name is read as the checker describes it", ({ at, ...one }) => {
    const read = parseSignature("bun", one.source);
    if (!read.ok) throw new Error(read.error);
    expect(listDifferences(one, read, described[at] as TrueSignature)).toEqual([]);
    expect(listRefusedDefaults(toArgumentsSchema(read))).toEqual([]);
  });
});
