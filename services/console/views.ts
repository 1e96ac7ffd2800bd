import { randomUUID } from "node:crypto";
import type { Action } from "../../contract/access/access-rule.ts";
import { SvcError } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import type { ViewFields, ViewJson } from "../../contract/routes/console/views.ts";
import { keysOfView, ownerOfView, ownViewsOf, SHARED_VIEWS, type View, viewObject } from "../../core/console/view.ts";
import { type StoredObject, unchangedSince, write } from "../../core/objects/write.ts";
import { nameInAuditLog, type WorkspaceCaller } from "../../core/people/actor.ts";
import { personKey } from "../../core/people/person.ts";
import { permit } from "../identity/permit.ts";
import { retryOnConflict } from "../outbox/commit-parts.ts";
import type { Uses } from "../uses.ts";

/** Operators see the shared views, but create none for others. */
const share: Action = { name: "sharing a view", access: { domain: "jobs", verb: "write", need: "write", target: "none", personal: true } };
const administer: Action = {
  name: "changing the view of another user",
  access: { domain: "jobs", verb: "write", need: "admin", target: "none", personal: true },
};

const toJson = ({ id, name, shared, query, createdBy }: View): ViewJson => ({ id, name, shared, query, created_by: createdBy });
const keyOf = (workspace: string, view: View) => viewObject.key(workspace, ownerOfView(view), view.id);

/** Lists the views of the caller and the shared ones, by name. */
export async function listViews({ objects }: Uses<"objects">, { actor, workspace }: WorkspaceCaller): Promise<ViewJson[]> {
  const pk = viewObject.partitionKey(workspace);
  const lists = [ownViewsOf(personKey(actor.email)), SHARED_VIEWS].map((beginsWith) => objects.list(pk, { beginsWith }));
  const views = viewObject.parseReadable((await Promise.all(lists)).flat());
  return views.map(toJson).sort((a, b) => a.name.localeCompare(b.name) || (a.id < b.id ? -1 : 1));
}

/** Creates a view and returns its id. Throws `auth.forbidden` if the caller may not share it, and `view.tooMany`. */
export async function createView({ objects }: Uses<"objects">, caller: WorkspaceCaller, fields: ViewFields): Promise<string> {
  const { actor, workspace } = caller;
  if (fields.shared) permit(actor, share, { workspace });
  const view: View = { ...fields, id: randomUUID(), person: personKey(actor.email), createdBy: nameInAuditLog(actor) };
  await requireRoom({ objects }, workspace, view);
  await objects.put({ ...keyOf(workspace, view), value: view, version: randomUUID() }, "absent");
  return view.id;
}

/** Throws `view.tooMany` if the list to which a view is added is full. Requests that arrive at once may exceed the limit by their number. */
async function requireRoom({ objects }: Uses<"objects">, workspace: string, view: View): Promise<void> {
  const limit = view.shared ? limits.sharedViews : limits.views;
  const found = await objects.list(viewObject.partitionKey(workspace), {
    beginsWith: view.shared ? SHARED_VIEWS : ownViewsOf(view.person),
  });
  if (found.length >= limit) throw new SvcError("view.tooMany", { limit, shared: view.shared });
}

/**
 * Changes the fields of a view that are present. Throws `view.notFound`, also for a view of another user that is not shared, `auth.forbidden` for a
 * shared one that another user has created, unless the caller is an admin, `view.tooMany` and `view.changedMeanwhile`.
 */
export async function updateView(deps: Uses<"objects">, caller: WorkspaceCaller, id: string, fields: Partial<ViewFields>): Promise<void> {
  const { actor, workspace } = caller;
  await changeView(deps, caller, id, async (view, stored) => {
    const after: View = { ...view, ...fields };
    const moves = after.shared !== view.shared;
    if (after.shared && moves) permit(actor, share, { workspace });
    if (moves) await requireRoom(deps, workspace, after);
    const put = write.put({ ...keyOf(workspace, after), value: after, version: randomUUID() }, moves ? "absent" : unchangedSince(stored));
    return moves ? [write.remove(stored, unchangedSince(stored)), put] : [put];
  });
}

/** Deletes a view. Throws as `updateView` does. */
export function deleteView(deps: Uses<"objects">, caller: WorkspaceCaller, id: string): Promise<void> {
  return changeView(deps, caller, id, async (_, stored) => [write.remove(stored, unchangedSince(stored))]);
}

async function changeView(
  { objects }: Uses<"objects">,
  { actor, workspace }: WorkspaceCaller,
  id: string,
  build: (view: View, stored: StoredObject) => Promise<ReturnType<typeof write.put>[]>,
): Promise<void> {
  const person = personKey(actor.email);
  await retryOnConflict(
    async () => {
      const stored = (await objects.batchGet(keysOfView(workspace, person, id), { consistent: true })).find((found) => found);
      if (!stored) throw new SvcError("view.notFound", { id });
      const view = viewObject.parse(stored);
      if (view.person !== person) permit(actor, administer, { workspace });
      return (await objects.transactWrite(await build(view, stored))) === undefined ? { done: undefined } : undefined;
    },
    () => new SvcError("view.changedMeanwhile", { id }),
  );
}
