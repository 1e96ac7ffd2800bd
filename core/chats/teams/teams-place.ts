import * as z from "zod";
import { defineObject, inWorkspace } from "../../objects/define-object.ts";

const named = z.object({ id: z.string(), name: z.string() });

/** A team in which the bot of a resource is installed, with the channels that Teams lists. */
export const teamsTeamSchema = z.object({ resource: z.string(), ...named.shape, server: z.string(), channels: z.array(named) });
export type TeamsTeam = z.infer<typeof teamsTeamSchema>;

/** A chat in which the bot of a resource is installed: that of a group, or with one person. */
export const teamsChatSchema = z.object({ resource: z.string(), ...named.shape, server: z.string() });
export type TeamsChat = z.infer<typeof teamsChatSchema>;

/** The teams of a workspace's bots, by the path of the resource and the id of the team. */
export const teamsTeamObject = defineObject({
  name: "team of a bot",
  partition: "TEAMSTEAM",
  ...inWorkspace,
  sort: (resource: string, team: string) => `${resource}#${team}`,
  schema: teamsTeamSchema,
});

/** The chats of a workspace's bots, by the id of the chat and the path of the resource. There can be one for each member of a tenant. */
export const teamsChatObject = defineObject({
  name: "chat of a bot",
  partition: "TEAMSCHAT",
  ...inWorkspace,
  sort: (chat: string, resource: string) => `${chat}#${resource}`,
  schema: teamsChatSchema,
});

/** A change of the places where a bot is installed. Function `chat` has verified the call of Teams; function `approve` stores the place. */
export const teamsChangeSchema = z.object({
  kind: z.literal("teamsChange"),
  workspace: z.string(),
  resource: z.string(),
  change: z.discriminatedUnion("what", [
    z.object({ what: z.literal("team"), team: teamsTeamSchema }),
    z.object({ what: z.literal("chat"), chat: teamsChatSchema }),
    z.object({ what: z.literal("removed"), place: z.enum(["team", "chat"]), id: z.string() }),
  ]),
});
export type TeamsChange = z.infer<typeof teamsChangeSchema>;
