import { BuildFailure } from "../build-sandbox.ts";

/** The lock of a Go script consists of go.mod, a line `//go.sum`, and go.sum. A script without modules has an empty lock. */
const SEPARATOR = "\n//go.sum\n";
const REQUIREMENT = /^([\w./~-]+) (v\d[\w.+-]*)( \/\/ indirect)?$/;
const SUM = /^[\w./~!-]+ v\d[\w.+-]*(\/go\.mod)? h1:[\w+/=]+$/;

/** Returns the lock with these texts of go.mod and go.sum. */
export function writeGoLock(mod: string, sum: string): string {
  return `${mod.trimEnd()}${SEPARATOR}${sum}`;
}

/**
 * Reads a lock, which the caller may have written. Only its requirements are used, because `replace` could name any folder of this machine.
 * Throws `BuildFailure`.
 */
export function readGoLock(text: string, module: string): { mod: string; sum: string } {
  const at = text.indexOf(SEPARATOR);
  if (at === -1) throw lockFailure("it must be a go.mod, a line //go.sum, and the text of a go.sum");
  const requirements: string[] = [];
  let version = "";
  for (const raw of text.slice(0, at).split("\n")) {
    const line = raw.trim().replace(/^require /, "");
    if (line === "" || line === "require (" || line === "(" || line === ")" || /^(module|toolchain) /.test(line)) continue;
    if (/^go \d[\w.]*$/.test(line)) version = `${line}\n`;
    else if (REQUIREMENT.test(line)) requirements.push(`require ${line}\n`);
    else throw lockFailure(`"${line.slice(0, 200)}" in its go.mod is not a valid module requirement`);
  }
  const sums = text
    .slice(at + SEPARATOR.length)
    .split("\n")
    .filter(Boolean);
  const wrong = sums.find((line) => !SUM.test(line));
  if (wrong !== undefined) throw lockFailure(`"${wrong.slice(0, 200)}" in its go.sum is not a valid checksum`);
  return { mod: `module ${module}\n${version}${requirements.join("")}`, sum: sums.map((line) => `${line}\n`).join("") };
}

function lockFailure(reason: string): BuildFailure {
  return new BuildFailure(`The lock cannot be used: ${reason}. Save the script without a lock to resolve its modules again.`);
}
