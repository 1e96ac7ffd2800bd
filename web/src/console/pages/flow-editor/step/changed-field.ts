/**
 * Returns the path of the text or number that differs between two versions, so that the letters of a text are one step back. Undefined: they
 * differ in another way, such as an added option, which is a separate step.
 */
export function changedField(before: unknown, after: unknown, path = ""): string | undefined {
  if (typeof before !== "object" || typeof after !== "object" || before === null || after === null) {
    const isTyped = typeof before === typeof after && (typeof after === "string" || typeof after === "number");
    return isTyped ? path : undefined;
  }
  const [old, next] = [before as Record<string, unknown>, after as Record<string, unknown>];
  const names = Object.keys(next);
  if (names.length !== Object.keys(old).length || !names.every((name) => Object.hasOwn(old, name))) return undefined;
  const [changed, ...more] = names.filter((name) => old[name] !== next[name]);
  return changed === undefined || more.length > 0 ? undefined : changedField(old[changed], next[changed], `${path}.${changed}`);
}
