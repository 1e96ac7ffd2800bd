/**
 * Returns the input of an iteration of a loop. The `iter` of an inner loop hides that of the outer one, which becomes `iter_parent`, and so on. An
 * iteration of a while loop has its index as its value.
 */
export function addIteration(
  input: Readonly<Record<string, unknown>>,
  iteration: { index: number; value?: unknown },
): Record<string, unknown> {
  const next: Record<string, unknown> = { ...input };
  let name = "iter";
  let value: unknown = iteration;
  for (;;) {
    const hidden = next[name];
    next[name] = value;
    if (hidden === undefined) return next;
    value = hidden;
    name = name === "iter" ? "iter_parent" : `${name}_parent`;
  }
}
