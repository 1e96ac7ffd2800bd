/** Returns a text of about this size. */
export type Build = (size: number) => string;

/** Repeats a text. */
export const repeat =
  (text: string): Build =>
  (size) =>
    text.repeat(Math.ceil(size / text.length));

/** Opens as often as it closes. */
export const nest =
  (open: string, close: string, inner = ""): Build =>
  (size) => {
    const times = Math.ceil(size / (open.length + close.length));
    return `${open.repeat(times)}${inner}${close.repeat(times)}`;
  };

/** Puts a text before and after another one. */
export const between =
  (before: string, build: Build, after: string | Build = ""): Build =>
  (size) =>
    `${before}${build(size)}${typeof after === "string" ? after : after(size)}`;

/** Joins texts that differ by their numbers. */
export const numbered =
  (make: (index: number) => string): Build =>
  (size) =>
    Array.from({ length: Math.ceil(size / make(size).length) }, (_, index) => make(index)).join("");

/** Repeats each text alone, and in turn with each other one: `aaa…`, `ababab…`. */
export function mix(...texts: string[]): Record<string, Build> {
  const pairs = texts.flatMap((one, at) => texts.slice(at).map((other) => (one === other ? one : one + other)));
  return Object.fromEntries(pairs.map((text) => [JSON.stringify(text), repeat(text)]));
}

/** Declares five names, each of which refers to the next one many times. */
export const levels =
  (declare: (at: number, inner: string) => string, refer: (at: number) => string): Build =>
  (size) =>
    Array.from({ length: 5 }, (_, at) => declare(at, refer(at + 1).repeat(size / (5 * refer(1).length)))).join("\n");
