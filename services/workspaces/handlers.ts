import type { ErrorHandler } from "../../contract/routes/workspaces/setting-schemas.ts";
import { toJsonValue } from "../../core/objects/json-value.ts";
import type { Access } from "../../core/permissions/access.ts";
import { errorHandlerSetting, successHandlerSetting } from "../../core/settings/workspace.ts";
import type { ObjectStore } from "../../ports/object-store.ts";
import { replaceSetting, type SettingEdit } from "../settings/replace-setting.ts";
import type { Uses } from "../uses.ts";
import { buildAccessPart } from "./access.ts";

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
 * Throws `object.versionChanged`, `workspace.notFound` and `access.changedMeanwhile`.
 */
export async function setWorkspaceHandler(
  deps: Uses<"objects" | "nowMs">,
  workspace: string,
  name: HandlerName,
  { path, extra_args: args, muted_on_cancel: onCancel, muted_on_user_path: onUserPath }: HandlerRequest,
  edit: SettingEdit = {},
): Promise<string | undefined> {
  const handler: ErrorHandler | undefined = path
    ? {
        path,
        ...(args ? { extra_args: args } : {}),
        ...(onCancel == null ? {} : { muted_on_cancel: onCancel }),
        ...(onUserPath == null ? {} : { muted_on_user_path: onUserPath }),
      }
    : undefined;
  const changeRights = (access: Access) => {
    if (handler) access.successHandled = true;
    else delete access.successHandled;
  };
  await replaceSetting(deps, {
    workspace,
    name,
    edit,
    build: () => handler && toJsonValue(handler),
    ...(name === "success_handler" ? { buildRights: () => buildAccessPart(deps.objects, workspace, changeRights, "bounded") } : {}),
  });
  return handler?.path;
}
