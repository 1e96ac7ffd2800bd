import { mapDefined } from "../../contract/defined.ts";
import { write } from "../../core/objects/write.ts";
import { formatEntry, type SearchText, searchEntryObject, shardOf } from "../../core/search/index-items.ts";
import { buildSignature } from "../../core/search/signature.ts";
import { type TransactionPart, toPart } from "../outbox/commit-parts.ts";

/** An object in the index. `source`: that of a version of a script or flow. */
export interface IndexedObject {
  path: string;
  text: SearchText;
  source?: { version: string; text: string };
}

/** An object before and after a change: one of them is absent if the change creates, restores, archives or deletes it. */
interface IndexChange {
  workspace: string;
  /** As extra permissions name it. */
  kind: string;
  /** Without its texts, the entry is written even if they remain. */
  before?: { path: string; text?: SearchText } | undefined;
  after?: IndexedObject | undefined;
}

/**
 * Builds the parts that change the index together with an object. The condition of the object's write decides, so these parts have none. An entry
 * whose texts remain is not written again if that condition also excludes that the object was archived.
 */
export function buildIndexParts({ workspace, kind, before, after }: IndexChange): TransactionPart[] {
  const entryKey = (path: string) => searchEntryObject.key(workspace, shardOf(kind, path), kind, path);
  const left = before && before.path !== after?.path ? before.path : undefined;
  const isSame =
    before?.text !== undefined &&
    before.path === after?.path &&
    after.source === undefined &&
    JSON.stringify(before.text) === JSON.stringify(after.text);
  const toSource = ({ version, text }: { version: string; text: string }) => ({ version, signature: buildSignature(text) });
  return [
    ...(left === undefined ? [] : [write.remove(entryKey(left))]),
    ...(after && !isSame
      ? [write.put({ ...entryKey(after.path), value: formatEntry({ ...after.text, source: mapDefined(after.source, toSource) }) })]
      : []),
  ].map((part) => toPart(part));
}

/** Builds the parts that remove an object from the index. */
export const buildUnindexParts = (workspace: string, kind: string, path: string): TransactionPart[] =>
  buildIndexParts({ workspace, kind, before: { path } });
