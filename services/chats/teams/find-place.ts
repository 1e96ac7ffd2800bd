import { actions } from "../../../contract/access/actions.ts";
import { SvcError } from "../../../contract/errors.ts";
import { type TeamsTeam, teamsChatObject, teamsTeamObject } from "../../../core/chats/teams/teams-place.ts";
import { isChannel } from "../../../core/chats/teams/teams-server.ts";
import type { Actor } from "../../../core/people/actor.ts";
import { may } from "../../../core/permissions/may.ts";
import { chatCredentialObject } from "../../../core/secrets/sealed-copy.ts";
import type { Uses } from "../../uses.ts";

/** A conversation in which the bot of a resource is installed. */
export interface TeamsPlace {
  resource: string;
  conversation: string;
  server: string;
}

/** Returns the server that has a conversation in which the bot of a resource is installed, or `undefined`. */
export async function findTeamsServer(
  deps: Uses<"objects">,
  { workspace, resource, conversation }: { workspace: string; resource: string; conversation: string },
): Promise<string | undefined> {
  if (!isChannel(conversation)) {
    const stored = await deps.objects.get(teamsChatObject.key(workspace, conversation, resource));
    return stored && teamsChatObject.parse(stored).server;
  }
  return (await listTeams(deps, workspace, `${resource}#`)).find(hasChannel(conversation))?.server;
}

const listTeams = async ({ objects }: Uses<"objects">, workspace: string, beginsWith = ""): Promise<TeamsTeam[]> =>
  teamsTeamObject.parseReadable(await objects.list(teamsTeamObject.partitionKey(workspace), beginsWith === "" ? {} : { beginsWith }));

const hasChannel =
  (conversation: string) =>
  ({ channels }: TeamsTeam) =>
    channels.some(({ id }) => id === conversation);

/** Finds a conversation among those of the bots whose resources the caller may read. Throws `chat.noConversation`, and `chat.notPosted` if several bots are in it. */
export async function findTeamsConversation(
  deps: Uses<"objects">,
  actor: Actor,
  { workspace, conversation }: { workspace: string; conversation: string },
): Promise<TeamsPlace> {
  const installed = isChannel(conversation)
    ? (await listTeams(deps, workspace)).filter(hasChannel(conversation))
    : teamsChatObject.parseReadable(await deps.objects.list(teamsChatObject.partitionKey(workspace), { beginsWith: `${conversation}#` }));
  const [place, ...others] = await keepReadable(deps, actor, workspace, installed);
  if (!place) throw new SvcError("chat.noConversation", {});
  if (others.length > 0) throw severalResources([place, ...others]);
  return { resource: place.resource, conversation, server: place.server };
}

/** Finds a channel by the names of its team and of itself, among the teams of the bots whose resources the caller may read. Throws `chat.notPosted`. */
export async function findTeamsChannel(
  deps: Uses<"objects">,
  actor: Actor,
  { workspace, resource, team, channel }: { workspace: string; resource: string | undefined; team: string; channel: string },
): Promise<Pick<TeamsPlace, "resource" | "conversation">> {
  const all = await keepReadable(deps, actor, workspace, await listTeams(deps, workspace, resource === undefined ? "" : `${resource}#`));
  const teams = all.filter(({ name }) => isSameName(name, team));
  if (teams.length === 0) {
    throw notPosted(
      resource === undefined
        ? "no bot of a resource that you may read is installed in a team with this name: add the app to the team"
        : `the bot of the resource ${resource} is not installed in a team with this name, or you may not read the resource: add the app to the team`,
    );
  }
  if (new Set(teams.map((each) => each.resource)).size > 1) throw severalResources(teams);
  const channels = teams.flatMap((each) => each.channels.filter(({ name }) => isSameName(name, channel)).map(({ id }) => id));
  const [conversation, ...others] = channels;
  if (conversation === undefined) throw notPosted("the team has no channel with this name");
  if (others.length > 0) throw notPosted("several teams have this name and such a channel");
  return { resource: teams[0]?.resource ?? "", conversation };
}

const notPosted = (reason: string) => new SvcError("chat.notPosted", { reason });
const severalResources = (places: readonly { resource: string }[]) =>
  notPosted(`the bots of several resources are there: ${[...new Set(places.map(({ resource }) => resource))].join(", ")}`);

const isSameName = (one: string, other: string) => one.trim().toLowerCase() === other.trim().toLowerCase();

/** A resource can be gone, or have another type now. */
async function keepReadable<Place extends { resource: string }>(
  { objects }: Uses<"objects">,
  actor: Actor,
  workspace: string,
  places: readonly Place[],
): Promise<Place[]> {
  const readable = places.filter(({ resource: path }) => may(actor, actions.readResource.access, { workspace, path }));
  const copies = await objects.batchGet(
    readable.map(({ resource }) => chatCredentialObject.key(workspace, resource)),
    { consistent: true },
  );
  return readable.filter((_, index) => {
    const copy = copies[index];
    return copy !== undefined && chatCredentialObject.parse(copy).type === "ms_teams_bot";
  });
}
