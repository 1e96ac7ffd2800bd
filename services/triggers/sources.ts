import { randomUUID } from "node:crypto";
import { SvcError } from "../../contract/errors.ts";
import type { ObjectKey } from "../../core/objects/write.ts";
import { write } from "../../core/objects/write.ts";
import {
  type AwsSource,
  awsTriggerSourcesSetting,
  connectionObject,
  findSourceEntry,
  parseSourceName,
  type SourceEntry,
  sourceName,
} from "../../core/triggers/sources.ts";
import type { StoredTrigger, TriggerRef } from "../../core/triggers/trigger.ts";
import { mailboxObject, polledQueueObject, triggerSourceObject } from "../../core/triggers/trigger.ts";
import type { ObjectStore } from "../../ports/object-store.ts";
import type { TransactionPart } from "../outbox/commit-parts.ts";

/** Returns the ARNs that superadmins listed, by workspace. */
export async function loadAllowedSources(objects: Pick<ObjectStore, "get">): Promise<Readonly<Record<string, readonly string[]>>> {
  const found = await objects.get(awsTriggerSourcesSetting.key());
  return found?.value == null ? {} : awsTriggerSourcesSetting.parse(found);
}

/** A request to function `connect`: a source of a workspace whose state in AWS may differ from the needs of its triggers. */
export interface Connection {
  workspace: string;
  source: AwsSource;
}

function keyOf(workspace: string, id: string, entry: SourceEntry): ObjectKey | undefined {
  if (entry.at === "address") return undefined;
  if (entry.at === "mailbox") return mailboxObject.key(entry.localPart);
  return entry.at === "poll" ? polledQueueObject.key(workspace, id) : triggerSourceObject.key(workspace, entry.sk);
}

/** Builds the write that requests a check of a source. Housekeeping repeats the check until it succeeds. */
export const connectionWrite = ({ workspace, source }: Connection) =>
  write.put({ ...connectionObject.key(workspace, sourceName(source)), value: { of: workspace, source }, version: randomUUID() });

/**
 * Builds the parts that replace the entry by which a trigger is found, and those that request a check of its sources. A source that another
 * trigger has claimed is refused with `trigger.sourceTaken`.
 */
export function buildSourceParts(
  workspace: string,
  before: StoredTrigger | undefined,
  after: StoredTrigger | undefined,
): { parts: TransactionPart[]; connections: Connection[] } {
  const [old, now] = [before, after].map((trigger) => trigger && { trigger, entry: findSourceEntry(workspace, trigger) });
  const oldKey = old && keyOf(workspace, old.trigger.id, old.entry);
  const newKey = now && keyOf(workspace, now.trigger.id, now.entry);
  const isSame = oldKey?.pk === newKey?.pk && oldKey?.sk === newKey?.sk;
  const parts: TransactionPart[] = [];
  // Another writer has changed the trigger since it was read if its entry is gone.
  if (oldKey && !isSame) parts.push({ write: write.remove(oldKey), refused: undefined });
  if (now && newKey) {
    const { kind, path, id } = now.trigger;
    const value: TriggerRef = { workspace, kind, path, id };
    parts.push({
      write: write.put({ ...newKey, value }, isSame ? undefined : "absent"),
      refused: isSame ? undefined : new SvcError("trigger.sourceTaken", {}),
    });
  }
  const sources = [old?.entry, now?.entry].flatMap((entry) => (entry?.at === "source" ? [entry.connects] : []));
  const connections = [...new Map(sources.map((source) => [sourceName(source), { workspace, source }])).values()];
  parts.push(...connections.map((connection) => ({ write: connectionWrite(connection), refused: undefined })));
  return { parts, connections };
}

/** Requests a check of all sources of a workspace, because its state has changed. Housekeeping carries it out. */
export async function requestConnections(objects: Pick<ObjectStore, "list" | "transactWrite">, workspace: string): Promise<void> {
  const entries = await objects.list(triggerSourceObject.partitionKey(workspace));
  for (const { sk } of entries) {
    const source = parseSourceName(sk);
    if (source) await objects.transactWrite([connectionWrite({ workspace, source })]);
  }
}
