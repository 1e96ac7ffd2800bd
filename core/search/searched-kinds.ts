import { defined } from "../../contract/defined.ts";
import { type TriggerKind, triggerKinds } from "../../contract/routes/triggers/trigger-kind.ts";
import { appObject } from "../apps/app.ts";
import { flowBodyObject, flowHeadObject, flowListingObject, type StoredFlow } from "../flows/version.ts";
import type { ObjectKey, StoredObject } from "../objects/write.ts";
import { resourceObject } from "../resources/resource.ts";
import { scheduleObject } from "../schedules/schedule.ts";
import { type StoredVersion, scriptBodyObject, scriptHeadObject, scriptListingObject } from "../scripts/version.ts";
import { triggerObject } from "../triggers/trigger.ts";
import { variableObject } from "../variables/variable.ts";
import { toFlowSource } from "./flow-source.ts";
import { type SearchableTexts, type SearchText, toSearchText } from "./index-items.ts";

/** An object as the index contains it. `version`: that of the source, for a kind that has one. */
export interface SearchedObject extends SearchText {
  path: string;
  version?: string;
}

/** The facts about a kind that users search. */
interface SearchedKind {
  partitionKey(workspace: string): string;
  /** Returns the object of an item in this partition, or nothing for an archived or unreadable one. */
  read(stored: StoredObject): SearchedObject | undefined;
  source?: {
    /** The item that names the newest version. */
    headKey(workspace: string, path: string): ObjectKey;
    key(workspace: string, version: string): ObjectKey;
    /** Returns the source from the stored body of a version. */
    text(body: unknown): string;
  };
}

const unlessArchived = (
  [object]: readonly ({ path: string; archived?: boolean } & SearchableTexts)[],
  version?: string,
): SearchedObject | undefined =>
  object && !object.archived ? { path: object.path, ...toSearchText(object), ...defined({ version }) } : undefined;

const toTriggerKindFacts = (kind: TriggerKind): SearchedKind => ({
  partitionKey: (workspace) => triggerObject.partitionKey(workspace, kind),
  read: (stored) => unlessArchived(triggerObject.parseReadable([stored]).map(({ path, own }) => ({ ...own, path, archived: false }))),
});

/** The kinds that users search, by the names that extra permissions use. */
export const searchedKinds: ReadonlyMap<string, SearchedKind> = new Map<string, SearchedKind>([
  [
    "script",
    {
      partitionKey: scriptListingObject.partitionKey,
      read: (stored) => {
        const listed = scriptListingObject.parseReadable([stored]);
        return unlessArchived(listed, listed[0]?.hash);
      },
      source: { headKey: scriptHeadObject.key, key: scriptBodyObject.key, text: (body) => (body as StoredVersion).sent.content },
    },
  ],
  [
    "flow",
    {
      partitionKey: flowListingObject.partitionKey,
      read: (stored) => {
        const listed = flowListingObject.parseReadable([stored]);
        return unlessArchived(listed, listed[0] && String(listed[0].version));
      },
      source: {
        headKey: flowHeadObject.key,
        key: (workspace, version) => flowBodyObject.key(workspace, Number(version)),
        text: (body) => toFlowSource(body as StoredFlow),
      },
    },
  ],
  ["app", { partitionKey: appObject.partitionKey, read: (stored) => unlessArchived(appObject.parseReadable([stored])) }],
  ["variable", { partitionKey: variableObject.partitionKey, read: (stored) => unlessArchived(variableObject.parseReadable([stored])) }],
  ["resource", { partitionKey: resourceObject.partitionKey, read: (stored) => unlessArchived(resourceObject.parseReadable([stored])) }],
  [
    "schedule",
    {
      partitionKey: scheduleObject.partitionKey,
      read: (stored) => unlessArchived(scheduleObject.parseReadable([stored]).map(({ path, settings }) => ({ ...settings, path }))),
    },
  ],
  ...triggerKinds.map((kind) => [`${kind}_trigger`, toTriggerKindFacts(kind)] as const),
]);
