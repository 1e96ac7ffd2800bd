import { queryOptions, useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import type { SettingsJson } from "../../../../../contract/routes/workspaces/setting-schemas.ts";
import { ask } from "../../data/objects-api.ts";
import { notifications } from "../../frame/notifications.tsx";
import { workspaceSettingsText } from "../../messages/objects/workspace-settings.ts";
import type { ComparedField } from "../../parts/stored/compared-fields.ts";
import { useEditor } from "../../parts/stored/use-editor.ts";

/** The settings of a workspace with the version of all of them. A save of one setting compares the part of the version that belongs to it. */
export interface StoredSettings {
  settings: SettingsJson;
  version: string | undefined;
}

async function loadSettings(workspace: string, signal?: AbortSignal): Promise<StoredSettings> {
  const { value, headers } = await ask.workspaces.getSettings({ workspace, ...(signal ? { signal } : {}) });
  return { settings: value, version: headers.get("etag") ?? undefined };
}

/** The settings of a workspace, which its admins may read. A form begins with them, so they are not read again while someone types. */
export const settingsQuery = (workspace: string) =>
  queryOptions({
    queryKey: [workspace, "settings"],
    queryFn: ({ signal }) => loadSettings(workspace, signal),
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  });

/** Returns whether two values are equal as JSON. */
export const areSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** The properties of every form of settings. */
export interface SettingsProps {
  workspace: string;
  stored: StoredSettings;
}

interface SettingEditorOptions<V extends object> extends SettingsProps {
  /** Names the draft. */
  form: string;
  toValues: (settings: SettingsJson) => V;
  fields: readonly ComparedField<V>[];
  /** Returns the values that this browser may store. */
  keepable: (values: V) => Partial<V>;
  /** `headers` name the version that is replaced, `before` are the settings of that version. */
  save: (values: V, headers: Record<string, string>, before: SettingsJson) => Promise<unknown>;
}

/** Edits settings as `useEditor` edits a stored object. */
export function useSettingEditor<V extends object>({ workspace, stored, form, toValues, fields, keepable, save }: SettingEditorOptions<V>) {
  const queries = useQueryClient();
  const before = useRef(stored.settings);
  return useEditor<V>({
    form: ["settings", form],
    loaded: { values: toValues(stored.settings), version: stored.version },
    keepable,
    fields,
    reload: async () => {
      const { settings, version } = await loadSettings(workspace);
      before.current = settings;
      return { values: toValues(settings), version };
    },
    save: (values, headers) => save(values, headers, before.current),
    onSaved: () => {
      notifications.show({ message: workspaceSettingsText.saved });
      void queries.invalidateQueries({ queryKey: settingsQuery(workspace).queryKey });
    },
  });
}
