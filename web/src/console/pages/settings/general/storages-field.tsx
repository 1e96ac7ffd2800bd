import { Checkbox, Group, TextInput } from "@mantine/core";
import { workspaceSettingsText } from "../../../messages/objects/workspace-settings.ts";
import { RowsField } from "../../../parts/fields/rows-field.tsx";
import { newStorage, type StorageRow } from "./storages.ts";

const text = workspaceSettingsText.general;

interface StoragesFieldProps {
  rows: readonly StorageRow[];
  onChange: (rows: StorageRow[]) => void;
}

/** The further storages of files, by their names. */
export const StoragesField = ({ rows, onChange }: StoragesFieldProps) => (
  <RowsField
    label={text.otherStorages}
    help={text.otherStoragesHelp}
    rows={rows}
    blank={newStorage}
    onChange={onChange}
    nameOf={({ name }) => name}
  >
    {(row, change) => (
      <>
        <Group grow align="flex-start">
          <TextInput
            label={text.storageName}
            required
            withAsterisk={false}
            pattern="[A-Za-z0-9][A-Za-z0-9_\-]{0,49}"
            spellCheck={false}
            value={row.name}
            onChange={({ target }) => change({ name: target.value.trim() })}
          />
          <TextInput
            label={text.storageResource}
            required
            withAsterisk={false}
            spellCheck={false}
            value={row.path}
            onChange={({ target }) => change({ path: target.value.trim() })}
          />
        </Group>
        <Checkbox label={text.storagePublic} checked={row.isPublic} onChange={({ target }) => change({ isPublic: target.checked })} />
      </>
    )}
  </RowsField>
);
