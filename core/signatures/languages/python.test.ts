import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { listDifferences, listRefusedDefaults } from "../../../test/fixtures/signatures/agreement.ts";
import type { TrueSignature } from "../../../test/fixtures/signatures/case.ts";
import { pythonCorpus } from "../../../test/fixtures/signatures/python-corpus.ts";
import { requirementsCorpus } from "../../../test/fixtures/signatures/requirements-corpus.ts";
import { pythonPath } from "../../../test/support/programs.ts";
import { readRequirements } from "../../builds/python-requirements.ts";
import { toArgumentsSchema } from "../parse-source.ts";
import { parsePythonSignature } from "../python/signature.ts";
import { parseSignature } from "../signature.ts";

interface Described extends TrueSignature {
  /** The numbers of lines that begin with a comment. */
  comments: number[];
}

/** All scripts are described in one process. */
function describeInPython(sources: string[]): Described[] {
  const oracle = join(import.meta.dirname, "../../../test/fixtures/signatures/python-oracle.py");
  const output = execFileSync(pythonPath(), [oracle], { input: JSON.stringify(sources) });
  return JSON.parse(output.toString()) as Described[];
}

describe("the signature of a Python script", () => {
  let described: Described[];
  beforeAll(() => {
    described = describeInPython([...pythonCorpus.map(({ source }) => source), ...requirementsCorpus.map(({ source }) => source)]);
  }, 120_000);

  it.each(pythonCorpus.map((one, at) => ({ ...one, at })))("$name is read as Python's inspect describes it", ({ at, ...one }) => {
    const read = parseSignature("python3", one.source);
    if (!read.ok) throw new Error(read.error);
    expect(listDifferences(one, read, described[at] as Described)).toEqual([]);
    expect(listRefusedDefaults(toArgumentsSchema(read))).toEqual([]);
  });

  it.each(requirementsCorpus.map((one, at) => ({ ...one, at })))(
    "requirements in $name are read only where Python sees a comment",
    (one) => {
      const { comments } = described[pythonCorpus.length + one.at] as Described;
      const lines = one.source.split("\n");
      // With all other lines removed, no text can contain a requirement.
      const onlyComments = lines.map((line, at) => (comments.includes(at + 1) ? line : "")).join("\n");
      expect(readRequirements(one.source)).toEqual(readRequirements(onlyComments));
      expect(readRequirements(one.source).only).toEqual(one.only);
    },
  );

  it("ends for a source that nests classes and aliases without end", () => {
    const aliases = Array.from({ length: 2000 }, (_, at) => `A${at} = A${at + 1}`).join("\n");
    expect(parsePythonSignature(`${aliases}\ndef main(x: A0 = A0): pass\n`).params).toHaveLength(1);
  });
});
