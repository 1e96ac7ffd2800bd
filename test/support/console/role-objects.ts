import { expectStatus, type Workspace } from "../api/workspace.ts";
import { type Action, type Actions, admins, members, type Operation, type RolePage, readers } from "./role-page.ts";

/** Stores an object of each kind in the folder t, which outsiders may not read. */
export async function makeObjects(ws: Workspace): Promise<void> {
  const runs = { script_path: "f/t/greet", is_flow: false };
  const bodies: Readonly<Record<string, object>> = {
    "variables/create": { path: "f/t/secret", value: "a value", is_secret: true, description: "" },
    "resources/create": { path: "f/t/db", resource_type: "any", value: {} },
    "resources/type/create": { name: "c_kind", schema: { type: "object" } },
    "schedules/create": { path: "f/t/yearly", schedule: "0 0 0 1 1 *", timezone: "UTC", args: {}, ...runs },
    "email_triggers/create": { path: "f/t/mails", local_part: ws.id, ...runs },
    "http_triggers/create": { path: "f/t/hook", route_path: "hook", http_method: "post", workspaced_route: true, ...runs },
    "apps/create": { path: "f/t/page", summary: "", value: {}, policy: { execution_mode: "viewer" } },
    "groups/create": { name: "team", summary: "" },
  };
  await Promise.all(Object.entries(bodies).map(async ([route, body]) => expectStatus(await ws.post(route, body), 201)));
  expectStatus(await ws.api.call("POST", `w/${ws.id}/job_helpers/upload_s3_file?file_key=f/t/one.txt`, { body: "text" }), 200);
}

/** The buttons in the row of an object. */
const onObject = (path: string, kind: string): Actions => ({
  [`Edit ${path}`]: `${kind}.update` as Operation,
  [`Delete ${path}`]: `${kind}.delete` as Operation,
});
const onlyAdmins = (operation: Operation): Action => ({ operation, only: admins });

interface OfKind {
  address: string;
  heading: string;
  /** The actions for everyone who may do them, whether they see an object or not. */
  always: Actions;
  path: string;
  onObject: Actions;
  /** Shown to those who may not read the object. */
  empty: string;
}

/** The page of a kind of objects. Those without a right on the object see the page without it. */
const pageOf = (w: string, { address, heading, always, path, onObject, empty }: OfKind): RolePage => ({
  address: `${w}/${address}`,
  seenBy: readers,
  isChecked: true,
  content: { heading, text: path },
  actions: { ...always, ...onObject },
  refusal: { heading, text: empty, actions: always },
});

/** The pages of stored objects and of people. Operators and members without rights see them without the actions that their role lacks. */
export function pagesOfObjects(w: string): RolePage[] {
  const page = (address: string, heading: string, text: string, actions: Actions): RolePage => ({
    address: `${w}/${address}`,
    seenBy: members,
    content: { heading, text },
    actions,
    isChecked: true,
  });
  const kind = (address: string, heading: string, name: string, path: string, always: Actions): RolePage =>
    pageOf(w, {
      address,
      heading,
      always,
      path,
      onObject: onObject(path, name),
      empty: `No ${heading.replace(/^(?!HTTP)./, (letter) => letter.toLowerCase())}`,
    });
  return [
    kind("variables", "Variables", "variables", "f/t/secret", { "New variable": "variables.create" }),
    kind("resources", "Resources", "resources", "f/t/db", { "New resource": "resources.create" }),
    page("resource-types", "Resource types", "c_kind", {
      "New resource type": "resources.types.create",
      ...onObject("c_kind", "resources.types"),
    }),
    kind("schedules", "Schedules", "schedules", "f/t/yearly", { "New schedule": "schedules.create" }),
    kind("triggers", "Triggers", "email_triggers", "f/t/mails", { "New trigger": "sqs_triggers.create" }),
    kind("routes", "HTTP routes", "http_triggers", "f/t/hook", { "New route": "http_triggers.create", "To OpenAPI": "openapi.generate" }),
    kind("apps", "Apps", "apps", "f/t/page", { "New app": "apps.create" }),
    {
      ...pageOf(w, {
        address: "files?folder=f/t/",
        heading: "Files",
        always: { Upload: "files.presignUpload" },
        path: "one.txt",
        onObject: { "Delete f/t/one.txt": "files.delete" },
        empty: "Files",
      }),
    },
    page("folders", "Folders", "A folder determines", {
      "New folder": "folders.create",
      "Edit t": onlyAdmins("folders.update"),
      "Delete t": onlyAdmins("folders.delete"),
    }),
    page("groups", "Groups", "Every user is in the group all", { "New group": "groups.create", ...onObject("team", "groups") }),
    page("users", "Users", "Permissions of a user", { "Add user": "workspaces.addUser" }),
    {
      address: `${w}/audit`,
      seenBy: admins,
      isChecked: true,
      content: { heading: "Audit log", text: "scripts.create" },
      refusal: { heading: "Audit log", text: "Only administrators read the audit log" },
    },
  ];
}
