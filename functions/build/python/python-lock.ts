import { isRequirement, removeComment } from "../../../core/builds/packages/requirement.ts";
import { BuildFailure } from "../build-sandbox.ts";

const HASH = /^--hash=sha(256|384|512):[0-9a-f]+$/;

/**
 * Reads the lock of a Python script, a requirements file with an exact version of every package, and the hashes of its wheels if uv wrote
 * it. The caller may have written it, so only such lines are passed to uv: options could make it read or download other content. Throws
 * `BuildFailure`.
 */
export function readPythonLock(text: string, requirements: string[]): string {
  const lines: string[] = [];
  const names = new Set<string>();
  for (const raw of text.replace(/\\\r?\n/g, " ").split(/\r?\n/)) {
    const line = removeComment(raw).trim();
    if (line === "") continue;
    const at = line.search(/\s--/);
    const requirement = at === -1 ? line : line.slice(0, at).trim();
    const hashes = at === -1 ? [] : line.slice(at).trim().split(/\s+/);
    if (!isRequirement(requirement) || !/^[^;]*={2,3}/.test(requirement) || !hashes.every((hash) => HASH.test(hash))) {
      throw new BuildFailure(
        `The lock cannot be used: "${line.slice(0, 200)}" is not a package with its exact version. Save the script without a lock to resolve its packages again.`,
      );
    }
    lines.push([requirement, ...hashes].join(" "));
    names.add(normalizeName(requirement));
  }
  const missing = requirements.find((requirement) => !requirement.includes(";") && !names.has(normalizeName(requirement)));
  if (missing !== undefined) {
    throw new BuildFailure(
      `The lock does not contain ${missing}, which the script needs. Save the script without a lock to resolve its packages again.`,
    );
  }
  return `${lines.join("\n")}\n`;
}

/** Names are equal if they differ only in case and in the kind of dash. */
function normalizeName(requirement: string): string {
  const name = /^[\w.-]+/.exec(requirement)?.[0] ?? "";
  return name.toLowerCase().replace(/[-_.]+/g, "-");
}
