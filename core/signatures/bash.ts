import type { Param, ParsedSignature } from "./parsed-signature.ts";

/** `name="$1"`, `name="${2:-default}"`, `name=${3-default}`, also behind `local`, `export`, `readonly` or `declare`. */
const ASSIGNMENT =
  /^[ \t]*(?:(?:local|export|readonly|declare(?:[ \t]+-\w+)*)[ \t]+)?([A-Za-z_]\w*)=(["']?)\$(?:(\d+)|\{(\d+)(?:(:?[-=?])((?:[^}\\\n]|\\.)*))?\})\2[ \t]*(?:[;#].*)?$/gm;

/** Parses the names that a script gives to its positional arguments. A position without a name is called `arg1`, `arg2` and so on. */
export function parseBashSignature(source: string): ParsedSignature {
  const byPosition = new Map<number, Param>();
  for (const [, name = "", , plain, braced, operator, text] of source.matchAll(ASSIGNMENT)) {
    const position = Number(plain ?? braced);
    if (position === 0 || position > 255 || byPosition.has(position)) continue;
    const hasDefault = operator !== undefined && !operator.endsWith("?");
    const value = (text ?? "").replace(/^(["'])([\s\S]*)\1$/, "$2");
    // The value of a default that the shell must evaluate is unknown.
    const known = hasDefault && !/[$`]/.test(value);
    byPosition.set(position, { name, type: { type: "string" }, hasDefault, ...(known && { default: value }), required: !hasDefault });
  }
  const last = Math.max(0, ...byPosition.keys());
  const params = Array.from({ length: last }, (_, at): Param => {
    return byPosition.get(at + 1) ?? { name: `arg${at + 1}`, type: { type: "string" }, hasDefault: false, required: false };
  });
  const none = { hasPreprocessor: false, preprocessorParams: null };
  return { ok: true, params, hasMain: true, ...none, variadic: false, destructured: false, paramTypes: {} };
}
