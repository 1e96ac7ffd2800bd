import { createHash } from "node:crypto";
import { buildMachinePrefix } from "../contract/deployment/stack-names.ts";
import type { Definition } from "./asl.ts";

/** Returns the tags of a machine. The stack's name identifies the machines to delete with the stack; the others are for people. */
export function buildMachineTags(stack: string, workspace: string): Record<string, string> {
  return { ...buildStackTag(stack), "svc:workspace": workspace };
}
/** Returns the tag of all machines of a stack. */
export const buildStackTag = (stack: string): Record<string, string> => ({ svc: stack });

/** The maximum of Step Functions. */
const NAME_CHARS = 80;
/** 64 bits, so that two definitions cannot be made to share a name. */
const DIGEST_CHARS = 16;
/** A shorter part of a path identifies nothing and is omitted. */
const MIN_PATH_CHARS = 6;

/**
 * Returns `svc-<workspace>-<path>-<16 hex digits of the definition's hash>`, so that equal definitions at one path share one machine. The name has
 * at most 80 characters; the middle of a long path is omitted, or the whole path. `spare`: another name, if the machine with the first name is being deleted
 * or has another definition.
 */
export function buildMachineName(
  { stack, workspace, path }: { stack: string; workspace: string; path: string },
  definition: Definition,
  { spare = false } = {},
): string {
  const digest = createHash("sha256")
    .update(`${JSON.stringify(definition)}${spare ? "spare" : ""}`)
    .digest("hex")
    .slice(0, DIGEST_CHARS);
  const prefix = buildMachinePrefix(stack, workspace);
  const room = NAME_CHARS - (prefix.length + "-".length + DIGEST_CHARS);
  if (room < MIN_PATH_CHARS) return `${prefix}${digest}`;
  const clean = path.replaceAll(/[^A-Za-z0-9_-]/g, "-");
  const cut = clean.length <= room ? clean : `${clean.slice(0, Math.ceil(room / 2) - 1)}--${clean.slice(-(Math.floor(room / 2) - 1))}`;
  return `${prefix}${cut}-${digest}`;
}
