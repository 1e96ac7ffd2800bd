import { describe, expect, it } from "vitest";
import { runnableLanguages } from "../../../../../../../contract/languages.ts";
import { parseSignature } from "../../../../../../../core/signatures/signature.ts";
import { readSchema } from "./read-schema.ts";

const sources = ["export function main(a: string) {}", "def main(a: str):\n    pass", "package inner\nfunc main(a string) {}", 'a="$1"'];

describe("the inputs of inline code", () => {
  it.each(runnableLanguages)("of %s are read as the service reads them", (language) => {
    const found = sources.map((source) => readSchema(language, source) !== undefined);
    expect(found).toEqual(
      sources.map((source) => {
        const signature = parseSignature(language, source);
        return signature.ok && signature.hasMain;
      }),
    );
  });

  it("of a language without a parser are unknown", () => {
    expect(readSchema("postgresql", "select 1")).toBeUndefined();
  });
});
