import { createHash } from "node:crypto";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { SvcError } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import { write } from "../../core/objects/write.ts";
import { tempSourceObject } from "../../core/scripts/temp-source.ts";
import { workspaceObject } from "../../core/workspaces/workspace.ts";
import type { Uses } from "../uses.ts";

/** Each part of a source in base64. An item holds at most 400 KB. */
const PART_CHARS = 300_000;
/** The first part expires before the others, so that a source is found whole or not at all. */
const OTHER_PARTS_S = 3600;

/** Returns the SHA-256 of a source in hexadecimal. */
export const hashSource = (source: string): string => createHash("sha256").update(source).digest("hex");

/**
 * Stores a source for a day and returns its hash. Storing it again prolongs the time. Throws `script.tooLarge` and `workspace.notFound`. The first part is written last,
 * so that a process that dies in between leaves nothing that can be found.
 */
export async function storeTempSource({ objects, nowMs }: Uses<"objects" | "nowMs">, workspace: string, source: string): Promise<string> {
  const bytes = Buffer.from(source);
  if (bytes.length > limits.scriptBytes) throw new SvcError("script.tooLarge", { limitBytes: limits.scriptBytes });
  const hash = hashSource(source);
  const packed = deflateRawSync(bytes).toString("base64");
  const parts = Math.max(1, Math.ceil(packed.length / PART_CHARS));
  const expiresAtS = Math.ceil((nowMs() + limits.tempScriptMs) / 1000);
  const partAt = (part: number) => packed.slice(part * PART_CHARS, (part + 1) * PART_CHARS);
  for (let part = parts - 1; part > 0; part -= 1) {
    const value = { base64: partAt(part) };
    await objects.put({ ...tempSourceObject.key(workspace, hash, part), value, expiresAtS: expiresAtS + OTHER_PARTS_S });
  }
  const first = write.put({ ...tempSourceObject.key(workspace, hash, 0), value: { base64: partAt(0), parts }, expiresAtS });
  const refused = await objects.transactWrite([write.check(workspaceObject.key(workspace), "present"), first]);
  if (refused !== undefined) throw new SvcError("workspace.notFound", { workspace });
  return hash;
}

/** Returns a source by its hash, or `undefined` if the workspace does not store it (any longer). */
export async function loadTempSource({ objects }: Uses<"objects">, workspace: string, hash: string): Promise<string | undefined> {
  const first = await objects.get(tempSourceObject.key(workspace, hash, 0));
  if (!first) return undefined;
  const { base64, parts = 1 } = tempSourceObject.parse(first);
  let packed = base64;
  for (let part = 1; part < parts; part += 1) {
    const found = await objects.get(tempSourceObject.key(workspace, hash, part));
    if (!found) return undefined;
    packed += tempSourceObject.parse(found).base64;
  }
  return inflateRawSync(Buffer.from(packed, "base64"), { maxOutputLength: limits.scriptBytes }).toString();
}
