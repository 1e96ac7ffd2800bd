import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { bodies, checkedBodies } from "./bodies.ts";
import { chats } from "./chats.ts";
import { files } from "./files.ts";
import { type CostCase, findGrowth } from "./growth.ts";
import { heads } from "./heads.ts";
import { repeat } from "./shapes.ts";
import { sources } from "./sources.ts";
import { texts } from "./texts.ts";

// The measurement of all parsers of sources takes 10 s of a processor, and several times as long on a shared machine.
vi.setConfig({ testTimeout: 240_000 });

const root = join(import.meta.dirname, "../../..");

/** A function that reads a text or bytes, by the names that such functions have here. */
const PARSER =
  /^export (?:async )?(?:function|const) ((?:parse|tryParse|decode|read)[A-Z]\w*)(?: = )?(?:async )?\(\s*(?:\w+|\{[^}]*\}): (?:string|Buffer|Uint8Array)\b/gm;
/** Parsers that only others call, each with its caller among the cases. */
const INSIDE_OTHERS: Readonly<Record<string, string>> = {
  parseExactJson: "parseJson",
  parseBashSignature: "parseSignature",
  parseGoSignature: "parseSignature",
  parsePythonSignature: "parseSignature",
  parseTypescriptSignature: "parseSignature",
  readBashAssignments: "parseSignature",
  readEnum: "parseSignature",
  readEnumMembers: "parseSignature",
  readQuotedText: "parseSignature",
  readTar: "readBundleFiles",
  parseSimple: "its text is the name of a kind",
  parseReadableSimple: "its text is the name of a kind",
  readValue: "its text is a response of the service, which it parses once",
  parseJournalRef: "its text is one that this service wrote",
  parseS3Resource: "its text is a path that was checked",
};

describe("the list of parsers", () => {
  const cases = globSync("*.ts", { cwd: import.meta.dirname })
    .map((file) => readFileSync(join(import.meta.dirname, file), "utf8"))
    .join("\n");
  const parsers = globSync("{contract,core,functions,services}/**/*.ts", { cwd: root, exclude: ["**/node_modules/**", "**/*.test.ts"] })
    .flatMap((file) => [...readFileSync(join(root, file), "utf8").matchAll(PARSER)])
    .flatMap(([, name]) => name ?? []);

  it("has a case for each function that reads a text", () => {
    expect(parsers.length).toBeGreaterThan(50);
    expect(parsers.filter((name) => !Object.hasOwn(INSIDE_OTHERS, name) && !new RegExp(`\\b${name}\\b`).test(cases))).toEqual([]);
  });

  it("names no function that was removed", () => {
    expect(Object.keys(INSIDE_OTHERS).filter((name) => !parsers.includes(name))).toEqual([]);
  });
});

/** A parser does not share its time with other tests, so the cases run one after the other. */
async function findAllGrowth(cases: readonly CostCase[]): Promise<string[]> {
  const found: string[] = [];
  for (const one of cases) found.push(...[(await findGrowth(one)) ?? []].flat());
  return found;
}

describe("the work of every parser grows at most as n log n with its input:", () => {
  it.each(Object.entries({ bodies, checkedBodies, chats, heads, sources, files, texts }))("%s", async (_, cases) => {
    expect(await findAllGrowth(cases)).toEqual([]);
  });
});

describe("the measurement", () => {
  const countTo = (most: number) => {
    let sum = 0;
    for (let at = 0; at < most; at += 1) sum += at % 7;
    return sum;
  };
  const aCase = (parse: (text: string) => unknown): CostCase => ({ what: "a parser", most: 256 * 1024, build: repeat("a"), parse });

  it("finds quadratic work, and no linear work", async () => {
    expect(await findGrowth(aCase(({ length }) => countTo(length ** 2 / 4)))).toContain("a parser");
    expect(await findGrowth(aCase(({ length }) => countTo(length * 400)))).toBeUndefined();
  });

  it("finds quadratic work before a refusal", async () => {
    const refuse = (text: string) => {
      throw new Error(String(countTo(text.length ** 2 / 4)));
    };
    expect(await findGrowth(aCase(refuse))).toContain("a parser");
  });
});
