import type { FileChange } from "./changed-checkout.ts";

const jobField = (name: string, attribute: string, request: string): FileChange => ({
  file: "core/jobs/record/fields.ts",
  after: "export const runFields = {",
  add: `  ${name}: { stored: "${attribute}", schema: text, seenBy: "readers", json: "${name}", request: { ${request} } },`,
});
const shownField = (name: string): FileChange => ({
  file: "contract/routes/jobs/job.ts",
  after: "const jobFields = {",
  add: `  ${name}: z.string().optional(),`,
});
const variable = (name: string): FileChange[] => [
  { file: "core/jobs/contextual-variables.ts", after: '    | "workspace"', add: `    | "${name}"` },
  { file: "core/jobs/contextual-variables.ts", after: "    TOKEN: token,", add: `    ${name.toUpperCase()}: job.${name} ?? "",` },
];
const bookmarkFile = (file: string): FileChange => ({ file, fixture: "bookmarks" });

/** The examples of docs/how-to-change.md, each with the largest number of files that it may change. */
export const changes = {
  "a route with an error and an event": {
    files: 5,
    changes: [
      {
        file: "contract/routes/stored/drafts.ts",
        after: "export const draftRoutes = {",
        add: `  discardDrafts: defineRoute({
    ...read,
    method: "POST",
    name: "drafts.discardAll",
    summary: "Delete all of your drafts in a workspace.",
    path: \`\${w}/discard_all\`,
    access: { domain: "scripts", verb: "write", need: "member", target: "none", personal: true },
    audits: { kind: "Deleted", resource: { param: "workspace" } },
    params: inWorkspace,
    reply: { json: z.object({ discarded: z.number() }) },
    errors: ["draft.none"],
  }),`,
      },
      { file: "contract/errors/objects.ts", after: '  "draft.notFound": { path: string };', add: '  "draft.none": { workspace: string };' },
      {
        file: "contract/errors/objects.ts",
        after: "export const objectAnswers: Answers<ObjectErrors> = {",
        add: `  "draft.none": { status: 404, describe: ({ workspace }) => \`You have no drafts in \${workspace}.\` },`,
      },
      {
        file: "contract/events.ts",
        after: '  event("TokenExpired", tokenSchema),',
        add: '  event("DiscardDrafts", z.object({ count: z.number() })),',
      },
      {
        file: "services/drafts/discard-drafts.ts",
        create: `import { SvcError } from "../../contract/errors.ts";
import { draftObject } from "../../core/drafts/draft.ts";
import { unchangedSince, write } from "../../core/objects/write.ts";
import type { WorkspaceCaller } from "../../core/people/actor.ts";
import { personKey } from "../../core/people/person.ts";
import { buildEventWrites } from "../outbox/event.ts";
import type { Uses } from "../uses.ts";

/** Deletes all drafts of the caller. Throws \`draft.none\`, and \`draft.changedMeanwhile\` if one of them has changed. */
export async function discardDrafts(deps: Uses<"objects" | "nowMs">, { actor, workspace }: WorkspaceCaller): Promise<number> {
  const { pk, sk } = draftObject.key(workspace, personKey(actor.email), "", "");
  const drafts = await deps.objects.list(pk, { beginsWith: sk });
  if (drafts.length === 0) throw new SvcError("draft.none", { workspace });
  const event = { type: "DiscardDrafts" as const, workspace, by: actor.username, atMs: deps.nowMs(), data: { count: drafts.length } };
  const removals = drafts.map((draft) => write.remove(draft, unchangedSince(draft)));
  const failed = await deps.objects.transactWrite([...removals, ...(await buildEventWrites(deps, event))]);
  if (failed !== undefined) throw new SvcError("draft.changedMeanwhile", { path: workspace });
  return drafts.length;
}
`,
      },
      {
        file: "functions/people/drafts.ts",
        after: 'import { getDraft, listDrafts, updateDraft } from "../../services/drafts/drafts.ts";',
        add: 'import { discardDrafts } from "../../services/drafts/discard-drafts.ts";',
      },
      {
        file: "functions/people/drafts.ts",
        after: "export const drafts: ApiRoutes = [",
        add: `  on(routes.discardDrafts, async ({ auth: { actor }, params: { workspace } }) =>
    json(200, { discarded: await discardDrafts(deps, { actor, workspace }) }),
  ),`,
      },
    ],
  },
  "an option of a run that its caller sets": {
    files: 4,
    changes: [
      { file: "contract/routes/jobs/runs.ts", after: "export const runQuery = z.object({", add: "  note: z.string().optional()," },
      jobField("note", "zn", 'query: "note"'),
      shownField("note"),
      ...variable("note"),
    ],
  },
  "an option of a run that the author of its script sets": {
    files: 4,
    changes: [
      { file: "contract/routes/stored/script.ts", after: "const settable = {", add: "  owner: z.string().nullish()," },
      jobField("owner", "zo", 'script: "owner"'),
      shownField("owner"),
      ...variable("owner"),
    ],
  },
  "a rule of who may resume a flow": {
    files: 4,
    changes: [
      {
        file: "contract/flows/flow-value.ts",
        after: "  self_approval_disabled: optional(z.boolean()),",
        add: "  members_only: optional(z.boolean()),",
      },
      { file: "core/approvals/rules.ts", after: "  personOnly: z.boolean(),", add: "  membersOnly: z.boolean().optional()," },
      {
        file: "core/approvals/rules.ts",
        after: "    self_approval_disabled: notStarter,",
        add: "    members_only: membersOnly,",
      },
      { file: "core/approvals/rules.ts", after: "    personOnly: false,", add: "    membersOnly: membersOnly === true," },
      {
        file: "core/approvals/rules.ts",
        find: "    signedIn: signedIn === true ||",
        replace: "    signedIn: signedIn === true || membersOnly === true ||",
      },
      {
        file: "core/approvals/authorize.ts",
        after: '  if (who.kind === "job" && (rules.personOnly || accessPath.by === "chat")) return "job_token";',
        add: '  if (rules.membersOnly && !who.member) return "not_member";',
      },
      {
        file: "contract/approvals/refusals.ts",
        after: "export const refusals = {",
        add: `  not_member: {
    error: { code: "approval.refused", details: { reason: "you are not a member of the workspace" } },
    page: "Only members of the workspace may decide this request.",
  },`,
      },
    ],
  },
  "a channel of notices": {
    files: 3,
    changes: [
      {
        file: "contract/notices/channels.ts",
        after: "export const noticeChannels = {",
        add: '  pager: { receivers: "channel", asksApprovers: true, reportsRuns: false },',
      },
      {
        file: "services/notifications/channels/pager.ts",
        create: `import type { GateNoticeSender } from "./sender.ts";

export const pager: GateNoticeSender = {
  sendGateNotice: (deps, { notice, answerMs }) => deps.webhooks.post("https://pager.example.com", {}, JSON.stringify(notice.what), { answerMs }),
};
`,
      },
      {
        file: "services/notifications/channels/senders.ts",
        after: 'import { email } from "./email.ts";',
        add: 'import { pager } from "./pager.ts";',
      },
      {
        file: "services/notifications/channels/senders.ts",
        find: "publishingSenders, email,",
        replace: "publishingSenders, pager, email,",
      },
    ],
  },
  "a channel of notices of another service of AWS": {
    files: 4,
    changes: [
      {
        file: "contract/notices/channels.ts",
        after: "export const noticeChannels = {",
        add: '  bus: { receivers: "channel", asksApprovers: true, reportsRuns: true, rule: "Send to the event bus.", isPublished: true },',
      },
      { file: "aws/eventbridge/bus.ts", fixture: "event-bus" },
      {
        file: "functions/deliver/deps.ts",
        after: 'import { objectTable } from "../../aws/dynamodb/object-table.ts";',
        add: 'import { bus } from "../../aws/eventbridge/bus.ts";',
      },
      { file: "functions/deliver/deps.ts", find: "noticePublishers: { topic }", replace: "noticePublishers: { topic, bus }" },
      {
        file: "lib/notifications/notifications.ts",
        after: "    fn.addEnvironment(env.noticesTopic, this.topic.topicArn);",
        add: `    const bus = Stack.of(this).formatArn({ service: "events", resource: "event-bus", resourceName: "default" });
    fn.addToRolePolicy(new PolicyStatement({ actions: ["events:PutEvents"], resources: [bus] }));`,
      },
    ],
  },
  "a kind of stored objects with behaviour": {
    files: 8,
    changes: [
      {
        file: "contract/kinds/kinds.ts",
        after: "  // Settings name handlers, which must exist.",
        add: '  bookmark: { domain: "bookmarks", onlyInOwnArchives: true, isShared: true, columns: ["path", "title", "url"] },',
      },
      bookmarkFile("contract/routes/stored/bookmarks.ts"),
      {
        file: "contract/routes/routes.ts",
        after: 'import { appRoutes } from "./stored/apps.ts";',
        add: 'import { bookmarkRoutes } from "./stored/bookmarks.ts";',
      },
      { file: "contract/routes/routes.ts", after: "  ...appRoutes,", add: "  ...bookmarkRoutes," },
      bookmarkFile("core/bookmarks/bookmark.ts"),
      {
        file: "core/sync/kind-files.ts",
        after: 'import { newScheduleSchema } from "../../contract/routes/schedules/schedule.ts";',
        add: 'import { newBookmarkSchema } from "../../contract/routes/stored/bookmarks.ts";',
      },
      {
        file: "core/sync/kind-files.ts",
        find: 'import type { KindObject } from "../objects/kind-object.ts";',
        replace: `import { bookmarkObject } from "../bookmarks/bookmark.ts";
import type { KindObject } from "../objects/kind-object.ts";`,
      },
      {
        file: "core/sync/kind-files.ts",
        find: "  schedule: describeFiles(",
        replace: `  bookmark: describeFiles(newBookmarkSchema, bookmarkObject, (_, { title, url }) => ({ title, url })),
  schedule: describeFiles(`,
      },
      bookmarkFile("services/bookmarks/bookmarks.ts"),
      bookmarkFile("functions/objects/bookmarks.ts"),
      {
        file: "functions/objects/handler.ts",
        after: 'import { apps } from "./apps.ts";',
        add: 'import { bookmarks } from "./bookmarks.ts";',
      },
      { file: "functions/objects/handler.ts", after: "  ...apps,", add: "  ...bookmarks," },
    ],
  },
  "a kind of modules": {
    files: 7,
    changes: [
      {
        file: "contract/flows/flow-value.ts",
        after: '  z.looseObject({ type: z.literal("identity") }),',
        add: '  z.looseObject({ type: z.literal("constant"), value: z.unknown() }),',
      },
      { file: "contract/flows/flow-rules.ts", after: '    case "identity":', add: '    case "constant":' },
      { file: "statemachines/modules.ts", after: '    case "identity":', add: '    case "constant":' },
      {
        file: "services/flows/runtime/modules/constant.ts",
        create: `import type { StepState } from "../../../../core/flows/step-call.ts";
import { completeStep } from "../complete-step.ts";
import { storeFlowValue } from "../flow-values.ts";
import type { StepContext } from "../step-context.ts";
import type { RunScriptDeps } from "./script.ts";

/** Succeeds with the value of the module. */
export async function runConstant(deps: RunScriptDeps, step: StepContext, value: unknown): Promise<StepState> {
  return completeStep(deps, step, { status: "succeeded", result: await storeFlowValue(deps, step, value) });
}
`,
      },
      {
        file: "services/flows/runtime/execute-module.ts",
        after: 'import { openConsent } from "./modules/consent-gate.ts";',
        add: 'import { runConstant } from "./modules/constant.ts";',
      },
      {
        file: "services/flows/runtime/execute-module.ts",
        after: '    case "identity":\n      return runIdentity(deps, step);',
        add: '    case "constant":\n      return runConstant(deps, step, value.value);',
      },
    ],
  },
} satisfies Record<string, { files: number; changes: FileChange[] }>;
