import { api } from "../api/api.ts";
import { member } from "../api/people.ts";
import { expectStatus, newWorkspace, type Workspace } from "../api/workspace.ts";
import { asks, startRun, waiting } from "../approvals/approvals.ts";
import { makeObjects, pagesOfObjects } from "./role-objects.ts";
import { type Actions, admins, members, type Role, type RolePage, readers, roles, signedIn, type View } from "./role-page.ts";

/** The entries of the user menu and of the command palette that only some members are offered. */
export const frameEntries = {
  Account: signedIn,
  Instance: ["superadmin"],
  "Audit log": admins,
  Settings: admins,
} as const satisfies Record<string, readonly Role[]>;

export interface RoleWorld {
  workspace: string;
  tokens: Readonly<Record<Role, string>>;
  pages: readonly RolePage[];
}

const FAILED = "This page can't be displayed";
const NO_RUN = "01990000-0000-7000-8000-000000000000";
const content = "export async function main(name: string) { return { name }; }";

/** Creates a workspace with a person for each role, something to see on each page, and the table of what everyone sees. */
export async function makeRoleWorld(): Promise<RoleWorld> {
  const [ws, elsewhere] = await Promise.all([newWorkspace(), newWorkspace()]);
  const [admin, developer, operator, outsider, stranger] = await Promise.all([
    member(ws, "admin", "admin"),
    member(ws, "developer"),
    member(ws, "operator", "operator"),
    member(ws, "outsider"),
    member(elsewhere, "stranger"),
  ]);
  const tokenOf = ({ api: { token } }: typeof admin) => token;
  const tokens = {
    superadmin: api().token,
    admin: tokenOf(admin),
    developer: tokenOf(developer),
    operator: tokenOf(operator),
    outsider: tokenOf(outsider),
    stranger: tokenOf(stranger),
    visitor: "",
  };
  const extra_perms = { [`u/${developer.username}`]: true, [`u/${operator.username}`]: false };
  expectStatus(await ws.post("folders/update/t", { extra_perms }), 200);
  return { workspace: ws.id, tokens, pages: pagesOf(ws.id, await makeRuns(ws)) };
}

interface Runs {
  first: string;
  second: string;
  ofFlow: string;
  /** Waits for an approval. */
  asked: string;
  /** The path of a link that shows the first run. */
  shared: string;
}

async function makeRuns(ws: Workspace): Promise<Runs> {
  const module = { id: "load", value: { type: "rawscript", language: "bun", content, input_transforms: {} } };
  await Promise.all([
    ws.saveScript({ path: "f/t/greet", summary: "Greets a person", content, language: "bun" }),
    ws.saveScript({ path: "f/t/old", content, language: "bun" }),
    ws.post("flows/create", { path: "f/t/orders", summary: "", value: { modules: [module] } }),
  ]);
  expectStatus(await ws.post("scripts/archive/p/f/t/old"), 200);
  const [first, second, flow, asked] = await Promise.all([
    ws.run("f/t/greet", { name: "Ann" }),
    ws.run("f/t/greet", { name: "Bo" }),
    ws.post("jobs/run/f/f/t/orders", {}),
    startRun(ws, [asks("ask", {}, undefined, { summary: "Pay the bill" })]),
  ]);
  const ofFlow = expectStatus(flow, 201).text;
  await Promise.all([ws.completed(first), ws.completed(second), ws.completed(ofFlow), waiting(ws, asked)]);
  await makeObjects(ws);
  const { url } = expectStatus(await ws.post(`jobs/share/${first}`, { expires_in_s: 3600 }), 200).json as { url: string };
  return { first, second, ofFlow, asked, shared: new URL(url).pathname };
}

const noJob = (id: string): View => ({ heading: FAILED, text: `There is no job ${id}.` });

export function pagesOf(ws: string, { first, second, ofFlow, asked, shared }: Runs): RolePage[] {
  const w = `/w/${ws}`;
  return [
    { address: w, seenBy: members, content: { heading: "Home", text: "Failed in the last day" } },
    {
      address: `${w}/runs`,
      isChecked: true,
      seenBy: members,
      content: { heading: "Runs" },
      actions: { "Save view": "views.create" },
      dialogs: { "Save view": { Save: "views.create" } },
    },
    {
      address: `${w}/runs?path=f/t`,
      isChecked: true,
      seenBy: readers,
      press: "Select page",
      content: { heading: "Runs", text: "3 selected" },
      actions: { "Save view": "views.create", "Cancel selected": "jobs.bulk.start", "Run selected again": "jobs.bulk.start" },
    },
    ...pagesOfRun(`${w}/runs/`, first, ofFlow, asked),
    {
      address: `${w}/runs/${first}/compare/${second}`,
      isChecked: true,
      seenBy: readers,
      content: { heading: "Compare runs", text: "Bo" },
      // Both runs are requested at once, and the first refusal is shown.
      refusal: { heading: "Compare runs", text: "There is no job" },
    },
    { ...itemList, isChecked: true, address: `${w}/items`, refusal: { heading: "Scripts and flows", text: "No scripts and flows yet" } },
    {
      address: `${w}/items?archived=true`,
      seenBy: readers,
      content: { heading: "Scripts and flows", text: "f/t/old" },
      actions: { "Restore f/t/old": "flows.archive" },
      refusal: { heading: "Scripts and flows", text: "Nothing is archived" },
    },
    ...pagesOfItem(`${w}/scripts/`, "f/t/greet", { heading: FAILED, text: "There is no script at f/t/greet." }),
    {
      address: `${w}/scripts/new`,
      isChecked: true,
      seenBy: members,
      content: { heading: "New script" },
      actions: { Deploy: "scripts.create", Insert: "scripts.create", Test: "jobs.run.preview" },
    },
    {
      address: `${w}/scripts/f/t/greet/edit`,
      isChecked: true,
      seenBy: readers,
      content: { heading: "f/t/greet" },
      actions: { Deploy: "scripts.create", Insert: "scripts.create", Test: "jobs.run.preview" },
      refusal: { heading: FAILED, text: "There is no script at f/t/greet." },
    },
    ...pagesOfItem(`${w}/flows/`, "f/t/orders", { heading: FAILED, text: "There is no flow at f/t/orders." }),
    {
      address: `${w}/flows/f/t/orders/edit`,
      isChecked: true,
      seenBy: readers,
      content: { heading: "f/t/orders", text: "load" },
      actions: { Deploy: "flows.update", Test: "jobs.run.previewFlow" },
      refusal: { heading: FAILED, text: "There is no flow at f/t/orders." },
    },
    {
      address: `${w}/flows/new`,
      isChecked: true,
      seenBy: members,
      content: { heading: "New flow" },
      actions: { Deploy: "flows.create", Test: "jobs.run.previewFlow" },
    },
    ...pagesOfApprovals(`${w}/approvals`),
    ...pagesOfObjects(w),
    {
      address: `${w}/settings/webhooks`,
      isChecked: true,
      seenBy: admins,
      content: { heading: "Workspace settings", text: "URL to send requests to" },
      actions: {
        Save: "workspaces.editWebhook",
        "Rotate secret": "workspaces.rotateWebhookSecret",
        "Add endpoint": "webhooks.create",
        "Replay range": "webhooks.replayDeliveries",
      },
      refusal: { heading: "Workspace settings", text: "Only admins see the settings" },
    },
    ...pagesOfSettings(w),
    {
      address: "/instance/webhooks",
      isChecked: true,
      seenBy: ["superadmin"],
      content: { heading: "Instance", text: "URL to send requests to" },
      actions: {
        Save: "settings.setGlobal",
        "Rotate secret": "webhooks.rotateInstanceSecret",
        "Replay range": "webhooks.replayInstanceDeliveries",
      },
      refusal: { heading: "Instance", text: "Only superadmins see this page" },
    },
    {
      address: "/account/tokens",
      isChecked: true,
      seenBy: signedIn,
      content: { heading: "Account", text: "Show browser sessions" },
      actions: { "New token": "tokens.create", Revoke: "tokens.delete" },
      dialogs: { "New token": { Create: "tokens.create" } },
    },
    {
      address: "/account/chat-accounts",
      isChecked: true,
      seenBy: signedIn,
      content: { heading: "Account", text: "No chat account is connected" },
    },
    {
      address: "/chat/link",
      isChecked: true,
      seenBy: roles,
      content: { heading: "Connect a chat account", text: "This page needs the link of a chat" },
    },
    { address: "/account/preferences", isChecked: true, seenBy: signedIn, content: { heading: "Account", text: "Theme" } },
    { address: shared, seenBy: roles, content: { heading: "f/t/greet", text: "Ann" } },
    { address: "/share/nothing", seenBy: roles, content: { heading: "Shared run", text: "This link shows no run" } },
    { address: `${w}/nothing`, seenBy: roles, content: { heading: "Page not found" } },
    { address: `${w}/runs/${NO_RUN}`, seenBy: [], content: noJob(NO_RUN), refusal: noJob(NO_RUN) },
  ];
}

const itemList = { seenBy: readers, content: { heading: "Scripts and flows", text: "f/t/greet" } } as const;

function pagesOfRun(runs: string, run: string, ofFlow: string, asked: string): RolePage[] {
  const actions: Actions = { "Run again": "jobs.rerun", "Run again with changes": "jobs.run.scripts", Share: "jobs.share" };
  const ofScript = { seenBy: readers, actions, refusal: noJob(run) };
  const restart: Actions = { ...actions, "Restart from…": "jobs.restart.flows" };
  const share: Actions = { Create: "jobs.share" };
  return [
    {
      ...ofScript,
      isChecked: true,
      address: `${runs}${run}`,
      content: { heading: "f/t/greet", text: "Follow" },
      dialogs: { Share: share },
    },
    { ...ofScript, address: `${runs}${run}?tab=result`, content: { heading: "f/t/greet", text: "Ann" } },
    { ...ofScript, address: `${runs}${run}?tab=arguments`, content: { heading: "f/t/greet", text: "Ann" } },
    { ...ofScript, address: `${runs}${run}?tab=details`, content: { heading: "f/t/greet", text: "Cost (estimate)" } },
    {
      address: `${runs}${ofFlow}`,
      isChecked: true,
      seenBy: readers,
      content: { heading: "f/t/orders" },
      actions: restart,
      dialogs: { Share: share, "Restart from…": { Restart: "jobs.restart.flows" } },
      refusal: noJob(ofFlow),
    },
    {
      address: `${runs}${ofFlow}?tab=timeline`,
      isChecked: true,
      seenBy: readers,
      content: { heading: "f/t/orders", text: "Begins" },
      actions: restart,
      refusal: noJob(ofFlow),
    },
    {
      address: `${runs}${asked}`,
      seenBy: admins,
      content: { heading: "Preview", text: "Pay the bill" },
      actions: {
        Cancel: "jobs.cancel",
        "Force cancel": "jobs.forceCancel",
        Share: "jobs.share",
        Approve: "approvals.decide",
        Reject: "approvals.decide",
      },
      dialogs: { "Force cancel": { "Force cancel": "jobs.forceCancel" }, Share: share },
      refusal: noJob(asked),
    },
  ];
}

/** The pages of a script or a flow. */
function pagesOfItem(kind: string, path: string, refusal: View): RolePage[] {
  const actions: Actions = { Star: "favorites.star", Move: "flows.update", Archive: "flows.archive" };
  const run: Actions = { ...actions, Run: "jobs.run.scripts", "Run and wait": "jobs.run.scripts" };
  const webhooks: Actions = { ...actions, "Create a token for this webhook": "tokens.create" };
  const content = { heading: path };
  const dialogs = {
    Move: { Move: "flows.update" },
    Archive: { Archive: "flows.archive" },
    "Earlier arguments": { Save: "inputs.create" },
  } as const;
  const tokens = { "Create a token for this webhook": { Create: "tokens.create" } } as const;
  return [
    { address: `${kind}${path}`, isChecked: true, seenBy: readers, content, actions: run, dialogs, refusal },
    { address: `${kind}${path}?tab=webhooks`, isChecked: true, seenBy: readers, content, actions: webhooks, dialogs: tokens, refusal },
    { address: `${kind}${path}/history`, isChecked: true, seenBy: readers, content, actions, refusal },
    { address: `${kind}${path}?tab=details`, seenBy: readers, content: { ...content, text: "Used by" }, actions, refusal },
  ];
}

/** The other tabs of the settings of the workspace and of the instance. */
function pagesOfSettings(w: string): RolePage[] {
  const ofWorkspace = (tab: string, text: string, actions: Actions, isChecked?: true): RolePage => ({
    address: `${w}/settings/${tab}`,
    seenBy: admins,
    content: { heading: "Workspace settings", text },
    actions,
    refusal: { heading: "Workspace settings", text: "Only admins see the settings" },
    ...(isChecked ? { isChecked } : {}),
  });
  const ofInstance = (tab: string, text: string, actions: Actions): RolePage => ({
    address: `/instance/${tab}`,
    seenBy: ["superadmin"],
    content: { heading: "Instance", text },
    actions,
    refusal: { heading: "Instance", text: "Only superadmins see this page" },
  });
  return [
    ofWorkspace("general", "HTTP status of failed runs", { Save: "workspaces.changeName" }, true),
    ofWorkspace("error-handler", "The error handler is called", { Save: "workspaces.editErrorHandler" }, true),
    ofWorkspace("success-handler", "The success handler is called", { Save: "workspaces.editSuccessHandler" }),
    ofWorkspace("chat", "No chat application is connected", {}),
    ofWorkspace("default-app", "Apps do not run in this service", { Save: "workspaces.editDefaultApp" }),
    ofWorkspace("encryption-key", "The key encrypts", { "Rotate key": "workspaces.setEncryptionKey" }, true),
    ofWorkspace(
      "danger-zone",
      "An archived workspace can be read",
      { "Archive workspace": "workspaces.archive", "Delete workspace": "workspaces.delete" },
      true,
    ),
    ofInstance("users", "Everyone who may sign in", { "New user": "users.createGlobal" }),
    ofInstance("workspaces", "All workspaces", { "New workspace": "workspaces.create" }),
    ofInstance("settings", "Settings that apply to every workspace", {}),
    ofInstance("groups", "A group of the instance can have", { "New group": "instanceGroups.create" }),
    { address: `${w}/changes`, isChecked: true, seenBy: members, content: { heading: "Changes since", text: "Get the changes into git" } },
  ];
}

/** The pages of approvals. Only admins may decide the request, and read the record. */
function pagesOfApprovals(address: string): RolePage[] {
  const heading = "Approvals";
  return [
    { address, seenBy: admins, content: { heading, text: "Pay the bill" }, refusal: { heading, text: "Nothing waits for you" } },
    {
      address: `${address}?tab=all`,
      seenBy: admins,
      content: { heading, text: "Preview" },
      refusal: { heading, text: "No run waits for an approval" },
    },
    {
      address: `${address}?tab=decided`,
      isChecked: true,
      seenBy: admins,
      content: { heading, text: "Nothing was decided yet" },
      actions: { "Verify the record": "approvals.verify" },
      refusal: { heading, text: "Nothing waits for you" },
    },
  ];
}
