/**
 * Returns whether a glob matches the complete path. `**` matches any text, `*` any text without "/", and `?` one character except "/". A "/**"
 * at the end also matches the path before it, as in shells. The time is at most the product of the two lengths: for each character of the
 * glob, one pass computes the positions of the path that the glob can reach.
 */
export function matchesGlob(glob: string, path: string): boolean {
  if (glob.endsWith("/**") && matchesGlob(glob.slice(0, -"/**".length), path)) return true;
  let reached = new Uint8Array(path.length + 1);
  reached[0] = 1;
  for (let at = 0; at < glob.length; at += 1) {
    const isDeep = glob.startsWith("**", at);
    reached = isDeep || glob[at] === "*" ? spread(reached, path, isDeep) : advance(reached, path, glob[at]);
    if (isDeep) at += 1;
  }
  return reached[path.length] === 1;
}

/** Reaches every position after a reached one, up to the next "/" unless `isDeep`. */
function spread(reached: Uint8Array, path: string, isDeep: boolean) {
  const next = new Uint8Array(reached.length);
  for (let position = 0; position < reached.length; position += 1) {
    const isBehind = position > 0 && next[position - 1] === 1 && (isDeep || path[position - 1] !== "/");
    next[position] = reached[position] === 1 || isBehind ? 1 : 0;
  }
  return next;
}

/** Reaches the position after each reached one whose character matches. */
function advance(reached: Uint8Array, path: string, character: string | undefined) {
  const next = new Uint8Array(reached.length);
  for (let position = 0; position < path.length; position += 1) {
    const fits = character === "?" ? path[position] !== "/" : path[position] === character;
    if (fits && reached[position] === 1) next[position + 1] = 1;
  }
  return next;
}
