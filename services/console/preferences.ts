import { randomUUID } from "node:crypto";
import { defined } from "../../contract/defined.ts";
import { SvcError } from "../../contract/errors.ts";
import type { PreferencesChange, PreferencesJson } from "../../contract/routes/console/preferences.ts";
import { preferencesObject } from "../../core/console/preferences.ts";
import { unchangedSince } from "../../core/objects/write.ts";
import type { Actor } from "../../core/people/actor.ts";
import { personKey } from "../../core/people/person.ts";
import { retryOnConflict } from "../outbox/commit-parts.ts";
import type { Uses } from "../uses.ts";

const keyOf = ({ email }: Actor) => preferencesObject.key(personKey(email));

/** Returns the preferences of the caller. */
export async function getPreferences({ objects }: Uses<"objects">, actor: Actor): Promise<PreferencesJson> {
  const found = await objects.get(keyOf(actor));
  return found ? preferencesObject.parse(found) : {};
}

/** Changes the preferences of the caller and returns all of them. Throws `preferences.changedMeanwhile`. */
export function editPreferences({ objects }: Uses<"objects">, actor: Actor, change: PreferencesChange): Promise<PreferencesJson> {
  const key = keyOf(actor);
  return retryOnConflict(
    async () => {
      const found = await objects.get(key);
      const before = found ? preferencesObject.parse(found) : {};
      const fields = Object.entries({ ...before, ...defined(change) }).filter(([, value]) => value !== null);
      const value = Object.fromEntries(fields) as PreferencesJson;
      const isStored = await objects.put({ ...key, value, version: randomUUID() }, found ? unchangedSince(found) : "absent");
      return isStored ? { done: value } : undefined;
    },
    () => new SvcError("preferences.changedMeanwhile", {}),
  );
}
