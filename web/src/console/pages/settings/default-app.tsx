import { TextInput } from "@mantine/core";
import { call } from "../../data/objects-api.ts";
import { workspaceSettingsText } from "../../messages/objects/workspace-settings.ts";
import { SettingForm } from "../../parts/setting-form/setting-form.tsx";
import { compared } from "../../parts/stored/compared-fields.ts";
import { type SettingsProps, useSettingEditor } from "./settings.ts";

const text = workspaceSettingsText.app;
const fields = [compared<{ path: string }, "path">(text.path, "path")];

/** The app that other clients open first. */
export function DefaultApp({ workspace, stored }: SettingsProps) {
  const editor = useSettingEditor({
    workspace,
    stored,
    form: "default app",
    toValues: ({ default_app: path = "" }) => ({ path }),
    fields,
    keepable: (typed) => typed,
    save: ({ path }, headers) => call.workspaces.editDefaultApp({ workspace, headers, body: { default_app_path: path || null } }),
  });
  return (
    <SettingForm editor={editor}>
      <TextInput
        label={text.path}
        description={text.pathHelp}
        spellCheck={false}
        value={editor.values.path}
        onChange={({ target }) => editor.change({ path: target.value.trim() })}
      />
    </SettingForm>
  );
}
