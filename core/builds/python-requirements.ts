import { isRequirement, removeComment } from "./packages/requirement.ts";
import { python } from "./parsers/python.ts";

/** The requirements that a script lists in comments. */
export interface Requirements {
  /** The complete list of requirements. The imports of the script are ignored. */
  only?: string[];
  /** Requirements in addition to the imports, for packages that are loaded by name, such as database drivers. */
  extra: string[];
  problem?: string;
}

/** Returns the lines of a source. Those that look like comments but are part of a text are empty. */
function readLines(source: string): string[] {
  const comments = new Set<number>();
  python.parse(source).iterate({ enter: ({ name, from }) => void (name === "Comment" && comments.add(from)) });
  let from = 0;
  return source.split("\n").map((line) => {
    const isText = line.startsWith("#") && !comments.has(from);
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
