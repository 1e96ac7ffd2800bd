import { Checkbox, NativeSelect, TextInput } from "@mantine/core";
import { useState } from "react";
import type { FileStorage, S3Storage, SettingsJson } from "../../../../../contract/routes/workspaces/setting-schemas.ts";
import { call } from "../../data/objects-api.ts";
import { workspaceSettingsText } from "../../messages/objects/workspace-settings.ts";
import { SettingForm } from "./setting-form.tsx";
import { areSame, useSettingSave } from "./settings.ts";
import { fromStorageRows, toStorageRows } from "./storages.ts";
import { StoragesField } from "./storages-field.tsx";

const text = workspaceSettingsText.general;
const names = ["name", "color", "failed_runs", "approvals", "auto_invite", "large_file_storage"] as const;
const optionsOf = (labels: Readonly<Record<string, string>>) => Object.entries(labels).map(([value, label]) => ({ value, label }));

type Joins = keyof typeof text.autoInvites;
const joinsOf = ({ auto_invite }: SettingsJson): Joins => (!auto_invite?.enabled ? "none" : auto_invite.domain === "*" ? "all" : "domain");

/** The name, the color and the defaults of a workspace. Each changed setting is one request. */
export function General({ workspace, settings }: { workspace: string; settings: SettingsJson }) {
  const storage = settings.large_file_storage ?? { type: "stack" as const };
  const others = "secondary_storage" in storage ? storage.secondary_storage : undefined;
  const [values, setValues] = useState({
    name: settings.name,
    color: settings.color ?? "",
    status: settings.failed_runs?.status ?? 200,
    linksDecide: settings.approvals?.every_get_counts ?? false,
    joins: joinsOf(settings),
    asOperator: settings.auto_invite?.operator ?? false,
    storage: storage.type,
    resource: storage.type === "S3Storage" ? storage.s3_resource_path : "",
    others: toStorageRows(others),
  });
  const change = (changes: Partial<typeof values>) => setValues((current) => ({ ...current, ...changes }));
  const secondary = fromStorageRows(values.others);
  const save = useSettingSave({
    workspace,
    seen: settings,
    names,
    save: async () => {
      const { name, color, status, linksDecide, joins, asOperator } = values;
      if (name !== settings.name) await call.workspaces.changeName({ workspace, body: { new_name: name } });
      if (color !== (settings.color ?? "")) await call.workspaces.changeColor({ workspace, body: { color: color || null } });
      if (status !== (settings.failed_runs?.status ?? 200)) await call.workspaces.editFailedRuns({ workspace, body: { status } });
      if (linksDecide !== (settings.approvals?.every_get_counts ?? false))
        await call.workspaces.editApprovals({ workspace, body: { every_get_counts: linksDecide } });
      if (joins !== joinsOf(settings) || asOperator !== (settings.auto_invite?.operator ?? false)) {
        const body =
          joins === "none" ? {} : { operator: asOperator, invite_all: joins === "all", auto_add: settings.auto_invite?.mode !== "invite" };
        await call.workspaces.editAutoInvite({ workspace, body });
      }
      const changed = { ...settings, large_file_storage: toStorage(storage, values, secondary) };
      if (!areSame(["large_file_storage"], { ...settings, large_file_storage: storage }, changed))
        await call.workspaces.editLargeFileStorage({ workspace, body: { large_file_storage: changed.large_file_storage } });
    },
  });
  return (
    <SettingForm isSaving={save.isPending} error={save.error} canSave={secondary !== undefined} onSave={() => save.mutate()}>
      <TextInput
        label={text.name}
        required
        withAsterisk={false}
        maxLength={100}
        value={values.name}
        onChange={({ target }) => change({ name: target.value })}
      />
      <TextInput
        label={text.color}
        description={text.colorHelp}
        placeholder="#2f9e44"
        maxLength={20}
        value={values.color}
        onChange={({ target }) => change({ color: target.value.trim() })}
      />
      <TextInput
        type="number"
        label={text.failedStatus}
        description={text.failedStatusHelp}
        min={200}
        max={599}
        required
        withAsterisk={false}
        value={values.status}
        onChange={({ target }) => change({ status: Number(target.value) })}
      />
      <Checkbox
        label={text.linksDecide}
        description={text.linksDecideHelp}
        checked={values.linksDecide}
        onChange={({ target }) => change({ linksDecide: target.checked })}
      />
      <NativeSelect
        label={text.autoInvite}
        data={optionsOf(text.autoInvites)}
        value={values.joins}
        onChange={({ target }) => change({ joins: target.value as Joins })}
      />
      {values.joins !== "none" && (
        <Checkbox label={text.asOperator} checked={values.asOperator} onChange={({ target }) => change({ asOperator: target.checked })} />
      )}
      <NativeSelect
        label={text.storage}
        data={optionsOf(text.storages)}
        value={values.storage}
        onChange={({ target }) => change({ storage: target.value as FileStorage["type"] })}
      />
      {values.storage === "S3Storage" && (
        <TextInput
          label={text.storageResource}
          required
          withAsterisk={false}
          spellCheck={false}
          value={values.resource}
          onChange={({ target }) => change({ resource: target.value.trim() })}
        />
      )}
      {values.storage !== "none" && <StoragesField rows={values.others} onChange={(rows) => change({ others: rows })} />}
    </SettingForm>
  );
}

/** Returns the storage that a save sends. The other fields of a bucket stay as they are. */
function toStorage(
  stored: FileStorage,
  { storage, resource }: { storage: FileStorage["type"]; resource: string },
  secondary: Record<string, S3Storage> | undefined,
): FileStorage {
  if (storage === "none") return { type: storage };
  const others = secondary && Object.keys(secondary).length > 0 ? { secondary_storage: secondary } : {};
  if (storage === "stack") return { type: storage, ...others };
  const kept = stored.type === "S3Storage" ? stored : undefined;
  return { type: storage, s3_resource_path: resource, ...(kept?.public_resource ? { public_resource: true } : {}), ...others };
}
