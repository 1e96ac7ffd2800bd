import { Document, isScalar, LineCounter, parseDocument, Scalar, type ScalarTag, visit } from "yaml";
import type { FileProblem } from "../item.ts";

/** The sort keys of these fields, so that a file begins with its most important fields. Other fields are sorted by name. */
const sortNames: ReadonlyMap<string, string> = new Map([
  ["id", "aa"],
  ["version", "aaa"],
  ["type", "ab"],
  ["summary", "ad"],
  ["name", "ae"],
  ["display_name", "af"],
  ["description", "ag"],
  ["value", "ah"],
  ["content", "ai"],
  ["modules", "aj"],
  ["failure_module", "ak"],
  ["input_transforms", "al"],
  ["lock", "az"],
  ["locks", "azz"],
]);
const sortName = (key: unknown): string => sortNames.get(String(key)) ?? String(key);

/** Line ends that a block would change, and characters that parsers may refuse outside of double quotes. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what the pattern is for.
const NEEDS_ESCAPES = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/;

/** Formats a JSON value as a file of a workspace: sorted keys, single quotes, no aliases. Equal values produce equal texts. */
export function formatYaml(value: unknown): string {
  const document = new Document(value, { aliasDuplicateObjects: false, sortMapEntries: bySortName, compat: "yaml-1.1" });
  visit(document, {
    Scalar(_, node) {
      if (typeof node.value === "string" && NEEDS_ESCAPES.test(node.value)) node.type = Scalar.QUOTE_DOUBLE;
    },
  });
  return document.toString({ lineWidth: 0, singleQuote: true });
}

function bySortName(a: { key: unknown }, b: { key: unknown }): number {
  const [left, right] = [sortName(keyOf(a)), sortName(keyOf(b))];
  return left < right ? -1 : left > right ? 1 : 0;
}
const keyOf = ({ key }: { key: unknown }): unknown => (isScalar(key) ? key.value : key);

/** Some editors write references to files as a tag instead of a text. Both are equivalent. */
const inlineTag: ScalarTag = { tag: "!inline", resolve: (file) => `!inline ${file}` };

/** The maximum number of aliases in a file. Files that this service writes have none. */
const MAX_ALIASES = 100;

/** Nested complex keys, for which the parser takes minutes. Files that this service writes have none. */
const NESTED_KEYS = /(?:\?\s+){10}/;

/** Parses a YAML file. Returns the value, or the first problem with its position. */
export function parseYaml(file: string, text: string): { value: unknown } | { problem: FileProblem } {
  if (NESTED_KEYS.test(text)) return { problem: { file, message: "keys that begin with a question mark are nested too deeply" } };
  const lines = new LineCounter();
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    // The parser would compare each key with all previous ones.
    uniqueKeys: false,
    customTags: [inlineTag],
    intAsBigInt: true,
  });
  // A warning concerns a tag without a meaning here, which the parser would ignore.
  const [error] = [...document.errors, ...document.warnings];
  if (error) {
    const { line, col } = lines.linePos(error.pos[0]);
    return { problem: { file, line, column: col, message: firstLine(error.message) } };
  }
  const repeated = findRepeatedKey(document);
  if (repeated !== undefined) {
    const { line, col } = lines.linePos(repeated);
    return { problem: { file, line, column: col, message: "Map keys must be unique" } };
  }
  // Only a whole number that a double cannot hold remains a BigInt, as in `parseExactJson`.
  visit(document, {
    Scalar(_, node) {
      if (typeof node.value === "bigint" && String(Number(node.value)) === String(node.value)) node.value = Number(node.value);
    },
  });
  try {
    return { value: document.toJS({ maxAliasCount: MAX_ALIASES }) ?? null };
  } catch (thrown) {
    return { problem: { file, message: firstLine((thrown as Error).message) } };
  }
}

/** Returns the position of a duplicate key. */
function findRepeatedKey(document: Document.Parsed): number | undefined {
  let at: number | undefined;
  visit(document, {
    Map(_, { items }) {
      const seen = new Set<unknown>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        if (seen.has(key.value)) {
          at = key.range?.[0];
          return visit.BREAK;
        }
        seen.add(key.value);
      }
      return undefined;
    },
  });
  return at;
}

const firstLine = (text: string): string => text.split("\n")[0] ?? text;
