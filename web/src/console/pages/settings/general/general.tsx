import { Checkbox, NativeSelect, TextInput } from "@mantine/core";
import { call } from "../../../data/objects-api.ts";
import { workspaceSettingsText } from "../../../messages/objects/workspace-settings.ts";
import { SettingForm } from "../../../parts/setting-form/setting-form.tsx";
import { type SettingsProps, useSettingEditor } from "../settings.ts";
import { type GeneralValues, generalFields, toGeneralValues } from "./general-values.ts";
import { saveGeneral } from "./save-general.ts";
import { fromStorageRows } from "./storages.ts";
import { StoragesField } from "./storages-field.tsx";

const text = workspaceSettingsText.general;
const optionsOf = (labels: Readonly<Record<string, string>>) => Object.entries(labels).map(([value, label]) => ({ value, label }));

/** The name, the color and the defaults of a workspace. Each changed setting is one request. */
export function General({ workspace, stored }: SettingsProps) {
  const editor = useSettingEditor<GeneralValues>({
    workspace,
    stored,
    form: "general",
    toValues: toGeneralValues,
    fields: generalFields,
    keepable: (typed) => typed,
    save: (typed, headers, begun) => saveGeneral(call, { workspace, headers }, typed, begun),
  });
  const { values, change } = editor;
  return (
    <SettingForm editor={editor} canSave={values.storage === "none" || fromStorageRows(values.others) !== undefined}>
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
        onChange={({ target }) => change({ joins: target.value as GeneralValues["joins"] })}
      />
      {values.joins !== "none" && (
        <Checkbox label={text.asOperator} checked={values.asOperator} onChange={({ target }) => change({ asOperator: target.checked })} />
      )}
      <NativeSelect
        label={text.storage}
        data={optionsOf(text.storages)}
        value={values.storage}
        onChange={({ target }) => change({ storage: target.value as GeneralValues["storage"] })}
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
