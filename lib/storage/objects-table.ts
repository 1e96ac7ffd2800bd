import { Duration } from "aws-cdk-lib";
import { StreamViewType, Table } from "aws-cdk-lib/aws-dynamodb";
import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import { FilterCriteria, FilterRule, type Function as LambdaFunction, StartingPosition } from "aws-cdk-lib/aws-lambda";
import { SqsDestination } from "aws-cdk-lib/aws-lambda-destinations";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import { env } from "../../contract/env.ts";
import { anchorObject } from "../../core/approvals/anchor.ts";
import { linkKeysObject } from "../../core/approvals/link.ts";
import { pendingGateObject } from "../../core/approvals/pending-gate.ts";
import { approvalEntryObject, grownChainObject } from "../../core/approvals/record.ts";
import { appObject } from "../../core/apps/app.ts";
import { auditEntryObject } from "../../core/audit/entry.ts";
import { bulkObject, bulkPartObject } from "../../core/bulk/bulk.ts";
import { chatLinkObject } from "../../core/chats/chat-account.ts";
import { teamsChatObject, teamsTeamObject } from "../../core/chats/teams/teams-place.ts";
import { favoritesObject } from "../../core/console/favorites.ts";
import { viewObject } from "../../core/console/view.ts";
import { dueAttemptObject } from "../../core/deliveries/due-attempt.ts";
import { eventDeliveryObject } from "../../core/deliveries/event-delivery.ts";
import { endpointObject } from "../../core/events/endpoint.ts";
import { outboxEventObject } from "../../core/events/outbox-event.ts";
import { flowHeadObject, flowListingObject } from "../../core/flows/version.ts";
import { httpRouteFailuresObject } from "../../core/http-routes/failures.ts";
import { httpRoutesAtObject } from "../../core/http-routes/route-entries.ts";
import { savedInputArgsObject, savedInputObject } from "../../core/inputs/saved-input.ts";
import { endedIndexObject } from "../../core/jobs/lists/ended-index.ts";
import { failedItemObject, taskCursorObject } from "../../core/jobs/periodic-task.ts";
import { repeatedCallObject } from "../../core/jobs/repeated-call.ts";
import { noticeAgainObject, noticeDeliveryObject, noticeObject } from "../../core/notifications/stored-notice.ts";
import { webhookSecretObject } from "../../core/notifications/webhook-secret.ts";
import type { AnyObjectKind } from "../../core/objects/define-object.ts";
import { settingObject } from "../../core/objects/setting.ts";
import { scheduleOutcomesObject } from "../../core/outcome-handlers/schedule-outcomes.ts";
import { publicKeyObject } from "../../core/people/signing-key.ts";
import { tokenObject, userTokenObject } from "../../core/people/token.ts";
import { tokenExpiryObject } from "../../core/people/token-expiry.ts";
import { accessObject } from "../../core/permissions/access.ts";
import { resourceObject } from "../../core/resources/resource.ts";
import { scheduleObject } from "../../core/schedules/schedule.ts";
import { scriptHeadObject, scriptListingObject } from "../../core/scripts/version.ts";
import { searchEntryObject, searchIndexObject } from "../../core/search/index-items.ts";
import { keyRingObject } from "../../core/secrets/key-ring.ts";
import { chatCredentialObject } from "../../core/secrets/sealed-copy.ts";
import { sharesObject } from "../../core/shares/share.ts";
import { openStreamObject } from "../../core/streams/stream-slot.ts";
import { connectionObject } from "../../core/triggers/sources.ts";
import {
  heldJobObject,
  mailboxObject,
  polledQueueObject,
  releaseObject,
  triggerFaultObject,
  triggerObject,
  triggerSourceObject,
} from "../../core/triggers/trigger.ts";
import { variableObject } from "../../core/variables/variable.ts";
import { deletedWorkspaceObject } from "../../core/workspaces/deleted.ts";
import { folderObject, workspaceObject } from "../../core/workspaces/workspace.ts";
import type { StackConfig } from "../config.ts";
import { listSavedKinds } from "./saved-kinds.ts";
import { identifyTable, tableProps } from "./table-props.ts";
import { grantStreamRead } from "./table-stream.ts";

/** The table of stored objects: scripts, folders, tokens, workspaces, and the outbox, whose items the table's stream delivers. */
export class ObjectsTable extends Construct {
  readonly table: Table;

  constructor(scope: Construct, id: string, config: StackConfig) {
    super(scope, id);
    const { id: tableId, ...name } = identifyTable(config.restored.objectsTable);
    this.table = new Table(this, tableId, {
      ...tableProps(config),
      ...name,
      stream: StreamViewType.NEW_IMAGE,
    });
  }

  /** Grants reads of one item by key. */
  allowGetItem(fn: LambdaFunction): void {
    this.allow(fn, ["GetItem"]);
  }

  /** Grants a function that ends jobs the right to read the workspace's outcome handlers, and nothing else. */
  allowReadOutcomeHandlers(fn: LambdaFunction): void {
    this.allowItems(fn, ["GetItem"], [settingObject, scheduleObject, scheduleOutcomesObject]);
    fn.addEnvironment(env.objectsTable, this.table.tableName);
  }

  /** Grants reads of the copies of the resources of chat applications, and of no other item. */
  allowReadChatCopies(fn: LambdaFunction): void {
    this.allowItems(fn, ["GetItem"], [chatCredentialObject]);
    fn.addEnvironment(env.objectsTable, this.table.tableName);
  }

  allowRead(fn: LambdaFunction): void {
    this.allow(fn, ["GetItem", "BatchGetItem", "Query"]);
  }

  /** Grants reads of the public keys for job tokens together. */
  allowListKeys(fn: LambdaFunction): void {
    this.allowItems(fn, ["Query"], [publicKeyObject]);
  }

  /** Grants an executor the right to publish the public key for job tokens, and no other writes. */
  allowPublishKey(fn: LambdaFunction): void {
    fn.addToRolePolicy(
      new PolicyStatement({
        actions: ["dynamodb:PutItem"],
        resources: [this.table.tableArn],
        conditions: { "ForAllValues:StringEquals": { "dynamodb:LeadingKeys": [publicKeyObject.leadingKeys] } },
      }),
    );
  }

  /** Grants updates of the last use of tokens, and of no other item. */
  allowTouchTokens(fn: LambdaFunction): void {
    this.allowItems(fn, ["UpdateItem"], [tokenObject, userTokenObject]);
  }

  /** Grants access to the items of idempotency keys, and to no others. */
  allowIdempotency(fn: LambdaFunction): void {
    this.allowItems(fn, ["PutItem", "DeleteItem"], [repeatedCallObject]);
  }

  /** Grants access to the items of open streams, and to no others. */
  allowStreamSlots(fn: LambdaFunction): void {
    this.allowItems(fn, ["PutItem", "DeleteItem"], [openStreamObject]);
  }

  /** Delivers every new notice and event to a function, which stores the progress of its deliveries. `undispatched` receives the positions of records that it could not handle. */
  allowDeliver(fn: LambdaFunction, config: StackConfig, undispatched: Queue): void {
    this.allowRead(fn);
    this.allowItems(
      fn,
      ["PutItem"],
      [dueAttemptObject, webhookSecretObject, noticeDeliveryObject, eventDeliveryObject, endpointObject, noticeObject],
    );
    this.allowStreamReads(fn, [noticeObject, outboxEventObject], { config, undispatched });
  }

  /** Subscribes a function to new items of these kinds. A failing batch is halved until the failing record is isolated, which is repeated for 20 hours. */
  private allowStreamReads(
    fn: LambdaFunction,
    kinds: readonly AnyObjectKind[],
    { config, undispatched }: { config: StackConfig; undispatched: Queue },
  ): void {
    fn.addEventSourceMapping("Notices", {
      eventSourceArn: grantStreamRead(this.table, fn),
      startingPosition: StartingPosition.LATEST,
      filters: kinds.map(({ partition }) =>
        FilterCriteria.filter({
          eventName: FilterRule.isEqual("INSERT"),
          dynamodb: { Keys: { pk: { S: FilterRule.beginsWith(`${partition}#`) } } },
        }),
      ),
      // The local engine does not support partial batch responses, so each batch has one item.
      batchSize: config.local ? 1 : 25,
      reportBatchItemFailures: true,
      bisectBatchOnError: true,
      // The stream holds a record for a day. That is longer than an outage of SQS.
      retryAttempts: 10_000,
      maxRecordAge: Duration.hours(20),
      onFailure: new SqsDestination(undispatched),
    });
  }

  /** Grants access to pending gates, decisions, notices, and the keys that sign links. */
  allowApprove(fn: LambdaFunction): void {
    const partitions = [
      pendingGateObject,
      approvalEntryObject,
      grownChainObject,
      noticeObject,
      noticeAgainObject,
      linkKeysObject,
      webhookSecretObject,
      auditEntryObject,
    ];
    this.allowItems(fn, ["PutItem", "DeleteItem"], partitions);
    // Persons in chats who do not stand for a user yet. Only function `people` connects them.
    this.allowItems(fn, ["PutItem"], [chatLinkObject]);
    // The places where bots are installed, which function `chat` reports.
    this.allowItems(fn, ["PutItem", "DeleteItem"], [teamsTeamObject, teamsChatObject]);
  }

  /** Grants writes of audit log entries. The entry of a refused change is deleted. */
  allowAudit(fn: LambdaFunction): void {
    this.allowItems(fn, ["PutItem", "DeleteItem"], [auditEntryObject]);
  }

  /** Grants writes of saved inputs, and of no other item. */
  allowSaveInputs(fn: LambdaFunction): void {
    this.allowItems(fn, ["PutItem", "DeleteItem"], [savedInputObject, savedInputArgsObject]);
  }

  /** Grants writes of actions on many jobs, and of no other item. */
  allowBulkActions(fn: LambdaFunction): void {
    this.allowItems(fn, ["PutItem"], [bulkObject, bulkPartObject]);
  }

  /** Grants writes of the links that show runs, and of no other item. */
  allowShareRuns(fn: LambdaFunction): void {
    this.allowItems(fn, ["PutItem"], [sharesObject]);
  }

  /** Grants writes of the wrapped keys that sign approval links: reading a link may replace an old key. */
  allowLinkKeys(fn: LambdaFunction): void {
    this.allowItems(fn, ["PutItem"], [linkKeysObject]);
  }

  /** Grants the creation of a workspace's key ring: the first export of its key may come before its first secret. */
  allowCreateKeyRing(fn: LambdaFunction): void {
    this.allowItems(fn, ["PutItem"], [keyRingObject]);
    this.allowItems(fn, ["ConditionCheckItem"], [workspaceObject]);
  }

  /** Grants requests to check the sources of triggers. */
  allowRequestConnections(fn: LambdaFunction): void {
    this.allowItems(fn, ["PutItem"], [connectionObject]);
  }

  /**
   * Grants the writes of changes to schedules, triggers, and any other kind whose routes the function `triggers` answers: the objects, the entries
   * that find them, their permissions, and requests to check a source.
   */
  allowSaveTriggers(fn: LambdaFunction): void {
    this.allowRead(fn);
    const found = [searchEntryObject, triggerSourceObject, polledQueueObject, mailboxObject, releaseObject, connectionObject];
    this.allowItems(
      fn,
      ["PutItem", "DeleteItem"],
      [scheduleObject, triggerObject, ...listSavedKinds("triggers"), accessObject, httpRoutesAtObject, httpRouteFailuresObject, ...found],
    );
    // A save at a path requires the workspace and the folder.
    this.allowItems(fn, ["ConditionCheckItem"], [workspaceObject, folderObject, accessObject]);
  }

  /** Grants reads, and writes of what users store for their work in the console. */
  allowSaveConsole(fn: LambdaFunction): void {
    this.allowRead(fn);
    this.allowItems(fn, ["PutItem"], [favoritesObject]);
    this.allowItems(fn, ["PutItem", "DeleteItem"], [viewObject]);
    // A workspace whose objects are older than its index gets it by its first searches, if the objects do not change.
    this.allowItems(fn, ["PutItem"], [searchEntryObject, searchIndexObject]);
    const scripts = [scriptHeadObject, scriptListingObject, flowHeadObject, flowListingObject];
    this.allowItems(fn, ["ConditionCheckItem"], [...scripts, appObject, variableObject, resourceObject, scheduleObject, triggerObject]);
  }

  /** Grants the writes of function `receive`: faults of triggers, jobs that wait for their trigger, and requests to check a source. */
  allowReceive(fn: LambdaFunction): void {
    this.allowRead(fn);
    this.allowItems(fn, ["PutItem", "DeleteItem"], [triggerFaultObject, heldJobObject, connectionObject]);
    // A job waits only while its trigger is suspended.
    this.allowItems(fn, ["ConditionCheckItem"], [triggerObject]);
  }

  /** Grants the writes of function `routes` other than jobs: faults of routes, and jobs that wait for their route. */
  allowHttpRoutes(fn: LambdaFunction): void {
    this.allowItems(fn, ["PutItem"], [triggerFaultObject, heldJobObject, httpRouteFailuresObject]);
    // A job waits only while its route is suspended.
    this.allowItems(fn, ["ConditionCheckItem"], [triggerObject]);
  }

  /** Grants the writes of function `connect`: faults of triggers, and the list of sources to check. */
  allowConnect(fn: LambdaFunction): void {
    this.allowRead(fn);
    this.allowItems(fn, ["PutItem", "DeleteItem"], [triggerFaultObject, connectionObject]);
  }

  /** Grants access to the signed heads of the audit log of approvals. */
  allowAnchors(fn: LambdaFunction): void {
    this.allowItems(fn, ["PutItem"], [anchorObject]);
  }

  /** Grants the right to turn off a schedule that has nothing to run. */
  allowTurnOffSchedules(fn: LambdaFunction): void {
    this.allowItems(fn, ["PutItem"], [scheduleObject]);
  }

  private allowItems(fn: LambdaFunction, actions: string[], kinds: readonly Pick<AnyObjectKind, "leadingKeys">[]): void {
    fn.addToRolePolicy(
      new PolicyStatement({
        actions: actions.map((action) => `dynamodb:${action}`),
        resources: [this.table.tableArn],
        conditions: { "ForAllValues:StringLike": { "dynamodb:LeadingKeys": kinds.map(({ leadingKeys }) => leadingKeys) } },
      }),
    );
  }

  /** Grants actions on items by key. Transactions need no additional action, because IAM checks each part as a single call. */
  allowWrite(fn: LambdaFunction): void {
    this.allow(fn, ["GetItem", "BatchGetItem", "Query", "PutItem", "UpdateItem", "DeleteItem", "ConditionCheckItem"]);
  }

  /** Grants an executor writes of audit entries of secrets that jobs read, in batches with the values of these jobs. */
  allowAuditBatches(fn: LambdaFunction): void {
    this.allow(fn, ["BatchWriteItem"]);
  }

  /** Grants the rights of the sweep, which deletes expired items and items of deleted workspaces and stores its progress in the table. */
  allowSweep(fn: LambdaFunction): void {
    this.allow(fn, ["GetItem", "Query", "Scan", "DeleteItem"]);
    // The failed items and the position of housekeeping, and the time since which an index is complete.
    this.allowItems(fn, ["PutItem"], [deletedWorkspaceObject, failedItemObject, taskCursorObject, endedIndexObject]);
  }

  /** Grants the rights to announce and delete tokens that expire: the workspaces of their owners, the index of expiries, and events. `allowSweep` grants the deletion. */
  allowExpireTokens(fn: LambdaFunction): void {
    this.allow(fn, ["BatchGetItem"]);
    this.allowItems(fn, ["PutItem"], [tokenExpiryObject, outboxEventObject]);
    this.allowItems(fn, ["ConditionCheckItem"], [tokenExpiryObject, tokenObject]);
  }

  private allow(fn: LambdaFunction, actions: string[]): void {
    fn.addToRolePolicy(new PolicyStatement({ actions: actions.map((action) => `dynamodb:${action}`), resources: [this.table.tableArn] }));
    fn.addEnvironment(env.objectsTable, this.table.tableName);
  }
}
