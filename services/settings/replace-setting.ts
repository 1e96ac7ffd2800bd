import { SvcError } from "../../contract/errors.ts";
import { settingObject } from "../../core/objects/setting.ts";
import { createVersion, type ExpectedVersions, SERVICE } from "../../core/objects/version.ts";
import { type StoredObject, unchangedSince, write } from "../../core/objects/write.ts";
import type { Access } from "../../core/permissions/access.ts";
import { requireSettingVersion, type VersionedSetting, versionOfSetting } from "../../core/settings/versions.ts";
import { workspaceObject } from "../../core/workspaces/workspace.ts";
import { commitParts, retryOnConflict, toPart } from "../outbox/commit-parts.ts";
import type { Uses } from "../uses.ts";
import { ACCESS_TRIES, buildAccessPart, pauseAfterConflict } from "../workspaces/access.ts";

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
  /** Changes the access rights in the same transaction, for settings that every run must know. */
  changeRights?: (access: Access) => void;
}

/**
 * Replaces the whole value of a setting. Each setting is a separate item, so that changes of two settings do not overwrite each other. Throws
 * `object.versionChanged`, `workspace.notFound` and `access.changedMeanwhile`.
 */
export async function replaceSetting(
  { objects, nowMs }: Uses<"objects" | "nowMs">,
  { workspace, name, edit: { by = SERVICE, expected }, build, changeRights }: SettingChange,
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
        ...(changeRights ? [await buildAccessPart(objects, workspace, changeRights, "bounded")] : []),
      ]);
      if (isStored) return { done: undefined };
      await pauseAfterConflict(earlier);
      return undefined;
    },
    () => new SvcError("access.changedMeanwhile", {}),
    ACCESS_TRIES,
  );
}
