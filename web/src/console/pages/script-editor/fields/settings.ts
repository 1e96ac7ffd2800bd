import type { settingsText } from "../../../messages/editor/script.ts";
import type { EditedScript } from "../script.ts";

export type SettingName = keyof typeof settingsText.names & keyof EditedScript;
type Kind = "number" | "text" | "long" | "switch" | "list";

/** The settings of a script, with the fields that change them. */
export const settings: Readonly<Record<SettingName, { kind: Kind; max?: number }>> = {
  description: { kind: "long" },
  timeout: { kind: "number" },
  tag: { kind: "text" },
  concurrent_limit: { kind: "number" },
  concurrency_time_window_s: { kind: "number" },
  concurrency_key: { kind: "text" },
  cache_ttl: { kind: "number" },
  cache_ignore_s3_path: { kind: "switch" },
  priority: { kind: "number", max: 100 },
  validate_input: { kind: "switch" },
  dedicated_worker: { kind: "switch" },
  restart_unless_cancelled: { kind: "switch" },
  delete_after_secs: { kind: "number" },
  visible_to_runner_only: { kind: "switch" },
  ws_error_handler_muted: { kind: "switch" },
  idempotent_webhook_id: { kind: "switch" },
  is_template: { kind: "switch" },
  envs: { kind: "list" },
  labels: { kind: "list" },
  debounce_delay_s: { kind: "number" },
  debounce_key: { kind: "text" },
};
export const settingNames = Object.keys(settings) as SettingName[];

/** Returns the settings that differ from their defaults. */
export const changedSettings = (script: EditedScript): SettingName[] =>
  settingNames.filter((name) => {
    const value = script[name];
    return value !== undefined && value !== null && value !== false && value !== "" && !(Array.isArray(value) && value.length === 0);
  });
