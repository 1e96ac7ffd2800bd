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

/** The stored state that a save replaces. */
export interface BegunSave<V> {
  /** The settings of the version that is replaced. */
  settings: SettingsJson;
  /** The values that are stored: those of the version, and those that an earlier save of several requests has stored before it failed. */
  stored: V;
  /** A request has stored some of the values. Another try does not send them again. */
  onStored: (values: Partial<V>) => void;
}

interface SettingEditorOptions<V extends object> extends SettingsProps {
  /** Names the draft. */
  form: string;
  toValues: (settings: SettingsJson) => V;
  fields: readonly ComparedField<V>[];
  /** Returns the values that this browser may store. */
  keepable: (values: V) => Partial<V>;
  /** `headers` name the version that is replaced. */
  save: (values: V, headers: Record<string, string>, begun: BegunSave<V>) => Promise<unknown>;
}

/** Edits settings as `useEditor` edits a stored object. */
export function useSettingEditor<V extends object>({ workspace, stored, form, toValues, fields, keepable, save }: SettingEditorOptions<V>) {
  const queries = useQueryClient();
  const before = useRef(stored.settings);
  const parts = useRef<Partial<V>>({});
  return useEditor<V>({
    form: ["settings", form],
    loaded: { values: toValues(stored.settings), version: stored.version },
    keepable,
    fields,
    reload: async () => {
      const { settings, version } = await loadSettings(workspace);
      before.current = settings;
      parts.current = {};
      return { values: toValues(settings), version };
    },
    save: (values, headers) =>
      save(values, headers, {
        settings: before.current,
        stored: { ...toValues(before.current), ...parts.current },
        onStored: (changes) => {
          parts.current = { ...parts.current, ...changes };
        },
      }),
    onSaved: () => {
      notifications.show({ message: workspaceSettingsText.saved });
      void queries.invalidateQueries({ queryKey: settingsQuery(workspace).queryKey });
    },
  });
}
