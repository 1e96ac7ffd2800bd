import { INSTANCE } from "../../contract/common.ts";

export interface ObjectKey {
  pk: string;
  sk: string;
}

/** A request may contain a path that is longer than a sort key. The shortened path is still longer than any stored one. */
const sortable = (path: string) => path.slice(0, 255);

/** Every kind of item in the table. */
export const keys = {
  workspace: (workspace: string): ObjectKey => ({ pk: "WORKSPACES", sk: workspace }),
  /** A deleted workspace, until all its data is removed. */
  deletedWorkspace: (workspace: string): ObjectKey => ({ pk: "DELETED", sk: workspace }),
  /** A user of the instance, by `personKey`. */
  user: (person: string): ObjectKey => ({ pk: "USERS", sk: person }),
  /** A user as release 0.1 stored it. */
  oldUser: (email: string): ObjectKey => ({ pk: "USERS", sk: email.toLowerCase() }),
  /** A user's role in a workspace, by `personKey`: read for every call. */
  member: (workspace: string, person: string): ObjectKey => ({ pk: `M#${workspace}`, sk: person }),
  /** The owner of a username in a workspace. */
  username: (workspace: string, username: string): ObjectKey => ({ pk: `NAME#${workspace}`, sk: username.toLowerCase() }),
  /** The last owner of a username after that user left: `u/<username>/…` still belongs to the user. */
  formerUsername: (workspace: string, username: string): ObjectKey => ({ pk: `FORMER#${workspace}`, sk: username.toLowerCase() }),
  /** A deleted folder, whose objects, files and runs a new folder of this name would inherit. */
  formerFolder: (workspace: string, name: string): ObjectKey => ({ pk: `FORMERF#${workspace}`, sk: name }),
  /** A deleted group, which flows and approvals may still name. */
  formerGroup: (workspace: string, name: string): ObjectKey => ({ pk: `FORMERG#${workspace}`, sk: name }),
  /** A user who lost all rights in a workspace, or with an empty name in all of them, until housekeeping has ended the user's waiting runs. */
  removal: (workspace: string, person: string): ObjectKey => ({ pk: "REMOVALS", sk: `${workspace}#${person}` }),
  invite: (workspace: string, person: string): ObjectKey => ({ pk: `INVITES#${workspace}`, sk: person }),
  /** Groups and the permissions of folders and objects: read for every call. */
  access: (workspace: string): ObjectKey => ({ pk: `ACCESS#${workspace}`, sk: "access" }),
  instanceSetting: (name: string): ObjectKey => ({ pk: "SETTINGS", sk: name }),
  /** The time since which the index of unsuccessful jobs is complete. */
  endedIndex: (): ObjectKey => ({ pk: "MIGRATIONS", sk: "ended-index" }),
  /** An item of a periodic task that failed. */
  failedItem: (task: string, item: string): ObjectKey => ({ pk: "HOUSEKEEPING", sk: `failed#${task}#${item}`.slice(0, 500) }),
  /** The place at which a periodic task continues in the next tick. */
  taskCursor: (task: string): ObjectKey => ({ pk: "CURSORS", sk: task }),
  /** The role that a group of the instance gives its members. */
  instanceGroupRole: (name: string): ObjectKey => ({ pk: "GROUPROLES", sk: name }),
  instanceGroup: (name: string): ObjectKey => ({ pk: "GROUPS", sk: name }),
  audit: (workspace: string, id: string): ObjectKey => ({ pk: `AUDIT#${workspace}`, sk: id }),
  /** A setting of a workspace, by the name it has in its settings. */
  setting: (workspace: string, name: string): ObjectKey => ({ pk: `SETTINGS#${workspace}`, sk: name }),
  folder: (workspace: string, name: string): ObjectKey => ({ pk: `F#${workspace}`, sk: name }),
  token: (hash: string): ObjectKey => ({ pk: `TOKEN#${hash}`, sk: "token" }),
  /** A user's tokens by prefix, so that they can be listed and deleted without their values. */
  userToken: (email: string, prefix: string, hash: string): ObjectKey => ({
    pk: `USER#${email.toLowerCase()}`,
    sk: `token#${prefix}#${hash}`,
  }),
  /** A token with an end, sorted by the time at which it is announced or deleted. The time of a year far away has more than 14 digits. */
  tokenExpiry: (shard: number, atMs: number, hash: string): ObjectKey => ({
    pk: `TOKENEXPIRY#${shard}`,
    sk: `${String(Math.max(atMs, 0)).padStart(16, "0")}#${hash}`,
  }),
  /** The progress of the index of expiries for tokens that earlier releases stored. */
  tokenExpiryIndex: (): ObjectKey => ({ pk: "MIGRATIONS", sk: "token-expiry" }),
  /** The wrapped key that seals pending sign-ins. */
  loginKey: (): ObjectKey => ({ pk: "LOGINKEY", sk: "key" }),
  /** The key that signs ID tokens: the sealed private key, and the public one. */
  idTokenKey: (): ObjectKey => ({ pk: "IDTOKENKEY", sk: "key" }),
  /** The wrapped key that seals the secrets of connect clients and the refresh tokens of accounts. */
  accountKey: (): ObjectKey => ({ pk: "ACCOUNTKEY", sk: "key" }),
  /** An account of a user at another service, by its id. */
  account: (workspace: string, id: number): ObjectKey => ({ pk: `ACCOUNT#${workspace}`, sk: String(id) }),
  /** An account whose token must be refreshed, sorted by the time of the next attempt. */
  dueRefresh: (atMs: number, workspace: string, id: number): ObjectKey => ({
    pk: "REFRESHES",
    sk: `${String(atMs).padStart(14, "0")}#${workspace}#${id}`,
  }),
  /** A completed sign-in, which prevents a second use. */
  usedLogin: (hash: string): ObjectKey => ({ pk: `LOGIN#${hash}`, sk: "used" }),
  /** A request of a device to sign in, by the hash of its device code. */
  deviceGrant: (hash: string): ObjectKey => ({ pk: `DEVICE#${hash}`, sk: "grant" }),
  /** The request to which a code that users type belongs. */
  deviceUserCode: (userCode: string): ObjectKey => ({ pk: `DEVICECODE#${userCode}`, sk: "code" }),
  /** The recent sign-in attempts of an account, an address, or an account at an address where it has signed in before. */
  signInAttempts: (hash: string): ObjectKey => ({ pk: `ATTEMPTS#${hash}`, sk: "attempts" }),
  publicKey: (kid: string): ObjectKey => ({ pk: "KEYS", sk: kid }),
  /** The fields of a script's newest version that a run needs: read for every run. */
  scriptHead: (workspace: string, path: string): ObjectKey => ({ pk: `R#${workspace}#${path}`, sk: "head" }),
  /** The script as lists show it. */
  scriptListing: (workspace: string, path: string): ObjectKey => ({ pk: `S#${workspace}`, sk: path }),
  version: (workspace: string, hash: string): ObjectKey => ({ pk: `V#${workspace}#${hash}`, sk: "head" }),
  versionBody: (workspace: string, hash: string): ObjectKey => ({ pk: `V#${workspace}#${hash}`, sk: "body" }),
  versionLock: (workspace: string, hash: string): ObjectKey => ({ pk: `V#${workspace}#${hash}`, sk: "lock" }),
  /** A part of the source of an unsaved script, by its hash. */
  tempSource: (workspace: string, hash: string, part: number): ObjectKey => ({
    pk: `TEMPSOURCE#${workspace}#${hash}`,
    sk: String(part).padStart(3, "0"),
  }),
  history: (workspace: string, path: string, atMs: number, hash: string): ObjectKey => ({
    pk: `H#${workspace}#${path}`,
    sk: `${String(atMs).padStart(14, "0")}#${hash}`,
  }),
  /** The fields of a flow's newest version that a run needs: read for every run. */
  flowHead: (workspace: string, path: string): ObjectKey => ({ pk: `FR#${workspace}#${path}`, sk: "head" }),
  flowListing: (workspace: string, path: string): ObjectKey => ({ pk: `FL#${workspace}`, sk: path }),
  flowVersion: (workspace: string, version: number): ObjectKey => ({ pk: `FV#${workspace}#${version}`, sk: "head" }),
  /** The flow and version of a hash. */
  flowHash: (workspace: string, hash: string): ObjectKey => ({ pk: `FV#${workspace}#${hash}`, sk: "version" }),
  flowBody: (workspace: string, version: number): ObjectKey => ({ pk: `FV#${workspace}#${version}`, sk: "body" }),
  flowHistory: (workspace: string, path: string, version: number): ObjectKey => ({
    pk: `FH#${workspace}#${path}`,
    sk: String(version).padStart(16, "0"),
  }),
  variable: (workspace: string, path: string): ObjectKey => ({ pk: `VAR#${workspace}`, sk: sortable(path) }),
  resource: (workspace: string, path: string): ObjectKey => ({ pk: `RES#${workspace}`, sk: sortable(path) }),
  app: (workspace: string, path: string): ObjectKey => ({ pk: `APP#${workspace}`, sk: sortable(path) }),
  /** The path of an app by its id, because a version names only its app. */
  appPath: (workspace: string, app: number): ObjectKey => ({ pk: `APPID#${workspace}`, sk: String(app) }),
  appVersion: (workspace: string, version: number): ObjectKey => ({ pk: `APPV#${workspace}`, sk: String(version) }),
  appHistory: (workspace: string, app: number, version: number): ObjectKey => ({
    pk: `APPH#${workspace}#${app}`,
    sk: String(version).padStart(16, "0"),
  }),
  appCustomPath: (workspace: string, customPath: string): ObjectKey => ({ pk: `APPC#${workspace}`, sk: customPath }),
  /** A deleted app whose versions are not all removed yet. */
  deletedApp: (workspace: string, path: string, app: number | ""): ObjectKey => ({
    pk: `APPD#${workspace}`,
    sk: `${sortable(path)}#${app}`,
  }),
  /** The runs of a schedule, by its id, that ended in a row, for its handlers. */
  scheduleOutcomes: (workspace: string, schedule: string): ObjectKey => ({ pk: `OUTCOMES#${workspace}`, sk: schedule }),
  schedule: (workspace: string, path: string): ObjectKey => ({ pk: `SCHED#${workspace}`, sk: sortable(path) }),
  /** A trigger of one kind. */
  trigger: (workspace: string, kind: string, path: string): ObjectKey => ({ pk: `TRIGGER#${workspace}#${kind}`, sk: sortable(path) }),
  /** The trigger that receives the messages of a source in AWS (core/triggers/sources.ts). */
  triggerSource: (workspace: string, source: string): ObjectKey => ({ pk: `TSOURCE#${workspace}`, sk: source }),
  /** The reason for which a trigger takes no messages, by the trigger's id. */
  triggerFault: (workspace: string, id: string): ObjectKey => ({ pk: `TFAULT#${workspace}`, sk: id }),
  /** A job that waits because its trigger is suspended. */
  heldJob: (workspace: string, trigger: string, job: string): ObjectKey => ({ pk: `HELD#${workspace}`, sk: `${trigger}#${job}` }),
  /** A trigger whose waiting jobs are being released. */
  release: (workspace: string, trigger: string): ObjectKey => ({ pk: "RELEASES", sk: `${workspace}#${trigger}` }),
  /** A queue that housekeeping has read each minute, by its trigger's id. */
  polledQueue: (workspace: string, trigger: string): ObjectKey => ({ pk: "POLLS", sk: `${workspace}#${trigger}` }),
  /** A source whose mapping, rule or subscription may differ from what its triggers need. It remains after its workspace until that is removed. */
  connection: (workspace: string, source: string): ObjectKey => ({ pk: "CONNECTIONS", sk: `${workspace}#${source}` }),
  /** The trigger that receives the mails of an address. All workspaces share the domain. */
  mailbox: (localPart: string): ObjectKey => ({ pk: "MAILBOXES", sk: localPart }),
  /** The HTTP triggers whose addresses begin with the same text segments. All workspaces share the addresses. */
  routesAt: (prefix: string): ObjectKey => ({ pk: `ROUTES#${prefix}`, sk: "routes" }),
  /** The values of a resource by which HTTP triggers authenticate requests, sealed so that only the function `routes` can read it. */
  routeCredential: (workspace: string, path: string): ObjectKey => ({ pk: `ROUTECRED#${workspace}`, sk: sortable(path) }),
  /** The resources with such a copy that refer to a variable. */
  routeVariable: (workspace: string, path: string): ObjectKey => ({ pk: `ROUTEVAR#${workspace}`, sk: sortable(path) }),
  /** The wrapped data key of these copies. */
  routeKey: (workspace: string): ObjectKey => ({ pk: `ROUTEKEY#${workspace}`, sk: "key" }),
  /** A list of package versions for the scripts of a workspace. The default of a language has no name. */
  dependencies: (workspace: string, language: string, name: string): ObjectKey => ({ pk: `DEPS#${workspace}`, sk: `${language}#${name}` }),
  /** A former content of such a list, by its id. Its age sorts it among those of its list. */
  archivedDependencies: (workspace: string, language: string, name: string, id: number | ""): ObjectKey => ({
    pk: `DEPSA#${workspace}`,
    sk: `${language}#${name}#${id === "" ? "" : String(id).padStart(16, "0")}`,
  }),
  /** The unsaved work of a user on a script, a flow or an app. */
  draft: (workspace: string, person: string, kind: string, path: string): ObjectKey => ({
    pk: `DRAFT#${workspace}`,
    sk: `${person}#${kind}${kind && "#"}${path}`,
  }),
  /** The last refused requests of an HTTP trigger, by the trigger's id. */
  routeFailures: (workspace: string, id: string): ObjectKey => ({ pk: `ROUTEFAIL#${workspace}`, sk: id }),
  resourceType: (workspace: string, name: string): ObjectKey => ({ pk: `RT#${workspace}`, sk: name }),
  /** The workspace's data keys, wrapped, and its exportable key. */
  keyRing: (workspace: string): ObjectKey => ({ pk: `RING#${workspace}`, sk: "ring" }),
  artefact: (key: string): ObjectKey => ({ pk: `A#${key}`, sk: "artefact" }),
  /** The job that an idempotent request started. `hash` covers the caller, the runnable and the key. */
  idempotency: (hash: string): ObjectKey => ({ pk: `IDEMPOTENCY#${hash}`, sk: "key" }),
  /** One of the streams that a reader may have open, by the hash of the reader. */
  openStream: (reader: string, slot: number): ObjectKey => ({ pk: `STREAMS#${reader}`, sk: String(slot).padStart(2, "0") }),
  /** The wrapped keys that sign approval links. */
  linkKeys: (workspace: string): ObjectKey => ({ pk: `LINKS#${workspace}`, sk: "keys" }),
  /** A waiting gate by its id, for the list of pending approvals. */
  pendingGate: (workspace: string, gate: string): ObjectKey => ({ pk: `PENDING#${workspace}`, sk: gate }),
  /** A notice of a gate. */
  notice: (workspace: string, id: string): ObjectKey => ({ pk: `NOTICE#${workspace}`, sk: id }),
  /** A recent reminder of a gate, which prevents another one until it expires. */
  noticeAgain: (workspace: string, gate: string): ObjectKey => ({ pk: `AGAIN#${workspace}`, sk: gate }),
  /** The notices about the failures of a script or flow. */
  noticedFailures: (workspace: string, kind: "script" | "flow", path: string): ObjectKey => ({
    pk: `FAILURES#${workspace}`,
    sk: `${kind} ${path}`,
  }),
  /** An attempt of a delivery that is due later than a queue can delay it, sorted by its time. `nth`: the name of the delivery among those of `id`. */
  retry: (atMs: number, workspace: string, id: string, nth: string): ObjectKey => ({
    pk: "RETRIES",
    sk: `${String(atMs).padStart(14, "0")}#${workspace}#${id}#${nth}`,
  }),
  /** The delivery of a mail to one address. */
  mailDelivery: (workspace: string, notice: string, nth: string): ObjectKey => ({ pk: `MAILED#${workspace}`, sk: `${notice}#${nth}` }),
  /** The wrapped secret that signs the workspace's outgoing webhooks. */
  webhookSecret: (workspace: string): ObjectKey => ({ pk: `WEBHOOKS#${workspace}`, sk: "secret" }),
  /** The decisions of a run, in order. */
  approvalRecord: (workspace: string, root: string, n: number): ObjectKey => ({
    pk: `CHAIN#${workspace}`,
    sk: `${root}#${String(n).padStart(6, "0")}`,
  }),
  /** Marks that a run got new entries on a day (UTC), until the heads of that day are signed. */
  grownChain: (workspace: string, day: string, root: string): ObjectKey => ({ pk: `GREW#${workspace}`, sk: `${day}#${root}` }),
  /** Signed heads of chains, in order. */
  anchor: (workspace: string, n: number): ObjectKey => ({ pk: `ANCHOR#${workspace}`, sk: String(n).padStart(8, "0") }),
  /** A receiver of the workspace's events. Every change reads the first one: without any, it writes no event. */
  endpoint: (workspace: string, id: string): ObjectKey => ({ pk: `ENDPOINT#${workspace}`, sk: id }),
  /** Changes with each new endpoint, so that concurrent calls cannot pass the limit. */
  endpointGuard: (workspace: string): ObjectKey => ({ pk: `ENDPOINTS#${workspace}`, sk: "guard" }),
  /** The push of a deployment by an app, until it ends: only one at a time changes a workspace. */
  deploymentPush: (workspace: string): ObjectKey => ({ pk: `DEPLOY#${workspace}`, sk: "push" }),
  /** An event, or the one of the instance. */
  outbox: (workspace: string, id: string): ObjectKey => ({ pk: `OUTBOX#${workspace}`, sk: id }),
  /** The delivery of an event to an endpoint, in the order of the events. */
  delivery: (workspace: string, event: string, endpoint: string): ObjectKey => ({
    pk: `DELIVERY#${workspace}`,
    sk: `${event}#${endpoint}`,
  }),
};

/** Partitions whose second part is not a workspace. */
const OUTSIDE_WORKSPACES: ReadonlySet<string> = new Set([
  "TOKEN",
  "TOKENEXPIRY",
  "USER",
  "IDEMPOTENCY",
  "LOGIN",
  "DEVICE",
  "DEVICECODE",
  "ATTEMPTS",
  "ROUTES",
  "STREAMS",
]);

/**
 * Returns the workspace of a partition, or `undefined` if it belongs to no workspace. The deletion of a workspace uses it to find the
 * workspace's items.
 */
export function findWorkspace(pk: string): string | undefined {
  const [kind = "", second] = pk.split("#");
  if (second === undefined || second === INSTANCE || OUTSIDE_WORKSPACES.has(kind)) return undefined;
  // An artefact's key is its key in the bucket.
  return kind === "A" ? second.split("/")[1] : second;
}

/** The place of the workspace in the sort keys of the partitions that all workspaces share. */
const WORKSPACE_PART: Readonly<Record<string, number>> = { RETRIES: 1, REFRESHES: 1, POLLS: 0, RELEASES: 0, REMOVALS: 0 };

/** Returns the workspace of an item in a queue that all workspaces share. */
export const findQueueWorkspace = ({ pk, sk }: ObjectKey): string | undefined =>
  Object.hasOwn(WORKSPACE_PART, pk) ? sk.split("#")[WORKSPACE_PART[pk] ?? 0] : undefined;
