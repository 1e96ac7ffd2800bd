import { describe, expect, it } from "vitest";
import { toOperation } from "../../contract/access/operation.ts";
import type { Route } from "../../contract/route.ts";
import { routes } from "../../contract/routes/routes.ts";
import { createSecretReadEntries } from "./entry.ts";

describe("audit entries of secrets", () => {
  const job = { id: "019a0000-0000-7000-8000-000000000000", workspace: "w" };

  it("a repeated read of a secret yields one entry for each job and path", () => {
    const first = createSecretReadEntries(job, "ann", ["f/a/b", "f/a/c"], 1_700_000_000_000);
    expect(createSecretReadEntries(job, "ann", ["f/a/b", "f/a/c"], 1_700_000_000_000)).toEqual(first);
    const others = createSecretReadEntries({ ...job, id: "019a0000-0000-7000-8000-000000000001" }, "ann", ["f/a/b"], 1_700_000_000_000);
    expect(new Set([...first, ...others].map(({ id }) => id)).size).toBe(3);
  });

  it("entries are sorted by time", () => {
    const [early] = createSecretReadEntries(job, "ann", ["f/a/b"], 1_700_000_000_000);
    const [late] = createSecretReadEntries(job, "ann", ["f/a/b"], 1_700_000_000_001);
    expect(String(early?.id) < String(late?.id)).toBe(true);
    expect(early).toMatchObject({ timestamp: "2023-11-14T22:13:20.000Z", resource: "f/a/b", parameters: { job: job.id } });
  });
});

/** The operations that existing clients know. */
const DOCUMENTED = [
  ..."jobs.cancel jobs.force_cancel jobs.delete resources.create resources.update resources.delete".split(" "),
  ..."resource_types.create resource_types.update resource_types.delete scripts.create scripts.update scripts.archive".split(" "),
  ..."scripts.delete users.create users.delete users.update users.login users.logout users.accept_invite users.decline_invite".split(" "),
  ..."users.token.create users.token.delete users.add_to_workspace users.add_global users.setpassword users.impersonate".split(" "),
  ..."users.leave_workspace oauth.login variables.create variables.delete variables.update flows.create flows.update".split(" "),
  ..."flows.delete flows.archive folder.create folder.update folder.delete folder.add_owner folder.remove_owner".split(" "),
  ..."group.create group.delete group.edit group.adduser group.removeuser igroup.create igroup.delete igroup.adduser".split(" "),
  ..."igroup.removeuser variables.decrypt_secret workspaces.edit_auto_invite_domain workspaces.create workspaces.update".split(" "),
  ..."workspaces.archive workspaces.unarchive workspaces.delete".split(" "),
];
/** The operations that only this service has. Add a new one here if there is no documented name for it. */
const OWN = [
  ..."jobs.set_user_state jobs.start_now jobs.set_progress approvals.mint approvals.mint_signature approvals.resume_flow".split(" "),
  ..."approvals.consent approvals.notify approvals.rotate_webhook_secret files.upload files.presign_upload files.delete".split(" "),
  ..."uploads.start uploads.presign_parts uploads.complete uploads.delete".split(" "),
  ..."files.move scripts.update_history scripts.store_temp scripts.mute_error_handler flows.mute_error_handler drafts.update dependencies.create dependencies.archive dependencies.delete variables.encrypt workspaces.set_encryption_key workspaces.continue_key_rotation".split(
    " ",
  ),
  ..."settings.set_global workspaces.edit_approvals workspaces.edit_large_file_storage users.overwrite_global".split(" "),
  ..."igroup.overwrite igroup.edit workspaces.invite_user workspaces.delete_invite acls.add acls.remove".split(" "),
  ..."workspaces.edit_webhook workspaces.rotate_webhook_secret webhooks.create webhooks.update webhooks.delete webhooks.test".split(" "),
  ..."webhooks.test_instance webhooks.rotate_instance_secret webhooks.replay_deliveries webhooks.replay_instance_deliveries".split(" "),
  ..."users.token.update_scopes users.token.update_label users.token.refresh".split(" "),
  ..."oauth.create_account oauth.disconnect oauth.connect_callback oauth.refresh_token oidc.token auth.decide_device_request".split(" "),
  ..."workspaces.edit_failed_runs workspaces.edit_failure_notices scripts.edit_failure_notice flows.edit_failure_notice".split(" "),
  ..."workspaces.edit_error_handler workspaces.edit_success_handler apps.create apps.update apps.delete".split(" "),
  ..."workspaces.edit_default_app workspaces.edit_default_scripts workspaces.edit_git_sync_config workspaces.edit_slack_command".split(" "),
  ..."workspaces.edit_operator_settings workspaces.edit_datatable_config workspaces.edit_deploy_ui_config".split(" "),
  "workspaces.mute_critical_alerts",
  ..."chats.ask_in_slack chats.ask_in_discord chats.ask_in_teams chats.post_in_teams chat_accounts.find_link chat_accounts.connect chat_accounts.disconnect".split(
    " ",
  ),
  ..."inputs.create inputs.update inputs.delete jobs.share jobs.revoke_share jobs.bulk.start jobs.bulk.stop".split(" "),
  ..."favorites.star favorites.unstar views.create views.update views.delete account.edit_preferences".split(" "),
  ..."schedule.create schedule.edit schedule.setenabled schedule.delete".split(" "),
  ...["http", "sqs", "aws", "email"].flatMap((kind) =>
    ["create", "update", "set_mode", "delete"].map((verb) => `${kind}_triggers.${verb}`),
  ),
];

describe("operations in the audit log", () => {
  const changes = Object.values<Route>(routes).filter(
    ({ auth, access }) => auth === "token" && typeof access === "object" && access.verb === "write",
  );

  it.each(changes)("$name has a documented operation, or one that only this service has", (route) => {
    expect([...DOCUMENTED, ...OWN]).toContain(toOperation(route));
  });
});
