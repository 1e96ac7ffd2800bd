import { accountKeyObject, accountObject, dueRefreshObject } from "./accounts/account.ts";
import { anchorObject } from "./approvals/anchor.ts";
import { linkKeysObject } from "./approvals/link.ts";
import { pendingGateObject } from "./approvals/pending-gate.ts";
import { approvalEntryObject, grownChainObject } from "./approvals/record.ts";
import { appCustomPathObject, appHistoryObject, appObject, appPathObject, appVersionObject, deletedAppObject } from "./apps/app.ts";
import { auditEntryObject } from "./audit/entry.ts";
import { artefactObject, typedSourceObject } from "./builds/artefact.ts";
import { bulkObject, bulkPartObject } from "./bulk/bulk.ts";
import { chatAccountObject, chatLinkObject, userChatAccountObject } from "./chats/chat-account.ts";
import { teamsChatObject, teamsTeamObject } from "./chats/teams/teams-place.ts";
import { favoritesObject } from "./console/favorites.ts";
import { preferencesObject } from "./console/preferences.ts";
import { viewObject } from "./console/view.ts";
import { dueAttemptObject } from "./deliveries/due-attempt.ts";
import { eventDeliveryObject } from "./deliveries/event-delivery.ts";
import { draftObject } from "./drafts/draft.ts";
import { endpointGuardObject, endpointObject } from "./events/endpoint.ts";
import { outboxEventObject } from "./events/outbox-event.ts";
import { uploadObject } from "./files/upload.ts";
import {
  flowBodyObject,
  flowHashObject,
  flowHeadObject,
  flowHistoryObject,
  flowListingObject,
  flowVersionObject,
} from "./flows/version.ts";
import { httpRouteFailuresObject } from "./http-routes/failures.ts";
import { httpRoutesAtObject } from "./http-routes/route-entries.ts";
import { savedInputArgsObject, savedInputObject } from "./inputs/saved-input.ts";
import { endedIndexObject } from "./jobs/lists/ended-index.ts";
import { failedItemObject, taskCursorObject } from "./jobs/periodic-task.ts";
import { repeatedCallObject } from "./jobs/repeated-call.ts";
import { noticeAgainObject, noticeDeliveryObject, noticeObject } from "./notifications/stored-notice.ts";
import { webhookSecretObject } from "./notifications/webhook-secret.ts";
import { instanceSettingObject, settingObject } from "./objects/setting.ts";
import { simpleObject } from "./objects/simple-object.ts";
import type { ObjectKey } from "./objects/write.ts";
import { noticedFailuresObject } from "./outcome-handlers/failure-notices.ts";
import { scheduleOutcomesObject } from "./outcome-handlers/schedule-outcomes.ts";
import { deviceGrantObject, deviceUserCodeObject } from "./people/device-grant.ts";
import { idTokenKeyObject } from "./people/id-token.ts";
import { instanceGroupObject, instanceGroupRoleObject } from "./people/instance-group.ts";
import { loginKeyObject, usedLoginObject } from "./people/login.ts";
import { formerUsernameObject, inviteObject, removalObject, usernameObject } from "./people/membership.ts";
import { userObject } from "./people/person.ts";
import { signInAttemptsObject } from "./people/sign-in-throttle.ts";
import { publicKeyObject } from "./people/signing-key.ts";
import { tokenObject, userTokenObject } from "./people/token.ts";
import { tokenExpiryIndexObject, tokenExpiryObject } from "./people/token-expiry.ts";
import { accessObject, memberObject } from "./permissions/access.ts";
import { resourceObject } from "./resources/resource.ts";
import { resourceTypeObject } from "./resources/type.ts";
import { scheduleObject } from "./schedules/schedule.ts";
import { tempSourceObject } from "./scripts/temp-source.ts";
import {
  scriptBodyObject,
  scriptHeadObject,
  scriptHistoryObject,
  scriptListingObject,
  scriptLockObject,
  scriptVersionObject,
} from "./scripts/version.ts";
import { searchEntryObject, searchIndexObject } from "./search/index-items.ts";
import { dueRotationObject, keyRingObject } from "./secrets/key-ring.ts";
import { chatCredentialObject, chatKeyObject, copyVariableObject, routeCredentialObject, routeKeyObject } from "./secrets/sealed-copy.ts";
import { sharesObject } from "./shares/share.ts";
import { openStreamObject } from "./streams/stream-slot.ts";
import { connectionObject } from "./triggers/sources.ts";
import {
  heldJobObject,
  mailboxObject,
  polledQueueObject,
  releaseObject,
  triggerFaultObject,
  triggerObject,
  triggerSourceObject,
} from "./triggers/trigger.ts";
import { variableObject } from "./variables/variable.ts";
import { deletedWorkspaceObject } from "./workspaces/deleted.ts";
import { archivedDependencyListObject, dependencyListObject } from "./workspaces/dependency-list.ts";
import { deploymentPushObject } from "./workspaces/deployment-push.ts";
import { folderObject, formerFolderObject, formerGroupObject, workspaceObject } from "./workspaces/workspace.ts";

/** Every kind of items in the table of objects. The items of the kinds that `defineKindObject` defines are in the partitions of `simpleObject`. */
export const storedObjects = [
  accountObject,
  dueRefreshObject,
  accountKeyObject,
  anchorObject,
  linkKeysObject,
  pendingGateObject,
  approvalEntryObject,
  grownChainObject,
  appObject,
  appPathObject,
  appVersionObject,
  appHistoryObject,
  appCustomPathObject,
  deletedAppObject,
  auditEntryObject,
  artefactObject,
  typedSourceObject,
  dueAttemptObject,
  eventDeliveryObject,
  draftObject,
  favoritesObject,
  viewObject,
  searchEntryObject,
  searchIndexObject,
  preferencesObject,
  endpointObject,
  endpointGuardObject,
  outboxEventObject,
  flowHeadObject,
  flowVersionObject,
  flowHashObject,
  flowBodyObject,
  flowListingObject,
  flowHistoryObject,
  noticedFailuresObject,
  scheduleOutcomesObject,
  bulkObject,
  bulkPartObject,
  savedInputObject,
  savedInputArgsObject,
  endedIndexObject,
  failedItemObject,
  taskCursorObject,
  repeatedCallObject,
  noticeObject,
  noticeAgainObject,
  noticeDeliveryObject,
  webhookSecretObject,
  settingObject,
  simpleObject,
  instanceSettingObject,
  deviceGrantObject,
  deviceUserCodeObject,
  idTokenKeyObject,
  instanceGroupObject,
  instanceGroupRoleObject,
  loginKeyObject,
  usedLoginObject,
  usernameObject,
  formerUsernameObject,
  inviteObject,
  removalObject,
  userObject,
  signInAttemptsObject,
  publicKeyObject,
  tokenExpiryObject,
  tokenExpiryIndexObject,
  tokenObject,
  userTokenObject,
  memberObject,
  accessObject,
  resourceObject,
  resourceTypeObject,
  httpRouteFailuresObject,
  httpRoutesAtObject,
  scheduleObject,
  tempSourceObject,
  scriptHeadObject,
  scriptVersionObject,
  scriptBodyObject,
  scriptLockObject,
  scriptListingObject,
  scriptHistoryObject,
  keyRingObject,
  dueRotationObject,
  routeCredentialObject,
  copyVariableObject,
  routeKeyObject,
  chatCredentialObject,
  chatKeyObject,
  chatLinkObject,
  teamsTeamObject,
  teamsChatObject,
  chatAccountObject,
  userChatAccountObject,
  sharesObject,
  uploadObject,
  openStreamObject,
  connectionObject,
  triggerObject,
  triggerSourceObject,
  triggerFaultObject,
  heldJobObject,
  releaseObject,
  polledQueueObject,
  mailboxObject,
  variableObject,
  deletedWorkspaceObject,
  deploymentPushObject,
  dependencyListObject,
  archivedDependencyListObject,
  workspaceObject,
  folderObject,
  formerFolderObject,
  formerGroupObject,
] as const;

/**
 * Returns the workspace to which an item of the table belongs, or `undefined` for an item of the instance or of a person. `workspace`: the one that
 * the item's value names. The deletion of a workspace uses it to find the workspace's items.
 */
export const findWorkspace = (item: ObjectKey & { workspace?: string | undefined }): string | undefined =>
  storedObjects.find((kind) => kind.holds(item))?.workspaceOf(item);
