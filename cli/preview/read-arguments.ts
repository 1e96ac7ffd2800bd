import { existsSync, readFileSync } from "node:fs";
import { parseExactJson } from "../../contract/json/exact-json.ts";
import { isJsonObject } from "../../contract/json/json-object.ts";
import { UsageError } from "../errors.ts";
import { placeWithoutLinks } from "../project/links.ts";
import type { Project } from "../project/project.ts";

/** The ending of a file with the arguments of previews. */
export const ARGUMENTS = ".args.json";

/** Reads the arguments in the file of a script or flow. Without the file, there are none. Throws `UsageError`. */
export function readArguments({ root }: Pick<Project, "root">, file: string): Record<string, unknown> {
  const fullPath = placeWithoutLinks(root, file);
  if (!existsSync(fullPath)) return {};
  try {
    const value = parseExactJson(readFileSync(fullPath, "utf8"));
    if (isJsonObject(value)) return value;
  } catch (error) {
    throw new UsageError(`${file}: ${(error as Error).message}.`);
  }
  throw new UsageError(`${file}: the arguments must be a JSON object.`);
}
