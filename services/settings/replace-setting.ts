import { SvcError } from "../../contract/errors.ts";
import { settingObject } from "../../core/objects/setting.ts";
import { requireSettingVersion, type VersionedSetting, versionOfSetting } from "../../core/objects/setting-versions.ts";
import { createVersion, type ExpectedVersions, SERVICE } from "../../core/objects/version.ts";
import { type StoredObject, unchangedSince, write } from "../../core/objects/write.ts";
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

interface SettingChange {
  workspace: string;
  name: VersionedSetting;
  edit: SettingEdit;
  /** Returns the stored form of the new value; `undefined` removes the setting. It is called again after a conflict, and may throw. */
  build: (stored: StoredObject | undefined) => unknown;
  /** Returns a change of the access rights for the same transaction, for settings that every run must know. */
  buildRights?: () => Promise<TransactionPart>;
}

/**
 * Replaces the whole value of a setting. Each setting is a separate item, so that changes of two settings do not overwrite each other. Throws
 * `object.versionChanged`, `workspace.notFound` and `access.changedMeanwhile`.
 */
export async function replaceSetting(
  { objects, nowMs }: Uses<"objects" | "nowMs">,
  { workspace, name, edit: { by = SERVICE, expected }, build, buildRights }: SettingChange,
): Promise<void> {
  const key = settingObject.key(workspace, name);
  const notFound = new SvcError("workspace.notFound", { workspace });
  await retryOnConflict(
    async (earlier) => {
      const stored = await objects.get(key);
      requireSettingVersion(stored, { name, version: versionOfSetting(stored), expected });
      const value = build(stored);
      const expect = stored ? unchangedSince(stored) : "absent";
      const isStored = await commitParts(objects, [
        toPart(write.check(workspaceObject.key(workspace), "present"), notFound),
        toPart(value === undefined ? write.remove(key, expect) : write.put({ ...key, value, ...createVersion(by, nowMs()) }, expect)),
        ...(buildRights ? [await buildRights()] : []),
      ]);
      if (isStored) return { done: undefined };
      await pauseAfterConflict(earlier);
      return undefined;
    },
    () => new SvcError("access.changedMeanwhile", {}),
    SHARED_ITEM_TRIES,
  );
}
