import { type MantineColorScheme, useMantineColorScheme } from "@mantine/core";
import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { isJsonObject } from "../../../../contract/json/json-object.ts";
import type { PreferencesChange, PreferencesJson } from "../../../../contract/routes/console/preferences.ts";
import { setTimeZone } from "../../shared/time/time.ts";
import { notifications } from "../frame/notifications.tsx";
import { call } from "./api.ts";
import { keyOfPerson, readStored, store } from "./browser-storage.ts";

/** The copy in this browser shows the right zone and hints at once. The account is read again when the copy is older. */
const KEPT_MS = 10 * 60_000;
/** The page itself is loaded first. */
const READ_AFTER_MS = 5_000;
const KEY = keyOfPerson("preferences");

interface Copy {
  atMs: number;
  value: PreferencesJson;
}

function readCopy(): Copy | undefined {
  const stored = readStored(KEY);
  return isJsonObject(stored) && typeof stored["atMs"] === "number" && isJsonObject(stored["value"])
    ? { atMs: stored["atMs"], value: stored["value"] as PreferencesJson }
    : undefined;
}

function keepCopy(value: PreferencesJson): PreferencesJson {
  store(KEY, { atMs: Date.now(), value } satisfies Copy);
  return value;
}

/** The preferences of the account, with the browser's copy until they were read. */
export const preferencesQuery = queryOptions({
  queryKey: ["preferences"],
  queryFn: async () => keepCopy(await call.account.getPreferences()),
  initialData: () => readCopy()?.value,
  initialDataUpdatedAt: () => readCopy()?.atMs,
  staleTime: KEPT_MS,
});

const KNOWN_ONLY = { ...preferencesQuery, enabled: false };

/** Returns the preferences as far as they are known, without a request. */
export const usePreferences = (): PreferencesJson | undefined => useQuery(KNOWN_ONLY).data;

export const toScheme = (theme: PreferencesJson["theme"]): MantineColorScheme => (theme === "system" || !theme ? "auto" : theme);
const toTheme = (scheme: MantineColorScheme) => (scheme === "auto" ? "system" : scheme);

/** Mantine would stop transitions by a style element, which the page's policy forbids. */
const KEEP_TRANSITIONS = { keepTransitions: true };

setTimeZone(readCopy()?.value.timezone);

/** Reads the preferences of the account soon after the page, and applies them. */
export function useAppliedPreferences(): void {
  const [isLate, setIsLate] = useState(false);
  const { setColorScheme } = useMantineColorScheme(KEEP_TRANSITIONS);
  const { data } = useQuery({ ...preferencesQuery, enabled: isLate });
  useEffect(() => {
    const timer = setTimeout(() => setIsLate(true), READ_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: Mantine returns another function for each render
  useEffect(() => {
    if (data?.theme) setColorScheme(toScheme(data.theme));
    if (data) setTimeZone(data.timezone);
  }, [data]);
}

/** Replaces what a change names. Null removes a field. */
export const applyChange = (before: PreferencesJson, change: PreferencesChange): PreferencesJson =>
  Object.fromEntries(
    Object.entries({ ...before, ...change }).filter(([, value]) => value !== null && value !== undefined),
  ) as PreferencesJson;

/** Changes the preferences of the account. The page applies a change at once, and takes it back if the service refuses it. */
export function useEditPreferences() {
  const queries = useQueryClient();
  const { queryKey } = preferencesQuery;
  return useMutation({
    mutationFn: async (change: PreferencesChange) => keepCopy(await call.account.editPreferences({ body: change })),
    onMutate: (change) => {
      const before = queries.getQueryData(queryKey) ?? {};
      if ("timezone" in change) setTimeZone(change.timezone ?? undefined);
      queries.setQueryData(queryKey, applyChange(before, change));
      return before;
    },
    onSuccess: (value) => void queries.setQueryData(queryKey, value),
    onError: (error, _, before) => {
      notifications.show({ message: error.message });
      if (before) queries.setQueryData(queryKey, before);
    },
  });
}

/** Returns the chosen theme, and a function that sets it for this page and the account. */
export function useTheme(): [MantineColorScheme, (scheme: MantineColorScheme) => void] {
  const { colorScheme, setColorScheme } = useMantineColorScheme(KEEP_TRANSITIONS);
  const edit = useEditPreferences();
  return [
    colorScheme,
    (scheme) => {
      setColorScheme(scheme);
      edit.mutate({ theme: toTheme(scheme) });
    },
  ];
}
