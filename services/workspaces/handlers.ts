import { SvcError } from "../../contract/errors.ts";
import type { ErrorHandler } from "../../contract/routes/workspaces/setting-schemas.ts";
import { toJsonValue } from "../../core/objects/json-value.ts";
import { write } from "../../core/objects/write.ts";
import { errorHandlerSetting, successHandlerSetting } from "../../core/settings/workspace.ts";
import { workspaceObject } from "../../core/workspaces/workspace.ts";
import type { ObjectStore } from "../../ports/object-store.ts";
import type { Uses } from "../uses.ts";
import { changeAccess } from "./access.ts";

const settings = { error_handler: errorHandlerSetting, success_handler: successHandlerSetting };
export type HandlerName = keyof typeof settings;

/** Loads the handler of a workspace for errors or for successes; `undefined` if there is none. */
export async function loadWorkspaceHandler(
  objects: Pick<ObjectStore, "get">,
  workspace: string,
  name: HandlerName,
): Promise<ErrorHandler | undefined> {
  const found = await objects.get(settings[name].key(workspace));
  return found && settings[name].parse(found);
}

/** A handler in a request: without a path, there is none. */
export type HandlerRequest = { [Field in keyof ErrorHandler]?: ErrorHandler[Field] | null | undefined };

/**
 * Sets the handler of a workspace, or removes it, and returns its path. The item of the access rights contains whether there is a success handler, because every run reads it.
 * Throws `workspace.notFound` and `access.changedMeanwhile`.
 */
export async function setWorkspaceHandler(
  { objects }: Uses<"objects">,
  workspace: string,
  name: HandlerName,
  { path, extra_args: args, muted_on_cancel: onCancel, muted_on_user_path: onUserPath }: HandlerRequest,
): Promise<string | undefined> {
  const handler: ErrorHandler | undefined = path
    ? {
        path,
        ...(args ? { extra_args: args } : {}),
        ...(onCancel == null ? {} : { muted_on_cancel: onCancel }),
        ...(onUserPath == null ? {} : { muted_on_user_path: onUserPath }),
      }
    : undefined;
  const key = settings[name].key(workspace);
  const also = [
    write.check(workspaceObject.key(workspace), "present"),
    handler ? write.put({ ...key, value: toJsonValue(handler) }) : write.remove(key),
  ];
  const notFound = () => new SvcError("workspace.notFound", { workspace });
  if (name === "error_handler") {
    if ((await objects.transactWrite(also)) !== undefined) throw notFound();
    return handler?.path;
  }
  await changeAccess(
    objects,
    workspace,
    (access) => {
      if (handler) access.successHandled = true;
      else delete access.successHandled;
    },
    { by: "bounded", also, refused: notFound },
  );
  return handler?.path;
}
