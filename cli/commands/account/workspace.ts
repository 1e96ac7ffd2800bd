import { ApiClient } from "../../api/client.ts";
import type { Context } from "../../context.ts";
import { CommandError, UsageError } from "../../errors.ts";
import { askChoice } from "../../output/prompts.ts";
import { canAsk } from "../../output/terminal.ts";
import { type Profile, type Profiles, readProfiles, writeProfiles } from "../../profiles/profiles.ts";
import { findTarget } from "../../profiles/target.ts";

/** Adds a profile for a workspace. With `create`, the workspace is created if it does not exist. */
export async function addWorkspace(
  context: Context,
  name: string,
  id = name,
  url: string | undefined,
  { create = false }: { create?: boolean },
): Promise<void> {
  // An address takes precedence over the target of the folder, whose token belongs to another service.
  const target = url === undefined ? context.target() : findTarget({ ...context.flags, url });
  const address = target.url;
  const client = new ApiClient({ url: address, token: target.token, workspace: id });
  const exists = await client.call.workspaces.exists({ body: { id } });
  if (!exists) {
    if (!create) throw new CommandError(`There is no workspace ${id} at ${address}. Add --create to create it.`);
    context.output.say(`Creating the workspace ${id} at ${address}.`);
    await client.call.workspaces.create({ body: { id, name: id } });
  }
  const device = target.profile !== undefined && readProfiles().profiles[target.profile]?.device;
  saveProfile(name, { url: address, workspace: id, token: target.token, ...(device ? { device } : {}) });
  context.output.say(`The profile ${name} is active: workspace ${id} at ${address}.`);
}

/** Stores a profile and makes it the active one. */
export function saveProfile(name: string, profile: Profile): void {
  const stored = readProfiles();
  stored.profiles[name] = profile;
  writeProfiles({ ...stored, active: name });
}

export function listWorkspaces(context: Context): void {
  const { active, profiles } = readProfiles();
  const rows = Object.entries(profiles).map(([name, { url, workspace }]) => ({ name, url, workspace, active: name === active }));
  const { output } = context;
  output.data(
    rows,
    output.table(
      ["", "NAME", "WORKSPACE", "URL"],
      rows.map((row) => [row.active ? "*" : "", row.name, row.workspace, row.url]),
    ),
  );
}

function requireProfile({ profiles }: Profiles, name: string): Profile {
  const found = profiles[name];
  if (found) return found;
  const names = Object.keys(profiles).join(", ") || "none";
  throw new UsageError(`There is no profile ${name}. Known profiles: ${names}.`);
}

export async function switchWorkspace(context: Context, name: string | undefined): Promise<void> {
  const stored = readProfiles();
  const chosen =
    name ??
    (await askChoice(
      "Which profile?",
      Object.keys(stored.profiles).map((value) => ({ value, label: value })),
    ));
  requireProfile(stored, chosen);
  writeProfiles({ ...stored, active: chosen });
  context.output.say(`The profile ${chosen} is active.`);
}

export function removeWorkspace(context: Context, name: string): void {
  const stored = readProfiles();
  requireProfile(stored, name);
  delete stored.profiles[name];
  writeProfiles({ ...stored, active: stored.active === name ? undefined : stored.active });
  context.output.say(`The profile ${name} was removed. Its token is still valid: svc token delete revokes it.`);
}

export async function showWhoami(context: Context): Promise<void> {
  const target = context.target();
  const user = await context.instanceClient(target).call.users.whoamiGlobal();
  const { profile, url, workspace, source } = target;
  const shown = { email: user.email, url, workspace, profile: profile ?? null, source };
  const token = profile ? `, token of the profile ${profile}` : "";
  context.output.data(shown, `${user.email} at ${url}, workspace ${workspace || "(none)"} (${source})${token}`);
}

export async function listRemoteWorkspaces(context: Context): Promise<void> {
  const { workspaces } = await context.instanceClient().call.workspaces.mine();
  const { output } = context;
  output.data(
    workspaces,
    output.table(
      ["ID", "NAME", "USERNAME"],
      workspaces.map(({ id, name, username }) => [id, name, username]),
    ),
  );
}

/** Returns the workspace for a new profile: the named one, the only one, or the one that the person chooses. */
export async function chooseWorkspace(client: ApiClient, requestedId: string | undefined): Promise<string> {
  if (requestedId) return requestedId;
  const { workspaces } = await client.call.workspaces.mine();
  const [first, second] = workspaces;
  if (first && !second) return first.id;
  if (!first) throw new CommandError("You are a member of no workspace. Name one with --workspace.");
  if (!canAsk()) throw new UsageError(`Choose a workspace with --workspace: ${workspaces.map(({ id }) => id).join(", ")}.`);
  return askChoice(
    "Which workspace?",
    workspaces.map(({ id, name }) => ({ value: id, label: `${id} (${name})` })),
  );
}
