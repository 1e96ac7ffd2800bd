import type { SettingsJson } from "../../../contract/routes/workspaces/setting-schemas.ts";
import type { CONNECT_CLIENTS } from "../../accounts/client.ts";
import type { KnownSetting } from "../../settings/instance.ts";

/**
 * `plain`: any reader of the backup may know the value. `sealed`: it may contain a secret, such as the token in the URL of a webhook, so it is
 * sealed for the person who may read the backup. `left out`: the API does not return it completely.
 */
type Treatment = "plain" | "sealed" | "left out";

/** The settings of the instance. All others belong to other clients and are sealed. */
export const instanceTreatments: Readonly<Record<KnownSetting | typeof CONNECT_CLIENTS, Treatment>> = {
  require_preexisting_user_for_oauth: "plain",
  timeout_wait_result: "plain",
  instance_events_webhook: "sealed",
  aws_trigger_sources: "plain",
  http_route_workspaced_route: "plain",
  automate_username_creation: "plain",
  oauths: "left out",
};

/** The settings of a workspace. Those that this service stores for other clients may contain anything, and so do the arguments of handlers. */
export const workspaceTreatments: Readonly<Record<keyof SettingsJson, Treatment>> = {
  workspace_id: "plain",
  name: "plain",
  color: "plain",
  auto_invite: "plain",
  large_file_storage: "plain",
  approvals: "plain",
  failed_runs: "plain",
  default_app: "plain",
  slack_command_script: "plain",
  mute_critical_alerts: "plain",
  webhook: "sealed",
  // A route changes both at once.
  events: "sealed",
  failure_notices: "sealed",
  error_handler: "sealed",
  success_handler: "sealed",
  default_scripts: "sealed",
  git_sync: "sealed",
  operator_settings: "sealed",
  datatable: "sealed",
  deploy_ui: "sealed",
};

export type Settings = Readonly<Record<string, unknown>>;

/**
 * Returns the settings that a backup contains as plain text, those that it contains only sealed, and the names of those that it never contains.
 */
export function divideSettings(
  treatments: Readonly<Record<string, Treatment>>,
  settings: Settings,
): { plain: Settings; sealed: Settings; leftOut: string[] } {
  const select = (selectedTreatment: Treatment) =>
    Object.entries(settings).filter(([name, value]) => {
      const treatment = Object.hasOwn(treatments, name) ? treatments[name] : "sealed";
      return treatment === selectedTreatment && value !== null && value !== undefined;
    });
  return {
    plain: Object.fromEntries(select("plain")),
    sealed: Object.fromEntries(select("sealed")),
    leftOut: select("left out").map(([name]) => name),
  };
}

/** Returns the settings that replace those of a workspace: nothing is deleted, so sealed settings that were not opened do not change. */
export function mergeSettings(plain: Settings, opened: Settings | undefined, present: Settings): Settings {
  return { ...(opened ?? divideSettings(workspaceTreatments, present).sealed), ...plain };
}
