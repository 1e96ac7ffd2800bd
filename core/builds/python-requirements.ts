import { parser } from "@lezer/python";

/** The requirements that a script lists in comments. */
export interface Requirements {
  /** The complete list of requirements. The imports of the script are ignored. */
  only?: string[];
  /** Requirements in addition to the imports, for packages that are loaded by name, such as database drivers. */
  extra: string[];
  problem?: string;
}

/**
 * A requirement may contain a distribution of the registry, extras, versions and a marker. Options (`-r`, `-e`, `--index-url`), paths, URLs
 * and version control are rejected, because each would make the build read or fetch content from outside the registry.
 */
const REQUIREMENT =
  /^[A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?\s*(?:\[[\w\s,.-]*\])?\s*(?:\(?\s*(?:===|==|~=|!=|<=|>=|<|>)\s*[\w.*+!-]+(?:\s*,\s*(?:===|==|~=|!=|<=|>=|<|>)\s*[\w.*+!-]+)*\s*\)?)?\s*(?:;[\w\s.'"()<>=!~-]+)?$/;

/** Returns whether a text is a valid requirement of at most 1000 characters. */
export function isRequirement(text: string): boolean {
  // Repeated spaces are collapsed, because the pattern would backtrack over every way to divide them.
  return text.length <= 1000 && REQUIREMENT.test(text.replace(/\s+/g, " "));
}

/** Returns the lines of a source. Those that look like comments but are part of a text are empty. */
function readLines(source: string): string[] {
  const tree = parser.parse(source);
  let from = 0;
  return source.split("\n").map((line) => {
    const isText = line.startsWith("#") && tree.resolveInner(from, 1).name !== "Comment";
    from += line.length + 1;
    return isText ? "" : line.replace(/\r$/, "");
  });
}

/** Reads `# /// script` metadata (PEP 723), and the comment blocks that begin with `# requirements:` and `# extra_requirements:`. */
export function readRequirements(source: string): Requirements {
  const lines = readLines(source);
  const inline = inlineMetadata(lines);
  const only = inline ?? commentBlock(lines, /^#\s*requirements:(.*)$/i);
  const extra = commentBlock(lines, /^#\s*extra_requirements:(.*)$/i) ?? [];
  const wrong = [...(only ?? []), ...extra].find((requirement) => !isRequirement(requirement));
  return {
    ...(only && { only: [...only, ...extra] }),
    extra,
    ...(wrong !== undefined && {
      problem: `"${wrong.slice(0, 200)}" is not a valid requirement: write the name of a package, optionally with a version`,
    }),
  };
}

function commentBlock(lines: string[], start: RegExp): string[] | undefined {
  const first = lines.findIndex((line) => start.test(line));
  if (first === -1) return;
  const texts = [start.exec(lines[first] ?? "")?.[1] ?? ""];
  for (const line of lines.slice(first + 1)) {
    if (!line.startsWith("#") || /^#\s*\w+:(?!\/)/.test(line)) break;
    texts.push(line.slice(1));
  }
  return texts.map((text) => removeComment(text).trim()).filter((text) => text !== "" && !text.startsWith("#"));
}

/** Removes a comment at the end of a line: a `#` at its beginning or after a space. */
export function removeComment(line: string): string {
  const at = line.search(/(?:^|\s)#/);
  return at === -1 ? line : line.slice(0, at);
}

/** Reads only `dependencies` of the TOML: an array of strings on one or several lines. */
function inlineMetadata(lines: string[]): string[] | undefined {
  const first = lines.findIndex((line) => /^# \/\/\/ script\s*$/.test(line));
  const length = lines.slice(first + 1).findIndex((line) => /^# \/\/\/\s*$/.test(line));
  if (first === -1 || length === -1) return;
  const toml = lines.slice(first + 1, first + 1 + length).map((line) => line.replace(/^# ?/, ""));
  const text = toml.join("\n");
  const start = /^dependencies\s*=\s*\[/m.exec(text);
  if (!start) return [];
  const found: string[] = [];
  const token = /"((?:[^"\\]|\\.)*)"|'([^']*)'|#[^\n]*|[\s,]+|(\])/y;
  token.lastIndex = start.index + start[0].length;
  for (let match = token.exec(text); match && match[3] === undefined; match = token.exec(text)) {
    const value = match[1]?.replace(/\\(.)/g, "$1") ?? match[2];
    if (value !== undefined) found.push(value.trim());
  }
  return found;
}
