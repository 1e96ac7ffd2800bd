import { existsSync, readFileSync } from "node:fs";
import path from "node:path";

/** Written by engine/engine/patches/function_roles.py: one refused request per line. */
const fileOf = (instanceDir: string) => path.join(instanceDir, "engine", "denied-requests.jsonl");

/** The end of the names that tests invent for a resource that does not exist. No role allows them, on AWS neither. */
export const MISSING = "-gone";

interface Denied {
  function: string;
  action: string;
  resource: string | null;
  sentence: string;
}

/** Throws one sentence for each function and action that the engine refused, because AWS would refuse them too. */
export function assertNoDeniedRequests(instanceDir: string): void {
  const file = fileOf(instanceDir);
  if (!existsSync(file)) return;
  const denied = readFileSync(file, "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Denied)
    .filter(({ resource }) => !resource?.endsWith(MISSING));
  const sentences = new Map(denied.map((entry) => [`${entry.function} ${entry.action}`, entry.sentence]));
  if (sentences.size > 0) throw new Error(`Functions sent requests that AWS would refuse:\n${[...sentences.values()].join("\n")}`);
}
