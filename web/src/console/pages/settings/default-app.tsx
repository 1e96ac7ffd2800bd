import { TextInput } from "@mantine/core";
import { useState } from "react";
import type { SettingsJson } from "../../../../../contract/routes/workspaces/setting-schemas.ts";
import { call } from "../../data/objects-api.ts";
import { workspaceSettingsText } from "../../messages/objects/workspace-settings.ts";
import { SettingForm } from "./setting-form.tsx";
import { useSettingSave } from "./settings.ts";

const text = workspaceSettingsText.app;

/** The app that other clients open first. */
export function DefaultApp({ workspace, settings }: { workspace: string; settings: SettingsJson }) {
  const [path, setPath] = useState(settings.default_app ?? "");
  const save = useSettingSave({
    workspace,
    seen: settings,
    names: ["default_app"],
    save: () => call.workspaces.editDefaultApp({ workspace, body: { default_app_path: path || null } }),
  });
  return (
    <SettingForm isSaving={save.isPending} error={save.error} onSave={() => save.mutate()}>
      <TextInput
        label={text.path}
        description={text.pathHelp}
        spellCheck={false}
        value={path}
        onChange={({ target }) => setPath(target.value.trim())}
      />
    </SettingForm>
  );
}
