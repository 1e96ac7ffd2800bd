import { isRequirement } from "../../../core/builds/python-requirements.ts";
import { BuildFailure } from "../build-room.ts";

const HASH = /^--hash=sha(256|384|512):[0-9a-f]+$/;

/**
 * The lock of a Python script is the text of a requirements file: every package with its exact version, and the hashes of its wheels when uv
 * wrote it. The caller may have written it, so only such lines reach uv: options would make it read or fetch what is not a package.
 */
export function readPythonLock(text: string, requirements: string[]): string {
  const lines: string[] = [];
  const names = new Set<string>();
  for (const raw of text.replace(/\\\r?\n/g, " ").split(/\r?\n/)) {
    const line = raw.replace(/(^|\s)#.*$/, "").trim();
    if (line === "") continue;
    const at = line.search(/\s--/);
    const requirement = at === -1 ? line : line.slice(0, at).trim();
    const hashes = at === -1 ? [] : line.slice(at).trim().split(/\s+/);
    if (!isRequirement(requirement) || !/^[^;]*={2,3}/.test(requirement) || !hashes.every((hash) => HASH.test(hash))) {
      throw new BuildFailure(`The lock cannot be used: "${line.slice(0, 200)}" is not a package with its exact version.`);
    }
    lines.push([requirement, ...hashes].join(" "));
    names.add(nameOf(requirement));
  }
  const missing = requirements.find((requirement) => !requirement.includes(";") && !names.has(nameOf(requirement)));
  if (missing !== undefined) {
    throw new BuildFailure(
      `The lock does not contain ${missing}, which the script needs. Save the script without a lock to resolve its packages again.`,
    );
  }
  return `${lines.join("\n")}\n`;
}

/** Names are equal when they differ in case and in the kind of dash alone. */
function nameOf(requirement: string): string {
  const name = /^[\w.-]+/.exec(requirement)?.[0] ?? "";
  return name.toLowerCase().replace(/[-_.]+/g, "-");
}
