import type { Reply } from "../../../../../contract/client/operation.ts";
import { ask } from "../../data/objects-api.ts";
import { appsText as text } from "../../messages/objects/apps.ts";
import { storedText } from "../../messages/objects/stored.ts";
import { type ComparedField, compared } from "../../parts/stored/compared-fields.ts";
import type { Loaded } from "../../parts/stored/use-editor.ts";

type App = Reply<"apps.get">;
type Policy = App["policy"];

/** The fields of the form of an app. */
export interface AppValues {
  path: string;
  summary: string;
  /** JSON. */
  value: string;
  policy: Policy;
  message: string;
  /** The stored value: a save of the same value makes no version. */
  storedValue: string;
}

export const newApp: AppValues = {
  path: "",
  summary: "",
  value: "{}",
  policy: { execution_mode: "viewer" },
  message: "",
  storedValue: "",
};

const write = (value: unknown) => JSON.stringify(value, null, 2);

/** Returns the values of the form of a stored app. */
export const fromApp = ({ path, summary, value, policy }: Pick<App, "path" | "summary" | "value" | "policy">): AppValues => ({
  path,
  summary,
  value: write(value),
  policy,
  message: "",
  storedValue: write(value),
});

/** Returns whether a text is JSON. */
export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Returns what a new app consists of. */
export const toNewApp = ({ path, summary, value, policy, message }: AppValues) => ({
  path,
  summary,
  value: JSON.parse(value) as unknown,
  policy,
  deployment_message: message || null,
});

/** Returns what a save sends. The value is left out if it is unchanged. */
export function toAppChange({ path, summary, value, policy, message, storedValue }: AppValues) {
  const version = value === storedValue ? {} : { value: JSON.parse(value) as unknown, deployment_message: message || null };
  return { path, summary, policy, ...version };
}

/** Reads an app for its form. */
export async function loadApp(workspace: string, path: string): Promise<Loaded<AppValues>> {
  const { value, headers } = await ask.apps.get({ workspace, path });
  return { values: fromApp(value), version: headers.get("etag") ?? undefined };
}

/** Returns what a draft contains: all fields of the form. */
export const keepableApp = ({ storedValue, ...fields }: AppValues): Partial<AppValues> => fields;

/** The fields in which two versions are compared. */
export const appFields: readonly ComparedField<AppValues>[] = [
  compared(storedText.path, "path"),
  compared(text.summary, "summary"),
  compared(text.mode, "policy", ({ execution_mode }) => execution_mode),
  compared(text.value, "value"),
];
