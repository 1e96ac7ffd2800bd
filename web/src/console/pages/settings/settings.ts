import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import type { SettingsJson } from "../../../../../contract/routes/workspaces/setting-schemas.ts";
import { Refused } from "../../../shared/service.ts";
import { call } from "../../data/objects-api.ts";
import { notifications } from "../../frame/notifications.tsx";
import { workspaceSettingsText } from "../../messages/objects/workspace-settings.ts";

/** The settings of a workspace, which its admins may read. A form begins with them, so they are not read again while someone types. */
export const settingsQuery = (workspace: string) =>
  queryOptions({
    queryKey: [workspace, "settings"],
    queryFn: ({ signal }) => call.workspaces.getSettings({ workspace, signal }),
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  });

/** Returns whether settings have the same values in both versions. */
export const areSame = (names: readonly (keyof SettingsJson)[], a: SettingsJson, b: SettingsJson): boolean =>
  names.every((name) => JSON.stringify(a[name]) === JSON.stringify(b[name]));

interface SettingSave<V> {
  workspace: string;
  /** The settings that the form was filled from, and the names of those that it changes. */
  seen: SettingsJson;
  names: readonly (keyof SettingsJson)[];
  save: (values: V) => Promise<unknown>;
}

/** Saves settings unless another person has changed them since they were read. Settings have no versions, so both may save in one moment. */
export function useSettingSave<V>({ workspace, seen, names, save }: SettingSave<V>) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (values: V) => {
      const current = await call.workspaces.getSettings({ workspace });
      if (!areSame(names, seen, current)) throw new Refused(409, "page.settingChanged", workspaceSettingsText.changed);
      await save(values);
    },
    onSuccess: async () => {
      notifications.show({ message: workspaceSettingsText.saved });
      await queries.invalidateQueries({ queryKey: settingsQuery(workspace).queryKey });
    },
  });
}
