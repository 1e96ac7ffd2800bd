/** A part of the path of an HTTP route: a text, `:name` for any one part, or a final `*name` for all remaining parts. */
export type RouteSegment = { kind: "text"; text: string } | { kind: "one" | "rest"; name: string };

/** The maximum number of parts of a path. A request reads one item for each leading part of its path. */
const PARTS = 20;
const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,62}$/;
/** Characters that are written as they are in a URL, and letters of any language. */
const TEXT = /^[\p{L}\p{N}._~!$&'()+,;=@-]+$/u;

/** Parses the path of a route, with or without a leading slash. Returns a sentence if it is invalid. */
export function parseRoutePath(path: string): readonly RouteSegment[] | string {
  const parts = path.replace(/^\//, "").split("/");
  if (parts.length > PARTS) return `has more than ${PARTS} parts`;
  const segments: RouteSegment[] = [];
  const names = new Set<string>();
  for (const [index, part] of parts.entries()) {
    const position = `part ${index + 1}`;
    if (part === "") return `has an empty part (${position})`;
    const kind = part.startsWith(":") ? "one" : part.startsWith("*") ? "rest" : "text";
    if (kind === "text") {
      if (part === "." || part === ".." || !TEXT.test(part)) return `has characters that are not allowed in ${position}`;
      segments.push({ kind, text: part });
      continue;
    }
    const name = part.slice(1);
    if (!NAME.test(name)) return `must name ${position} with letters, digits and '_', such as :id`;
    if (names.has(name)) return `uses the name ${name} twice`;
    if (kind === "rest" && index < parts.length - 1) return `may have '*' only in its last part, not in ${position}`;
    names.add(name);
    segments.push({ kind, name });
  }
  return segments;
}
