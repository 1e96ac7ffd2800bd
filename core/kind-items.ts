import * as z from "zod";
import type { Kind } from "../contract/kinds/kind.ts";
import { type KindName, kindNames, kinds } from "../contract/kinds/kinds.ts";
import { triggerKinds } from "../contract/routes/triggers/trigger-kind.ts";
import { appObject } from "./apps/app.ts";
import { flowHeadObject, flowListingObject } from "./flows/version.ts";
import { defineKindObject, type KindObject } from "./objects/kind-object.ts";
import { resourceObject } from "./resources/resource.ts";
import { scheduleObject } from "./schedules/schedule.ts";
import { scriptHeadObject, scriptListingObject } from "./scripts/version.ts";
import { triggerObject } from "./triggers/trigger.ts";
import { variableObject } from "./variables/variable.ts";

/** The item of an object at a path, the partition of the list of its kind, and the pattern of the keys of its partitions. */
type KindItems = Pick<KindObject, "key" | "partitionKey" | "leadingKeys">;

/** The kinds whose keys do not have the form of `defineKindObject`, because their stored items are older. */
const itemsWithOlderKeys: Readonly<Partial<Record<KindName, KindItems>>> = {
  variable: variableObject,
  resource: resourceObject,
  script: { ...scriptHeadObject, partitionKey: scriptListingObject.partitionKey },
  flow: { ...flowHeadObject, partitionKey: flowListingObject.partitionKey },
  schedule: scheduleObject,
  app: appObject,
  ...Object.fromEntries(
    triggerKinds.map((kind): [string, KindItems] => [
      `${kind}_trigger`,
      {
        ...triggerObject,
        key: (workspace, path) => triggerObject.key(workspace, kind, path),
        partitionKey: (workspace) => triggerObject.partitionKey(workspace, kind),
      },
    ]),
  ),
};

const isAtPath = (kind: KindName): boolean => {
  const { id, isMissing }: Kind = kinds[kind];
  return id === undefined && !isMissing;
};

/**
 * The items of each kind of objects at paths. Extra permissions, the search for what a path contains, and rights of functions derive from them.
 */
export const itemsOfKinds: ReadonlyMap<string, KindItems> = new Map(
  kindNames.filter(isAtPath).map((kind) => [kind, itemsWithOlderKeys[kind] ?? defineKindObject(kind, z.unknown())]),
);
