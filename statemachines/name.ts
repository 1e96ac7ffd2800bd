import { createHash } from "node:crypto";
import type { Definition } from "./asl.ts";

/** What a machine is found by: the stack's name, for when that goes; the rest is for who looks at it as well. */
export function machineTags(stack: string, workspace: string): Record<string, string> {
  return { ...stackTag(stack), "svc:workspace": workspace };
}
export const stackTag = (stack: string): Record<string, string> => ({ svc: stack });

const PREFIX = "svc-";
export const machinePrefix = (workspace?: string) => (workspace === undefined ? PREFIX : `${PREFIX}${workspace}-`);
const PATH_CHARS = 80 - "svc---12345678".length;

/**
 * `svc-<workspace>-<path>-<8 hex digits of the definition>`: equal definitions at one path share one machine. At most 80 characters, the path cut in the
 * middle. `spare`: another name, for when the machine of the first one is just being deleted.
 */
export function machineName(workspace: string, path: string, definition: Definition, { spare = false } = {}): string {
  const digest = createHash("sha256")
    .update(`${JSON.stringify(definition)}${spare ? "spare" : ""}`)
    .digest("hex")
    .slice(0, 8);
  const room = PATH_CHARS - workspace.length;
  const clean = path.replaceAll(/[^A-Za-z0-9_-]/g, "-");
  const cut = clean.length <= room ? clean : `${clean.slice(0, Math.ceil(room / 2) - 1)}--${clean.slice(-(Math.floor(room / 2) - 1))}`;
  return `${machinePrefix(workspace)}${cut}-${digest}`;
}
