import * as z from "zod";
import { anyJson, inWorkspace } from "../../common.ts";
import { defineRoute } from "../../route.ts";
import { approvalSettingsSchema, fileStorageSchema, handlerArgs, handlerPath, settingsSchema } from "./setting-schemas.ts";

const w = "/api/w/{workspace}";
const read = { method: "GET", fn: "people", auth: "token", status: 200 } as const;
const post = { method: "POST", fn: "people", auth: "token", status: 200 } as const;
const done = { text: "A confirmation." };
const atKey = z.object({ key: z.string().regex(/^[A-Za-z0-9_.-]{1,100}$/, "letters, digits, '.', '_' and '-' only") });

const adminWrite = { domain: "workspaces", verb: "write", need: "admin", target: "none" } as const;

export const settingRoutes = {
  listGlobal: defineRoute({
    ...read,
    name: "settings.listGlobal",
    summary: "List the settings of the instance.",
    path: "/api/settings/list_global",
    access: { domain: "settings", verb: "read", need: "superadmin", target: "none" },
    reply: { json: z.array(z.object({ name: z.string(), value: anyJson })) },
    errors: [],
  }),
  getGlobal: defineRoute({
    ...read,
    name: "settings.getGlobal",
    summary: "Get a setting of the instance, or null if it was never set.",
    path: "/api/settings/global/{key}",
    access: { domain: "settings", verb: "read", need: "self", target: "none" },
    params: atKey,
    reply: { json: anyJson },
    errors: [],
  }),
  setGlobal: defineRoute({
    ...post,
    name: "settings.setGlobal",
    summary: "Change a setting of the instance. Without a value, or with null, the setting is removed.",
    path: "/api/settings/global/{key}",
    access: { domain: "settings", verb: "write", need: "superadmin", target: "none" },
    params: atKey,
    body: z.object({ value: anyJson.optional() }),
    reply: done,
    errors: ["setting.value", "access.changedMeanwhile"],
  }),
  getSettings: defineRoute({
    ...read,
    name: "workspaces.getSettings",
    summary: "Get the settings of a workspace.",
    path: `${w}/workspaces/get_settings`,
    access: { domain: "workspaces", verb: "read", need: "admin", target: "none" },
    params: inWorkspace,
    reply: { json: settingsSchema },
    errors: ["workspace.notFound"],
  }),
  getName: defineRoute({
    ...read,
    name: "workspaces.getWorkspaceName",
    summary: "A workspace's name.",
    path: `${w}/workspaces/get_workspace_name`,
    access: { domain: "workspaces", verb: "read", need: "member", target: "none" },
    params: inWorkspace,
    reply: { text: "The name." },
    errors: ["workspace.notFound"],
  }),
  changeName: defineRoute({
    ...post,
    name: "workspaces.changeName",
    summary: "Rename a workspace. Its id remains the same.",
    path: `${w}/workspaces/change_workspace_name`,
    access: adminWrite,
    params: inWorkspace,
    body: z.object({ new_name: z.string().min(1).max(100) }),
    reply: done,
    errors: ["workspace.notFound", "access.changedMeanwhile"],
  }),
  changeColor: defineRoute({
    ...post,
    name: "workspaces.changeColor",
    summary: "Set or remove the colour of a workspace.",
    path: `${w}/workspaces/change_workspace_color`,
    access: adminWrite,
    params: inWorkspace,
    body: z.object({ color: z.string().max(20).nullish() }),
    reply: done,
    errors: ["workspace.notFound", "access.changedMeanwhile"],
  }),
  editAutoInvite: defineRoute({
    ...post,
    name: "workspaces.editAutoInvite",
    summary:
      "Set which new users of the instance join automatically: users of your e-mail domain, or all users. An empty body turns this off.",
    path: `${w}/workspaces/edit_auto_invite`,
    access: adminWrite,
    params: inWorkspace,
    body: z.object({ operator: z.boolean().nullish(), invite_all: z.boolean().nullish(), auto_add: z.boolean().nullish() }),
    reply: done,
    errors: ["workspace.notFound"],
  }),
  editApprovals: defineRoute({
    ...post,
    name: "workspaces.editApprovals",
    summary: "Set whether opening an approval link in a browser decides. By default, it shows the page.",
    path: `${w}/workspaces/edit_approvals`,
    access: adminWrite,
    params: inWorkspace,
    body: approvalSettingsSchema,
    reply: done,
    errors: ["workspace.notFound"],
  }),
  editErrorHandler: defineRoute({
    ...post,
    name: "workspaces.editErrorHandler",
    summary: "Set the script or flow that is called when a script or flow of the workspace fails. Without a path, it is removed.",
    path: `${w}/workspaces/edit_error_handler`,
    access: adminWrite,
    params: inWorkspace,
    body: z.object({
      path: handlerPath.nullish(),
      extra_args: handlerArgs.nullish(),
      muted_on_cancel: z.boolean().nullish(),
      muted_on_user_path: z.boolean().nullish(),
    }),
    reply: done,
    errors: ["workspace.notFound"],
  }),
  editSuccessHandler: defineRoute({
    ...post,
    name: "workspaces.editSuccessHandler",
    summary: "Set the script or flow that is called when a script or flow of the workspace succeeds. Without a path, it is removed.",
    path: `${w}/workspaces/edit_success_handler`,
    access: adminWrite,
    params: inWorkspace,
    body: z.object({ path: handlerPath.nullish(), extra_args: handlerArgs.nullish() }),
    reply: done,
    errors: ["workspace.notFound", "access.changedMeanwhile"],
  }),
  editFileStorage: defineRoute({
    ...post,
    name: "workspaces.editLargeFileStorage",
    summary: "Set the storage of the workspace's files. Without large_file_storage, the service's own bucket is used.",
    path: `${w}/workspaces/edit_large_file_storage_config`,
    access: adminWrite,
    params: inWorkspace,
    body: z.object({ large_file_storage: fileStorageSchema.nullish() }),
    reply: { text: "A confirmation." },
    errors: ["workspace.notFound", "resource.notFound"],
  }),
};
