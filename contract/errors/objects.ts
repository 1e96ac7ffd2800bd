import { type Answers, formatMegabytes, type Issues, listIssues, type NoDetails } from "./answer.ts";

/** Errors of workspaces and of objects in them other than scripts and flows: folders, variables, resources, settings. */
export interface ObjectErrors {
  "workspace.notFound": { workspace: string };
  "workspace.exists": { workspace: string };
  "workspace.archived": { workspace: string };
  "workspace.beingDeleted": { workspace: string };
  "folder.notFound": { name: string };
  "folder.exists": { name: string };
  "folder.notEmpty": { name: string; inherits: string[] };
  "path.noFolder": { path: string; folder: string };
  /** `by` and `at`: the author of the stored version and its time, if they are known. */
  "object.notFound": { kind: string; path: string };
  "object.exists": { kind: string; path: string };
  "object.changedMeanwhile": { kind: string; path: string };
  "object.versionChanged": { path: string; version: string; by?: string; at?: string };
  "variable.notFound": { path: string };
  "variable.exists": { path: string };
  "variable.changedMeanwhile": { path: string };
  "variable.notCiphertext": { path: string };
  "resource.notFound": { path: string };
  "resource.exists": { path: string };
  "resource.changedMeanwhile": { path: string };
  "resource.value": { path: string; type: string; issues: Issues };
  "dependencies.notFound": { language: string; name?: string };
  "dependencies.content": { reason: string };
  "dependencies.tooMany": { limit: number };
  "dependencies.tooLarge": { limitBytes: number };
  "dependencies.changedMeanwhile": { language: string };
  "draft.notFound": { path: string };
  "draft.changedMeanwhile": { path: string };
  "draft.tooMany": { limit: number };
  "resourceType.notFound": { name: string };
  "resourceType.exists": { name: string };
  "resourceType.builtIn": { name: string };
  "resourceType.schema": { name: string; reason: string };
  "resourceType.changedMeanwhile": { name: string };
  "archive.type": { type: string };
  "archive.tooLarge": { limitBytes: number };
  "app.notFound": { path: string };
  "app.versionNotFound": { version: string };
  "app.exists": { path: string };
  "app.customPathTaken": { customPath: string };
  "app.changedMeanwhile": { path: string };
  "schedule.notFound": { path: string };
  "schedule.exists": { path: string };
  "schedule.changedMeanwhile": { path: string };
  "schedule.invalid": { field: string; reason: string };
  "schedule.notPreserved": { permissionedAs: string };
  "identity.fieldsMissing": { permissionedAs: string; fields: string[] };
  "reference.unreadable": { reference: string; by: string };
  /** `limit`: whose rights do not include the object. */
  "reference.refused": { field: string; reference: string; limit: "user" | "token" };
  "reference.cycle": { reference: string };
  "reference.tooLarge": { limitBytes: number };
  "reference.tooMany": { limit: number };
  "encryptionKey.rotating": NoDetails;
  "setting.value": { key: string; reason: string };
  "audit.notFound": { id: string };
  "webhook.notFound": { id: string };
  "webhook.exists": { id: string };
  "webhook.tooMany": { limit: number };
  "webhook.changedMeanwhile": { id: string };
  "delivery.notFound": { id: string };
}

export const objectAnswers: Answers<ObjectErrors> = {
  "object.notFound": { status: 404, describe: ({ kind, path }) => `There is no ${kind} at ${path}.` },
  "object.exists": { status: 409, describe: ({ kind, path }) => `There is already a ${kind} at ${path}.` },
  "object.changedMeanwhile": {
    status: 409,
    describe: ({ kind, path }) => `Another request changed the ${kind} ${path} at the same time. Try again.`,
  },
  "workspace.notFound": { status: 404, describe: ({ workspace }) => `There is no workspace ${workspace}.` },
  "workspace.exists": { status: 409, describe: ({ workspace }) => `The workspace ${workspace} already exists.` },
  "workspace.archived": {
    status: 409,
    describe: ({ workspace }) =>
      `The workspace ${workspace} is archived: it runs no jobs and cannot be changed. Restore it with POST /api/workspaces/unarchive/${workspace}.`,
  },
  "workspace.beingDeleted": {
    status: 409,
    describe: ({ workspace }) =>
      `A workspace ${workspace} was deleted, and its data is still being removed. Choose another id, or try again in a few minutes.`,
  },
  "folder.notFound": { status: 404, describe: ({ name }) => `There is no folder ${name}.` },
  "folder.exists": { status: 409, describe: ({ name }) => `The folder ${name} already exists.` },
  "folder.notEmpty": {
    status: 409,
    describe: ({ name, inherits }) =>
      `A new folder ${name} would inherit from a deleted one: ${inherits.join(", ")}. Choose another name, or ask an administrator of the workspace to create it.`,
  },
  "path.noFolder": {
    status: 400,
    describe: ({ path, folder }) => `${path} cannot be saved: there is no folder ${folder}. Create it with POST folders/create.`,
  },
  "object.versionChanged": {
    status: 409,
    describe: ({ path, version, by, at }) =>
      `${path} is not the version that If-Match names: ${by === undefined ? "it has changed" : `${by} changed it at ${at}`}. Its version is now "${version}". Load it again.`,
  },
  "variable.notFound": { status: 404, describe: ({ path }) => `There is no variable at ${path}.` },
  "variable.exists": { status: 409, describe: ({ path }) => `There is already a variable at ${path}.` },
  "variable.changedMeanwhile": {
    status: 409,
    describe: ({ path }) => `Another request changed the variable ${path} at the same time. Try again.`,
  },
  "variable.notCiphertext": {
    status: 422,
    describe: ({ path }) =>
      `The value of ${path} is not encrypted with this workspace's encryption key. Send it without already_encrypted, or set the key first.`,
  },
  "resource.notFound": { status: 404, describe: ({ path }) => `There is no resource at ${path}.` },
  "resource.exists": {
    status: 409,
    describe: ({ path }) => `There is already a resource at ${path}. Send update_if_exists=true to overwrite it.`,
  },
  "resource.changedMeanwhile": {
    status: 409,
    describe: ({ path }) => `Another request changed the resource ${path} at the same time. Try again.`,
  },
  "resource.value": {
    status: 422,
    describe: ({ path, type, issues }) => `The value of ${path} does not match the resource type ${type}. ${listIssues(issues)}.`,
  },
  "dependencies.notFound": {
    status: 404,
    describe: ({ language, name }) => `There is no list of package versions for ${language}${name ? ` with the name ${name}` : ""}.`,
  },
  "dependencies.content": { status: 422, describe: ({ reason }) => `The list of package versions cannot be used. ${reason}` },
  "dependencies.tooMany": {
    status: 422,
    describe: ({ limit }) => `The workspace has ${limit} lists of package versions already. Delete one of them first.`,
  },
  "dependencies.tooLarge": {
    status: 413,
    describe: ({ limitBytes }) =>
      `With this list, the lists of package versions would be larger than the limit of ${formatMegabytes(limitBytes)}. Delete one of them first.`,
  },
  "dependencies.changedMeanwhile": {
    status: 409,
    describe: ({ language }) => `The list of package versions for ${language} was changed at the same time. Try again.`,
  },
  "draft.notFound": { status: 404, describe: ({ path }) => `You have no draft of ${path}.` },
  "draft.changedMeanwhile": {
    status: 409,
    describe: ({ path }) => `Your draft of ${path} has changed since. Load it again, or send force.`,
  },
  "draft.tooMany": { status: 422, describe: ({ limit }) => `You have ${limit} drafts already. Save or delete one of them first.` },
  "resourceType.notFound": { status: 404, describe: ({ name }) => `There is no resource type ${name}.` },
  "resourceType.exists": { status: 409, describe: ({ name }) => `The resource type ${name} already exists.` },
  "resourceType.builtIn": { status: 400, describe: ({ name }) => `The resource type ${name} is built in and cannot be deleted.` },
  "resourceType.schema": { status: 422, describe: ({ name, reason }) => `The schema of ${name} cannot be used: ${reason}.` },
  "resourceType.changedMeanwhile": {
    status: 409,
    describe: ({ name }) => `Another request changed the resource type ${name} at the same time. Try again.`,
  },
  "archive.type": { status: 400, describe: ({ type }) => `Invalid Archive Type ${JSON.stringify(type)}: use zip or tar.` },
  "archive.tooLarge": {
    status: 413,
    describe: ({ limitBytes }) =>
      `The workspace has more than ${formatMegabytes(limitBytes)} of text. Leave out kinds with parameters such as skip_resources.`,
  },
  "app.notFound": { status: 404, describe: ({ path }) => `There is no app at ${path}.` },
  "app.versionNotFound": { status: 404, describe: ({ version }) => `There is no app version ${version}.` },
  "app.exists": { status: 409, describe: ({ path }) => `There is already an app at ${path}. To change it, use POST apps/update/${path}.` },
  "app.customPathTaken": { status: 409, describe: ({ customPath }) => `Another app of this workspace has the custom path ${customPath}.` },
  "app.changedMeanwhile": {
    status: 409,
    describe: ({ path }) => `Another request changed the app ${path} at the same time. Try again.`,
  },
  "schedule.notFound": { status: 404, describe: ({ path }) => `There is no schedule at ${path}.` },
  "schedule.exists": { status: 409, describe: ({ path }) => `There is already a schedule at ${path}.` },
  "schedule.changedMeanwhile": {
    status: 409,
    describe: ({ path }) => `Another request changed the schedule ${path} at the same time. Try again.`,
  },
  "schedule.invalid": { status: 422, describe: ({ field, reason }) => `The schedule cannot be used. ${field}: ${reason}.` },
  "schedule.notPreserved": {
    status: 403,
    describe: ({ permissionedAs }) => `Only an administrator of the workspace can save a schedule that runs as ${permissionedAs}.`,
  },
  "identity.fieldsMissing": {
    status: 422,
    describe: ({ permissionedAs, fields }) =>
      `Runs would have the rights of ${permissionedAs}, with values that another user saved. Send ${fields.join(", ")} too; null removes an optional field.`,
  },
  "reference.unreadable": {
    status: 422,
    describe: ({ reference, by }) => `${reference} does not exist, or ${by} is not allowed to read it.`,
  },
  "reference.refused": {
    status: 403,
    describe: ({ field, reference, limit }) =>
      `${field} contains ${reference}, which ${limit === "token" ? "your token" : "you"} may not read. Remove it, or ask for the ${limit === "token" ? "scope" : "right"}.`,
  },
  "reference.cycle": {
    status: 422,
    describe: ({ reference }) => `${reference} refers back to itself. Remove one of the references of this cycle.`,
  },
  "reference.tooLarge": {
    status: 413,
    describe: ({ limitBytes }) =>
      `With its references resolved, the value is larger than ${formatMegabytes(limitBytes)} or nested too deeply.`,
  },
  "reference.tooMany": {
    status: 413,
    describe: ({ limit }) => `The value has more than ${limit} different references. Put several values into one resource.`,
  },
  "encryptionKey.rotating": {
    status: 409,
    describe: () => "The workspace's encryption key is being replaced. Try again when the rotation has ended.",
  },
  "setting.value": { status: 422, describe: ({ key, reason }) => `The setting ${key} cannot have this value: ${reason}.` },
  "audit.notFound": { status: 404, describe: ({ id }) => `There is no audit entry ${id}.` },
  "webhook.notFound": { status: 404, describe: ({ id }) => `There is no webhook endpoint ${id}.` },
  "webhook.exists": { status: 409, describe: ({ id }) => `There is already a webhook endpoint ${id}.` },
  "webhook.tooMany": {
    status: 409,
    describe: ({ limit }) => `The workspace already has ${limit} webhook endpoints beside its own webhook. Delete one first.`,
  },
  "webhook.changedMeanwhile": {
    status: 409,
    describe: ({ id }) => `The webhook endpoint ${id} was changed by another request. Load it again and repeat the change.`,
  },
  "delivery.notFound": { status: 404, describe: ({ id }) => `There is no delivery ${id}. Deliveries are removed after 30 days.` },
};
