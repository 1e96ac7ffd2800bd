import type { Body } from "../../../../../../contract/client/operation.ts";
import type { FileStorage, SettingsJson } from "../../../../../../contract/routes/workspaces/setting-schemas.ts";
import { workspaceSettingsText } from "../../../messages/objects/workspace-settings.ts";
import { type ComparedField, compared } from "../../../parts/stored/compared-fields.ts";
import { fromStorageRows, type StorageRow, toStorageRows } from "./storages.ts";

const text = workspaceSettingsText.general;

/** The fields of the form. */
export interface GeneralValues {
  name: string;
  color: string;
  status: number;
  linksDecide: boolean;
  joins: keyof typeof text.autoInvites;
  asOperator: boolean;
  storage: FileStorage["type"];
  resource: string;
  others: StorageRow[];
}

/** Returns the form of the settings. Those that are not set have their defaults. */
export function toGeneralValues({ name, color, failed_runs, approvals, auto_invite, large_file_storage }: SettingsJson): GeneralValues {
  const storage = large_file_storage ?? { type: "stack" as const };
  return {
    name,
    color: color ?? "",
    status: failed_runs?.status ?? 200,
    linksDecide: approvals?.every_get_counts ?? false,
    joins: !auto_invite?.enabled ? "none" : auto_invite.domain === "*" ? "all" : "domain",
    asOperator: auto_invite?.operator ?? false,
    storage: storage.type,
    resource: storage.type === "S3Storage" ? storage.s3_resource_path : "",
    others: toStorageRows("secondary_storage" in storage ? storage.secondary_storage : undefined),
  };
}

/** The fields in which two versions are compared: those that one setting contains together. */
export const generalFields: readonly ComparedField<GeneralValues>[] = [
  compared(text.name, "name"),
  compared(text.color, "color"),
  compared(text.failedStatus, "status"),
  compared(text.linksDecide, "linksDecide"),
  {
    label: text.autoInvite,
    keys: ["joins", "asOperator"],
    toText: ({ joins, asOperator }) => text.autoInvites[joins] + (asOperator && joins !== "none" ? ` (${text.asOperator})` : ""),
  },
  {
    label: text.storage,
    keys: ["storage", "resource", "others"],
    toText: ({ storage, resource, others }) =>
      [text.storages[storage], storage === "S3Storage" ? resource : "", ...others.map(({ name, path }) => `${name}: ${path}`)]
        .filter((each) => each !== "")
        .join(", "),
  },
];

/** Returns the request that sets who joins automatically. Users whom the workspace only invites are invited further on. */
export const toAutoInviteRequest = (
  { joins, asOperator }: GeneralValues,
  { auto_invite }: SettingsJson,
): Body<"workspaces.editAutoInvite"> =>
  joins === "none" ? {} : { operator: asOperator, invite_all: joins === "all", auto_add: auto_invite?.mode !== "invite" };

/** Returns the storage that a save sends. The other fields of a bucket stay as they are. */
export function toStorage({ storage, resource, others }: GeneralValues, { large_file_storage: stored }: SettingsJson): FileStorage {
  if (storage === "none") return { type: storage };
  const named = fromStorageRows(others) ?? {};
  const secondary = Object.keys(named).length > 0 ? { secondary_storage: named } : {};
  if (storage === "stack") return { type: storage, ...secondary };
  const kept = stored?.type === "S3Storage" ? stored : undefined;
  return { type: storage, s3_resource_path: resource, ...(kept?.public_resource ? { public_resource: true } : {}), ...secondary };
}
