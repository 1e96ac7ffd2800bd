import { SvcError } from "../../contract/errors.ts";
import { settingObject } from "../../core/objects/setting.ts";
import { selectVersions, type VersionedSetting, versionOfSetting } from "../../core/objects/setting-versions.ts";
import { createVersion, type ExpectedVersions, requireVersion, SERVICE } from "../../core/objects/version.ts";
import { type ObjectKey, type StoredObject, unchangedSince, write } from "../../core/objects/write.ts";
import { workspaceObject } from "../../core/workspaces/workspace.ts";
import {
  commitParts,
  pauseAfterConflict,
  retryOnConflict,
  SHARED_ITEM_TRIES,
  type TransactionPart,
  toPart,
} from "../outbox/commit-parts.ts";
import type { Uses } from "../uses.ts";

/** The author of a change of settings, and the versions of the settings that the author has read. */
export interface SettingEdit {
  /** Absent: the service itself. */
  by?: string | undefined;
  /** Absent: any. */
  expected?: ExpectedVersions | undefined;
}

interface ItemChange {
  edit: SettingEdit;
  /** Returns the stored form of the new value; `undefined` removes the setting. It is called again after a conflict, and may throw. */
  build: (stored: StoredObject | undefined) => unknown;
}

interface SettingItemChange extends ItemChange {
  key: ObjectKey;
  /** The name of the setting in a refusal. */
  name: string;
  /** Returns further parts of the transaction. */
  buildOthers?: () => Promise<TransactionPart[]>;
}

/**
 * Replaces the item of a setting of a workspace or of the instance, unless it has another version than the author has read. Throws
 * `object.versionChanged`, `access.changedMeanwhile`, and the errors of `build` and `buildOthers`.
 */
export async function replaceSettingItem(
  { objects, nowMs }: Uses<"objects" | "nowMs">,
  { key, name, edit: { by = SERVICE, expected }, build, buildOthers }: SettingItemChange,
): Promise<void> {
  await retryOnConflict(
    async (earlier) => {
      const stored = await objects.get(key);
      requireVersion({ version: versionOfSetting(stored), changed: stored?.changed }, { path: name, expected });
      const value = await build(stored);
      const expect = stored ? unchangedSince(stored) : "absent";
      const isStored = await commitParts(objects, [
        ...((await buildOthers?.()) ?? []),
        toPart(value === undefined ? write.remove(key, expect) : write.put({ ...key, value, ...createVersion(by, nowMs()) }, expect)),
      ]);
      if (isStored) return { done: undefined };
      await pauseAfterConflict(earlier);
      return undefined;
    },
    () => new SvcError("access.changedMeanwhile", {}),
    SHARED_ITEM_TRIES,
  );
}

interface SettingChange extends ItemChange {
  workspace: string;
  name: VersionedSetting;
  /** Returns a change of the access rights for the same transaction, for settings that every run must know. */
  buildRights?: () => Promise<TransactionPart>;
}

/**
 * Replaces the whole value of a setting. Each setting is a separate item, so that changes of two settings do not overwrite each other. Throws
 * `object.versionChanged`, `workspace.notFound` and `access.changedMeanwhile`.
 */
export async function replaceSetting(
  deps: Uses<"objects" | "nowMs">,
  { workspace, name, edit, build, buildRights }: SettingChange,
): Promise<void> {
  const exists = toPart(write.check(workspaceObject.key(workspace), "present"), new SvcError("workspace.notFound", { workspace }));
  await replaceSettingItem(deps, {
    key: settingObject.key(workspace, name),
    name,
    edit: { ...edit, expected: selectVersions(name, edit.expected) },
    build,
    buildOthers: async () => [exists, ...(buildRights ? [await buildRights()] : [])],
  });
}
