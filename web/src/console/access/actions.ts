import type { OperationName } from "../../../../contract/client/operation.ts";
import type { UserJson } from "../../../../contract/routes/people/people.ts";

/**
 * The people who are offered an action: everyone, those who may write (no operators), the admins of the workspace, or superadmins. The service
 * also checks the rights on the object.
 */
export type Offered = "everyone" | "writers" | "admins" | "superadmins";

/**
 * The operations that change something, and who is offered them. A test compares the table with the access of the routes, and with the calls
 * of the pages.
 */
export const offers = {
  "account.editPreferences": "everyone",
  "apps.create": "writers",
  "apps.delete": "writers",
  "apps.update": "writers",
  // Only administrators read the record of decisions and the audit log.
  "acls.add": "writers",
  "acls.remove": "writers",
  "approvals.audit": "admins",
  "approvals.verify": "admins",
  "audit.list": "admins",
  "auth.beginSession": "everyone",
  "aws_triggers.create": "writers",
  "aws_triggers.delete": "writers",
  "aws_triggers.setMode": "writers",
  "aws_triggers.update": "writers",
  "chatAccounts.connect": "everyone",
  "chatAccounts.disconnect": "everyone",
  "chatAccounts.findLink": "everyone",
  "drafts.update": "writers",
  "email_triggers.create": "writers",
  "email_triggers.delete": "writers",
  "email_triggers.setMode": "writers",
  "email_triggers.update": "writers",
  "favorites.star": "everyone",
  "favorites.unstar": "everyone",
  "files.delete": "writers",
  "files.presignUpload": "writers",
  "files.sign": "everyone",
  "flows.archive": "writers",
  "flows.create": "writers",
  "flows.update": "writers",
  "folders.addOwner": "writers",
  "folders.create": "writers",
  "folders.delete": "writers",
  "folders.removeOwner": "writers",
  "folders.update": "writers",
  "groups.addUser": "writers",
  "groups.create": "writers",
  "groups.delete": "writers",
  "groups.removeUser": "writers",
  "groups.update": "writers",
  "http_triggers.create": "writers",
  "http_triggers.delete": "writers",
  "http_triggers.setMode": "writers",
  "http_triggers.update": "writers",
  "inputs.create": "everyone",
  "inputs.delete": "everyone",
  "inputs.update": "everyone",
  "instanceGroups.addUser": "superadmins",
  "instanceGroups.create": "superadmins",
  "instanceGroups.delete": "superadmins",
  "instanceGroups.removeUser": "superadmins",
  "jobs.bulk.start": "everyone",
  "jobs.bulk.stop": "everyone",
  "jobs.cancel": "everyone",
  "jobs.forceCancel": "everyone",
  "jobs.rerun": "everyone",
  "jobs.restart.flows": "everyone",
  "jobs.revokeShare": "everyone",
  "jobs.run.flows": "everyone",
  "jobs.run.preview": "writers",
  "jobs.run.previewFlow": "writers",
  "jobs.run.scripts": "everyone",
  "jobs.share": "everyone",
  "openapi.generate": "everyone",
  "resources.create": "writers",
  "resources.delete": "writers",
  "resources.types.create": "writers",
  "resources.types.delete": "writers",
  "resources.types.update": "writers",
  "resources.update": "writers",
  "schedules.create": "writers",
  "schedules.delete": "writers",
  "schedules.preview": "everyone",
  "schedules.setEnabled": "writers",
  "schedules.update": "writers",
  "scripts.archiveByPath": "writers",
  "scripts.create": "writers",
  "settings.setGlobal": "superadmins",
  "sqs_triggers.create": "writers",
  "sqs_triggers.delete": "writers",
  "sqs_triggers.setMode": "writers",
  "sqs_triggers.update": "writers",
  "tokens.create": "everyone",
  "tokens.delete": "everyone",
  "uploads.complete": "writers",
  "uploads.delete": "writers",
  "uploads.presignParts": "writers",
  "uploads.start": "writers",
  "users.acceptInvite": "everyone",
  "users.createGlobal": "superadmins",
  "users.declineInvite": "everyone",
  "users.delete": "admins",
  "users.deleteGlobal": "superadmins",
  "users.update": "admins",
  "users.updateGlobal": "superadmins",
  "variables.create": "writers",
  "variables.delete": "writers",
  "variables.update": "writers",
  "views.create": "everyone",
  "views.delete": "everyone",
  "webhooks.create": "admins",
  "webhooks.delete": "admins",
  "webhooks.replayDeliveries": "admins",
  "webhooks.replayInstanceDeliveries": "superadmins",
  "webhooks.rotateInstanceSecret": "superadmins",
  "webhooks.test": "admins",
  "webhooks.testInstance": "superadmins",
  "webhooks.update": "admins",
  "workspaces.addUser": "admins",
  "workspaces.archive": "admins",
  "workspaces.changeColor": "admins",
  "workspaces.changeName": "admins",
  "workspaces.create": "superadmins",
  "workspaces.delete": "superadmins",
  "workspaces.deleteInvite": "admins",
  "workspaces.editApprovals": "admins",
  "workspaces.editAutoInvite": "admins",
  "workspaces.editDefaultApp": "admins",
  "workspaces.editErrorHandler": "admins",
  "workspaces.editFailedRuns": "admins",
  "workspaces.editFailureNotices": "admins",
  "workspaces.editLargeFileStorage": "admins",
  "workspaces.editSuccessHandler": "admins",
  "workspaces.editWebhook": "admins",
  "workspaces.inviteUser": "admins",
  "workspaces.rotateWebhookSecret": "admins",
  "workspaces.continueKeyRotation": "admins",
  "workspaces.setEncryptionKey": "admins",
  "workspaces.unarchive": "admins",
} as const satisfies Partial<Record<OperationName, Offered>>;

type Member = Pick<UserJson, "operator" | "is_admin" | "is_super_admin">;

/** Returns whether a member of the workspace is offered an operation. */
export function isOffered(operation: keyof typeof offers, { operator, is_admin, is_super_admin }: Member): boolean {
  switch (offers[operation] as Offered) {
    case "everyone":
      return true;
    case "writers":
      return !operator || is_admin || is_super_admin;
    case "admins":
      return is_admin || is_super_admin;
    default:
      return is_super_admin;
  }
}
