import type { Param, ParsedSignature } from "../parsed-signature.ts";
import { type BashAssignment, readBashAssignments } from "./assignments.ts";

/** Parses the names that a script gives to its positional arguments. A position without a name is called `arg1`, `arg2` and so on. */
export function parseBashSignature(source: string): ParsedSignature {
  const byPosition = new Map<number, Param>();
  for (const assignment of readBashAssignments(source)) {
    const argument = readArgument(assignment);
    if (!argument || argument.position === 0 || argument.position > 255 || byPosition.has(argument.position)) continue;
    const { name } = assignment;
    const { position, hasDefault, value } = argument;
    const defaultField = value === undefined ? {} : { default: value };
    byPosition.set(position, { name, type: { type: "string" }, hasDefault, ...defaultField, required: !hasDefault });
  }
  const last = Math.max(0, ...byPosition.keys());
  const params = Array.from({ length: last }, (_, at): Param => {
    return byPosition.get(at + 1) ?? { name: `arg${at + 1}`, type: { type: "string" }, hasDefault: false, required: false };
  });
  const none = { hasPreprocessor: false, preprocessorParams: null };
  return { ok: true, params, hasMain: true, ...none, variadic: false, destructured: false, paramTypes: {} };
}

interface Argument {
  position: number;
  hasDefault: boolean;
  /** `undefined`: the shell must evaluate the default. */
  value?: string | undefined;
}

/** Reads `$1`, `"${2:-default}"`, `${3-default}`, and changes of an argument such as `${1,,}`. */
function readArgument({ value, shifted }: BashAssignment): Argument | undefined {
  const quoted = value.length > 1 && value.startsWith('"') && value.endsWith('"');
  const expression = quoted ? value.slice(1, -1) : value;
  const plain = /^\$(\d)$/.exec(expression)?.[1];
  const [, braced, rest = ""] = /^\$\{(\d+)([\s\S]*)\}$/.exec(expression) ?? [];
  const written = plain ?? braced;
  if (written === undefined || Number(written) === 0) return;
  const position = Number(written) + shifted;
  const text = /^:?[-=]([\s\S]*)$/.exec(rest)?.[1];
  // `${1:+x}` and a part of an argument (`${1:0:3}`) are not the argument itself.
  if (text === undefined && /^:?\+|^:[^?]/.test(rest)) return;
  return text === undefined ? { position, hasDefault: false } : { position, hasDefault: true, value: removeQuotes(text, quoted) };
}

/** Returns the text of a default without its quotes, or `undefined` if the shell must evaluate it. */
function removeQuotes(text: string, inQuotes: boolean): string | undefined {
  let found = "";
  let quote = "";
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at);
    const isDouble = inQuotes !== (quote === '"');
    if (quote === "'") {
      if (char === "'") quote = "";
      else found += char;
    } else if (char === "\\") {
      const next = text.charAt(++at);
      // In double quotes, a backslash escapes only these characters.
      found += isDouble && !/[$`"\\}\n]/.test(next) ? `\\${next}` : next === "\n" ? "" : next;
    } else if (char === '"') quote = quote === '"' ? "" : '"';
    else if (char === "'" && !isDouble) quote = "'";
    else if (char === "$" || char === "`" || (char === "~" && at === 0 && !isDouble)) return;
    else found += char;
  }
  return found;
}
