import { createHash } from "node:crypto";
import { readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { toCanonicalJson } from "../../contract/json/canonical-json.ts";
import { parseExactJson } from "../../contract/json/exact-json.ts";
import { isJsonObject } from "../../contract/json/json-object.ts";
import type { Codebase } from "../../core/sync/config/config.ts";
import type { Context } from "../context.ts";
import { configFile, writeConfigFile } from "../profiles/profiles.ts";

const FILE = "bundlers.json";

/** The number of versions of a bundler between which a person may switch, for example by git branches, without another question. */
const KEPT = 20;

/**
 * Asks whether the programs that bundle codebases may run, once for each folder and each version of a program and its configuration. `--yes` answers for this
 * command alone. esbuild needs no consent: it executes nothing of a repository. Throws `CommandError` without consent.
 */
export async function requireConsent(
  context: Pick<Context, "confirm" | "flags">,
  root: string,
  codebases: Iterable<Codebase>,
): Promise<void> {
  if (context.flags.yes) return;
  for (const codebase of new Set(codebases)) {
    const { customBundler, relative_path: folder } = codebase;
    if (customBundler === undefined) continue;
    const directory = join(realpathSync(root), folder);
    const hash = hashBundler(root, customBundler, codebase);
    if (readConsents(directory).includes(hash)) continue;
    await context.confirm(`Run the program ${customBundler} of this repository, which bundles ${folder}? It can do whatever you can do.`);
    const consents = [...readConsents(directory), hash].slice(-KEPT);
    writeConfigFile(FILE, `${JSON.stringify({ ...readAll(), [directory]: consents }, undefined, 2)}\n`);
  }
}

function hashBundler(root: string, program: string, codebase: Codebase): string {
  const hash = createHash("sha256").update(toCanonicalJson(codebase)).update("\n");
  return hash.update(readFileSync(join(root, program))).digest("hex");
}

/** An unreadable file contains no consent. */
function readAll(): Record<string, unknown> {
  try {
    const all = parseExactJson(readFileSync(configFile(FILE), "utf8"));
    return isJsonObject(all) ? all : {};
  } catch {
    return {};
  }
}

function readConsents(directory: string): string[] {
  const all = readAll();
  const found = Object.hasOwn(all, directory) ? all[directory] : undefined;
  return Array.isArray(found) ? found.map(String) : [];
}
