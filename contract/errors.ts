import type { ZodError } from "zod";

/** What each failure needs to say about itself. A new code does not compile until `answers` has its status and sentence. */
interface ErrorDetails {
  "auth.missing": Record<never, never>;
  "auth.invalid": Record<never, never>;
  "auth.forbidden": { action: string };
  "body.notJson": { position: string };
  "body.shape": { issues: { path: string; reason: string }[] };
  "query.invalid": { issues: { path: string; reason: string }[] };
  "body.tooLarge": { limitBytes: number; what: string };
  "body.tooDeep": { limit: number };
  "payload.base64": Record<never, never>;
  "payload.form": { reason: string };
  "payload.cloudEvent": { reason: string };
  "payload.cloudEventBatch": Record<never, never>;
  "file.key": { fileKey: string };
  "file.notFound": { fileKey: string };
  "file.storage": { storage: string };
  "file.storageOff": Record<never, never>;
  "file.storageFailed": { storage: string; reason: string };
  "file.storageResource": { path: string; reason: string };
  "file.noKeys": { storage: string };
  "file.ofJob": { fileKey: string };
  "file.link": Record<never, never>;
  "reply.shape": { id: string; reason: string };
  "request.tooLong": { limitBytes: number };
  "route.unknown": { method: string; path: string };
  "route.method": { method: string; allowed: string[] };
  "workspace.notFound": { workspace: string };
  "workspace.exists": { workspace: string };
  "workspace.archived": { workspace: string };
  "workspace.beingDeleted": { workspace: string };
  "script.notFound": { path: string };
  "script.versionNotFound": { hash: string };
  "script.pathTaken": { path: string };
  "script.parentUnknown": { parentHash: string };
  "script.parentHasChild": { parentHash: string };
  "script.changedMeanwhile": { path: string };
  "script.tooLarge": { limitBytes: number };
  "flow.notFound": { path: string };
  "flow.versionNotFound": { version: string };
  "flow.pathTaken": { path: string };
  "flow.changedMeanwhile": { path: string };
  "flow.tooLarge": { limitBytes: number };
  "flow.notRestarted": { id: string; reason: string };
  "flow.noMachine": { path: string; reason: string };
  "approval.link": Record<never, never>;
  "approval.none": { id: string };
  "approval.several": { id: string; gates: string[] };
  "approval.decided": { outcome: string; at: string };
  "approval.used": { by: string; at: string };
  "approval.full": { limit: number };
  "approval.over": { id: string; state: string };
  "approval.person": Record<never, never>;
  "approval.refused": { reason: string };
  "approval.form": { issues: { path: string; reason: string }[] };
  "approval.notYet": Record<never, never>;
  "approval.noticeAgain": { seconds: number };
  "approval.noticeOver": Record<never, never>;
  "folder.notFound": { name: string };
  "folder.exists": { name: string };
  "folder.notEmpty": { name: string };
  "path.noFolder": { path: string; folder: string };
  "variable.notFound": { path: string };
  "variable.exists": { path: string };
  "variable.changedMeanwhile": { path: string };
  "variable.notCiphertext": { path: string };
  "resource.notFound": { path: string };
  "resource.exists": { path: string };
  "resource.changedMeanwhile": { path: string };
  "resource.value": { path: string; type: string; issues: { path: string; reason: string }[] };
  "resourceType.notFound": { name: string };
  "resourceType.exists": { name: string };
  "resourceType.builtIn": { name: string };
  "resourceType.schema": { name: string; reason: string };
  "resourceType.changedMeanwhile": { name: string };
  "reference.unreadable": { reference: string; by: string };
  "reference.cycle": { reference: string };
  "reference.tooLarge": { limitBytes: number };
  "encryptionKey.rotating": Record<never, never>;
  "job.notFound": { id: string };
  "job.notFinished": { id: string };
  "job.erased": { id: string };
  "job.idTaken": { id: string };
  "idempotency.key": { limit: number; header: string };
  "queue.full": { limit: number };
  "idempotency.reused": { id: string };
  "job.ended": { id: string; state: string };
  "job.syncTimeout": { id: string; limitMs: number };
  "job.notQueued": { id: string };
  "job.attemptLost": { id: string };
  "token.notFound": { prefix: string };
  "token.ambiguous": { prefix: string };
  "token.notForJobs": Record<never, never>;
  "user.notFound": { email: string };
  "engine.busy": Record<never, never>;
  "user.exists": { email: string };
  "user.usernameTaken": { username: string };
  "user.lastAdmin": Record<never, never>;
  "user.invalidPassword": { reason: string };
  "member.notFound": { username: string };
  "member.exists": { email: string };
  "invite.notFound": { workspace: string };
  "group.notFound": { name: string };
  "group.exists": { name: string };
  "group.all": Record<never, never>;
  "access.notFound": { kind: string; path: string };
  "access.changedMeanwhile": Record<never, never>;
  "access.tooMuch": Record<never, never>;
  "access.owner": { owner: string };
  "login.refused": Record<never, never>;
  "login.unknown": { client: string };
  "login.notBegun": { client: string };
  "login.notConfirmed": { client: string; reason: string };
  "login.unverified": { client: string };
  "login.denied": { email: string };
  "login.unreachable": { client: string };
  "login.noPasswords": Record<never, never>;
  "token.unknownScope": { scope: string };
  "token.tooWide": Record<never, never>;
  "token.changedMeanwhile": Record<never, never>;
  "script.notOnBehalf": { email: string };
  "setting.value": { key: string; reason: string };
  "audit.notFound": { id: string };
  "rerun.kind": { id: string; kind: string };
  "rerun.erased": { id: string };
  "rerun.secrets": { id: string };
  "rerun.expression": { argument: string; reason: string };
  "write.collided": Record<never, never>;
}
export type ErrorCode = keyof ErrorDetails;

/** A failure a caller can act on. Anything else is a bug and stays a plain error. */
export class SvcError<C extends ErrorCode = ErrorCode> extends Error {
  override readonly name = "SvcError";
  readonly code: C;
  readonly details: ErrorDetails[C];
  constructor(code: C, details: ErrorDetails[C], options?: ErrorOptions) {
    super(`${code} ${JSON.stringify(details)}`, options);
    this.code = code;
    this.details = details;
  }
}

/** Prefer this to `instanceof`, which types `code` as `any`; here a code narrows its details. */
export function isSvcError(error: unknown): error is { [C in ErrorCode]: SvcError<C> }[ErrorCode] {
  return error instanceof SvcError;
}

interface Answer<D> {
  readonly status: number;
  readonly say: (details: D) => string;
}

const list = (issues: { path: string; reason: string }[]) =>
  issues.map(({ path, reason }) => `${path || "(the whole value)"}: ${reason}`).join("; ");
const megabytes = (bytes: number) => `${Math.round((bytes / 1048576) * 10) / 10} MB`;

/** What the caller gets: the status, and one plain sentence. */
export const answers: { readonly [C in ErrorCode]: Answer<ErrorDetails[C]> } = {
  "auth.missing": {
    status: 401,
    say: () =>
      "This call needs a token: send it as 'Authorization: Bearer <token>', as cookie 'token' or, on run routes, as query 'token'.",
  },
  "auth.invalid": { status: 401, say: () => "This token is not valid: it is unknown, expired, or its job has ended." },
  "auth.forbidden": { status: 403, say: ({ action }) => `Your token does not allow ${action}.` },
  "body.notJson": { status: 400, say: ({ position }) => `The body is not JSON: ${position}.` },
  "body.shape": { status: 422, say: ({ issues }) => `The body does not have the right shape. ${list(issues)}.` },
  "query.invalid": { status: 400, say: ({ issues }) => `A parameter is not valid. ${list(issues)}.` },
  "body.tooLarge": {
    status: 413,
    say: ({ limitBytes, what }) =>
      `The ${what} is larger than the limit of ${megabytes(limitBytes)}. Store large data as a file and pass a reference to it.`,
  },
  "body.tooDeep": { status: 422, say: ({ limit }) => `The body is nested deeper than the limit of ${limit} levels.` },
  "payload.base64": {
    status: 400,
    say: () => "The query parameter 'payload' is not base64. Send the arguments' JSON in base64, in the standard or the URL-safe alphabet.",
  },
  "payload.form": { status: 400, say: ({ reason }) => `The multipart form cannot be read: ${reason}.` },
  "payload.cloudEvent": { status: 400, say: ({ reason }) => `This is not a CloudEvents 1.0 event: ${reason}.` },
  "payload.cloudEventBatch": {
    status: 415,
    say: () => "Batches of CloudEvents are not taken. Send each event in a call of its own, as application/cloudevents+json.",
  },
  "file.key": {
    status: 400,
    say: ({ fileKey }) => `${JSON.stringify(fileKey)} cannot be the key of a file: parts between slashes are not empty, '.' or '..'.`,
  },
  "file.storage": {
    status: 400,
    say: ({ storage }) =>
      `There is no storage ${storage} in this workspace. Leave 'storage' out for the default one, or have an admin add it with POST workspaces/edit_large_file_storage_config.`,
  },
  "file.storageOff": {
    status: 400,
    say: () =>
      "This workspace stores no files: its storage is switched off. An admin sets one with POST workspaces/edit_large_file_storage_config.",
  },
  "file.storageFailed": { status: 400, say: ({ storage, reason }) => `The storage ${storage} could not be used: ${reason}.` },
  "file.storageResource": { status: 400, say: ({ path, reason }) => `The resource ${path} cannot be a storage: ${reason}.` },
  "file.noKeys": {
    status: 400,
    say: ({ storage }) =>
      `The storage ${storage} is svc's own bucket, which has no keys to give away. Use job_helpers/upload_s3_file, download_s3_file and presign_upload.`,
  },
  "file.ofJob": {
    status: 400,
    say: ({ fileKey }) =>
      `${JSON.stringify(fileKey)} belongs to a job: it goes with the job, and nothing else is written there. Take another key.`,
  },
  "file.link": { status: 403, say: () => "This link to a file is not valid, or has expired. Ask who sent it for another one." },
  "file.notFound": { status: 404, say: ({ fileKey }) => `There is no file ${fileKey}.` },
  "reply.shape": { status: 400, say: ({ id, reason }) => `The job ${id} shaped its reply wrongly: ${reason}.` },
  "request.tooLong": {
    status: 431,
    say: ({ limitBytes }) =>
      `The request's address and headers are longer than the limit of ${limitBytes / 1024} KB together. Send what is long in the body.`,
  },
  "route.unknown": {
    status: 404,
    say: ({ method, path }) => `There is nothing at ${method} ${path}. GET /api/openapi.json lists every route.`,
  },
  "route.method": { status: 405, say: ({ method, allowed }) => `This address does not take ${method}. It takes ${allowed.join(", ")}.` },
  "workspace.notFound": { status: 404, say: ({ workspace }) => `There is no workspace ${workspace}.` },
  "workspace.exists": { status: 409, say: ({ workspace }) => `The workspace ${workspace} exists already.` },
  "workspace.archived": {
    status: 409,
    say: ({ workspace }) =>
      `The workspace ${workspace} is archived: nothing runs or changes in it. POST /api/workspaces/unarchive/${workspace} brings it back.`,
  },
  "workspace.beingDeleted": {
    status: 409,
    say: ({ workspace }) =>
      `A workspace ${workspace} was deleted, and what it stored is still being removed. Choose another id, or try again in some minutes.`,
  },
  "script.notFound": { status: 404, say: ({ path }) => `There is no script at ${path}.` },
  "script.versionNotFound": { status: 404, say: ({ hash }) => `There is no script version ${hash}.` },
  "script.pathTaken": {
    status: 400,
    say: ({ path }) => `There is a script at ${path} already. Send its hash as parent_hash, or auto_parent: true, to save a new version.`,
  },
  "script.parentUnknown": { status: 400, say: ({ parentHash }) => `The parent_hash ${parentHash} is not a version of any script here.` },
  "script.parentHasChild": {
    status: 400,
    say: ({ parentHash }) =>
      `The parent_hash ${parentHash} is not the newest version any more: someone saved after it. Load the script again.`,
  },
  "script.changedMeanwhile": { status: 409, say: ({ path }) => `Someone else saved ${path} at the same moment. Load it again.` },
  "script.tooLarge": { status: 413, say: ({ limitBytes }) => `A script may hold at most ${megabytes(limitBytes)} of source.` },
  "flow.notFound": { status: 404, say: ({ path }) => `There is no flow at ${path}.` },
  "flow.versionNotFound": { status: 404, say: ({ version }) => `There is no flow version ${version}.` },
  "flow.pathTaken": {
    status: 400,
    say: ({ path }) => `There is a flow at ${path} already. POST flows/update/${path} saves a new version of it.`,
  },
  "flow.changedMeanwhile": { status: 409, say: ({ path }) => `Someone else saved ${path} at the same moment. Load it again.` },
  "flow.tooLarge": {
    status: 413,
    say: ({ limitBytes }) => `A flow may hold at most ${megabytes(limitBytes)}, its inline scripts included.`,
  },
  "flow.noMachine": { status: 404, say: ({ path, reason }) => `The flow ${path} has no state machine: ${reason}` },
  "flow.notRestarted": { status: 400, say: ({ id, reason }) => `The job ${id} cannot be started again from there: ${reason}.` },
  "approval.link": {
    status: 404,
    say: () => "This link leads to nothing that can be decided: it is not whole, or not one of this service's.",
  },
  "approval.none": { status: 409, say: ({ id }) => `The run ${id} waits for nobody's consent.` },
  "approval.several": {
    status: 409,
    say: ({ gates }) => `Several gates of this run wait: say which one in 'gate'. They are ${gates.join(", ")}.`,
  },
  "approval.decided": { status: 409, say: ({ outcome, at }) => `This is decided already: ${outcome}, at ${at}.` },
  "approval.used": {
    status: 409,
    say: ({ by, at }) => `This approval was given already, by ${by} at ${at}, with other values. It counts once.`,
  },
  "approval.full": { status: 409, say: ({ limit }) => `This step has ${limit} approvals already: it takes no more.` },
  "approval.over": { status: 409, say: ({ id, state }) => `The run ${id} is ${state}: there is nothing to decide any more.` },
  "approval.person": { status: 401, say: () => "Who decides this must sign in: the link alone does not say who you are." },
  "approval.refused": { status: 403, say: ({ reason }) => `You may not decide this: ${reason}.` },
  "approval.form": { status: 422, say: ({ issues }) => `The form's values are not right. ${list(issues)}.` },
  "approval.notYet": {
    status: 409,
    say: () => "The step has not asked yet, and who may decide depends on what it yields: try again once the flow waits.",
  },
  "approval.noticeAgain": {
    status: 429,
    say: ({ seconds }) => `Everybody who may decide was told less than ${seconds} seconds ago. Try again later.`,
  },
  "approval.noticeOver": { status: 409, say: () => "The flow waits here no longer: there is nothing left to remind anybody of." },
  "folder.notFound": { status: 404, say: ({ name }) => `There is no folder ${name}.` },
  "folder.exists": { status: 409, say: ({ name }) => `The folder ${name} exists already.` },
  "folder.notEmpty": {
    status: 409,
    say: ({ name }) =>
      `There was a folder ${name} before, and what lay in it is still there: only an administrator of the workspace may make it again.`,
  },
  "path.noFolder": {
    status: 400,
    say: ({ path, folder }) => `${path} cannot be saved: there is no folder ${folder}. Create it with POST folders/create.`,
  },
  "variable.notFound": { status: 404, say: ({ path }) => `There is no variable at ${path}.` },
  "variable.exists": { status: 409, say: ({ path }) => `There is a variable at ${path} already.` },
  "variable.changedMeanwhile": {
    status: 409,
    say: ({ path }) => `Someone else changed the variable ${path} at the same moment. Try again.`,
  },
  "variable.notCiphertext": {
    status: 422,
    say: ({ path }) =>
      `The value of ${path} is not a ciphertext under this workspace's encryption key. Send it without already_encrypted, or set the key first.`,
  },
  "resource.notFound": { status: 404, say: ({ path }) => `There is no resource at ${path}.` },
  "resource.exists": {
    status: 409,
    say: ({ path }) => `There is a resource at ${path} already. Send update_if_exists=true to save over it.`,
  },
  "resource.changedMeanwhile": {
    status: 409,
    say: ({ path }) => `Someone else changed the resource ${path} at the same moment. Try again.`,
  },
  "resource.value": {
    status: 422,
    say: ({ path, type, issues }) => `The value of ${path} does not fit the resource type ${type}. ${list(issues)}.`,
  },
  "resourceType.notFound": { status: 404, say: ({ name }) => `There is no resource type ${name}.` },
  "resourceType.exists": { status: 409, say: ({ name }) => `The resource type ${name} exists already.` },
  "resourceType.builtIn": { status: 400, say: ({ name }) => `The resource type ${name} is built in and cannot be deleted.` },
  "resourceType.schema": { status: 422, say: ({ name, reason }) => `The schema of ${name} is not a JSON Schema: ${reason}.` },
  "resourceType.changedMeanwhile": {
    status: 409,
    say: ({ name }) => `Someone else changed the resource type ${name} at the same moment. Try again.`,
  },
  "reference.unreadable": { status: 422, say: ({ reference, by }) => `${reference} does not exist, or ${by} may not read it.` },
  "reference.cycle": { status: 422, say: ({ reference }) => `${reference} refers back to itself.` },
  "reference.tooLarge": {
    status: 413,
    say: ({ limitBytes }) => `With its references resolved the value is larger than ${megabytes(limitBytes)}, or nested too deep.`,
  },
  "encryptionKey.rotating": {
    status: 409,
    say: () => "The workspace's encryption key is being replaced at this moment. Wait until that has ended.",
  },
  "job.notFound": { status: 404, say: ({ id }) => `There is no job ${id}.` },
  "job.notFinished": { status: 404, say: ({ id }) => `The job ${id} has not finished.` },
  "job.erased": { status: 404, say: ({ id }) => `The result of job ${id} is gone: it was erased, as its script asks or somebody did.` },
  "job.idTaken": { status: 400, say: ({ id }) => `There is a job ${id} already. Leave job_id out, or send a new uuid.` },
  "idempotency.key": { status: 400, say: ({ limit, header }) => `${header} has 1 to ${limit} characters of printable ASCII.` },
  "queue.full": {
    status: 429,
    say: ({ limit }) =>
      `With this one more than ${limit} jobs would wait in this workspace, which is the call's queue_limit. Try again later.`,
  },
  "idempotency.reused": {
    status: 422,
    say: ({ id }) => `This Idempotency-Key was used with other arguments: it started job ${id}. Send a new key.`,
  },
  "job.ended": { status: 400, say: ({ id, state }) => `The job ${id} has ended already: ${state}.` },
  "job.syncTimeout": {
    status: 504,
    say: ({ id, limitMs }) =>
      `The job ${id} did not finish within ${limitMs / 1000} s. It goes on: read its result at jobs_u/completed/get_result/${id}.`,
  },
  "job.notQueued": { status: 400, say: ({ id }) => `The job ${id} is not waiting any more.` },
  "job.attemptLost": { status: 409, say: ({ id }) => `This attempt of job ${id} does not count any more: stop.` },
  "token.notFound": { status: 404, say: ({ prefix }) => `You have no token that starts with ${prefix}.` },
  "token.ambiguous": {
    status: 400,
    say: ({ prefix }) => `More than one token starts with ${prefix}. Send at least its first ten characters.`,
  },
  "token.notForJobs": { status: 403, say: () => "A job's token cannot create or delete tokens." },
  "user.notFound": { status: 404, say: ({ email }) => `There is no user ${email}.` },
  "user.exists": { status: 409, say: ({ email }) => `There is a user ${email} already.` },
  "user.usernameTaken": {
    status: 409,
    say: ({ username }) => `The username ${username} belongs to somebody else here. Send another one as username.`,
  },
  "user.lastAdmin": { status: 400, say: () => "This is the last superadmin: make another one first." },
  "user.invalidPassword": { status: 400, say: ({ reason }) => `The password cannot be set: ${reason}` },
  "member.notFound": { status: 404, say: ({ username }) => `There is no user ${username} in this workspace.` },
  "member.exists": { status: 409, say: ({ email }) => `${email} is in this workspace already.` },
  "invite.notFound": { status: 404, say: ({ workspace }) => `You have no invitation to the workspace ${workspace}.` },
  "group.notFound": { status: 404, say: ({ name }) => `There is no group ${name}.` },
  "group.exists": { status: 409, say: ({ name }) => `The group ${name} exists already.` },
  "group.all": { status: 400, say: () => "Everybody is in the group all, always: it cannot be changed or deleted." },
  "access.notFound": { status: 404, say: ({ kind, path }) => `There is no ${kind.replace(/_$/, "")} at ${path}.` },
  "access.changedMeanwhile": {
    status: 409,
    say: () => "Others changed the rights of this workspace at the same moment. Send it again.",
  },
  "access.tooMuch": {
    status: 400,
    say: () => "The workspace holds too many permissions: give rights to groups and folders instead of single users and objects.",
  },
  "access.owner": { status: 422, say: ({ owner }) => `${owner} is no owner: it must look like u/<username> or g/<group>.` },
  "login.refused": { status: 401, say: () => "The e-mail address or the password is not right." },
  "login.unknown": { status: 404, say: ({ client }) => `There is no login ${client}. GET /api/oauth/list_logins lists them.` },
  "login.notBegun": {
    status: 400,
    say: ({ client }) =>
      `This sign-in was not begun in this browser, is over, or took more than ten minutes. Begin again at /api/oauth/login/${client}.`,
  },
  "login.notConfirmed": {
    status: 401,
    say: ({ client, reason }) => `${client} did not confirm who you are (${reason}). Begin again at /api/oauth/login/${client}.`,
  },
  "login.unverified": {
    status: 403,
    say: ({ client }) => `${client} has not verified that your e-mail address is yours. Verify it there, then sign in again.`,
  },
  "login.denied": { status: 403, say: ({ email }) => `${email} may not sign in here. Ask an administrator for an invitation.` },
  "login.unreachable": { status: 502, say: ({ client }) => `${client} does not answer. Try again, or sign in another way.` },
  "login.noPasswords": { status: 400, say: () => "Nobody signs in with a password here: this service was deployed without. Use a token." },
  "token.unknownScope": {
    status: 422,
    say: ({ scope }) => `There is no scope ${scope}. GET /api/tokens/list/scopes lists them; a path may follow after a colon.`,
  },
  "token.tooWide": { status: 403, say: () => "A token makes or changes no token that reaches further than itself." },
  "token.changedMeanwhile": { status: 409, say: () => "Someone else changed this token at the same moment. Send it again." },
  "script.notOnBehalf": { status: 403, say: ({ email }) => `Only an administrator may let a script run on behalf of ${email}.` },
  "setting.value": { status: 422, say: ({ key, reason }) => `The setting ${key} cannot have this value: ${reason}.` },
  "audit.notFound": { status: 404, say: ({ id }) => `There is no audit entry ${id}.` },
  "rerun.kind": {
    status: 400,
    say: ({ id, kind }) => `The job ${id} is of kind ${kind}: only runs of saved scripts and flows can be run again.`,
  },
  "rerun.erased": { status: 400, say: ({ id }) => `The arguments of job ${id} were erased: it cannot be run again.` },
  "rerun.secrets": {
    status: 400,
    say: ({ id }) => `Secrets that a flow has handed on stand in the arguments of job ${id}: run its flow again.`,
  },
  "rerun.expression": {
    status: 400,
    say: ({ argument, reason }) => `The expression for the argument ${argument} cannot be evaluated: ${reason}`,
  },
  "engine.busy": { status: 429, say: () => "Too much is running at this moment. Try again shortly." },
  "write.collided": { status: 409, say: () => "Others were changing the same thing at this moment, and nothing was saved. Try again." },
};

/** The answer for one error, with the type of its details kept together with its code. */
export function answerFor<C extends ErrorCode>(error: SvcError<C>): { status: number; sentence: string } {
  const answer: Answer<ErrorDetails[C]> = answers[error.code];
  return { status: answer.status, sentence: answer.say(error.details) };
}

/** zod's issues as `path: reason`, for the sentence of a 400 or 422. */
/** One for each place. `input`: what was parsed; the module of a flow that a place is in is named by its id. */
export function issuesOf(error: ZodError, input?: unknown): { path: string; reason: string }[] {
  const named = error.issues.slice(0, ISSUES_NAMED).map(({ path, message }) => {
    const module = moduleAt(input, path);
    return { path: `${path.map(String).join(".")}${module === undefined ? "" : ` (module ${module})`}`, reason: message };
  });
  const more = error.issues.length - named.length;
  return more > 0 ? [...named, { path: "…", reason: `${more} more places` }] : named;
}
/** Nobody reads more of them in a sentence. */
const ISSUES_NAMED = 100;

/** What an id may look like that is repeated in a sentence: others are anything, of any length. */
const MODULE_ID = /^[\w-]{1,80}$/;

/** The innermost object on the way that is a flow's module. */
function moduleAt(input: unknown, path: readonly PropertyKey[]): string | undefined {
  let found: string | undefined;
  let value = input;
  for (const part of ["", ...path]) {
    if (part !== "") value = (value as Record<PropertyKey, unknown>)[part];
    if (typeof value !== "object" || value === null) break;
    const { id, value: inner } = value as { id?: unknown; value?: unknown };
    if (typeof id === "string" && MODULE_ID.test(id) && typeof inner === "object") found = id;
  }
  return found;
}
