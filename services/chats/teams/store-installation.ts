import { type TeamsChange, teamsChatObject, teamsTeamObject } from "../../../core/chats/teams/teams-place.ts";
import type { Uses } from "../../uses.ts";

/** Stores or removes a place where the bot of a resource is installed. A repeated call changes nothing. */
export async function storeInstallation({ objects }: Uses<"objects">, { workspace, resource, change }: TeamsChange): Promise<void> {
  switch (change.what) {
    case "team":
      await objects.put({ ...teamsTeamObject.key(workspace, resource, change.team.id), value: { ...change.team, resource } });
      return;
    case "chat":
      await objects.put({ ...teamsChatObject.key(workspace, change.chat.id, resource), value: { ...change.chat, resource } });
      return;
    case "removed":
      await objects.deleteItem(
        change.place === "team" ? teamsTeamObject.key(workspace, resource, change.id) : teamsChatObject.key(workspace, change.id, resource),
      );
  }
}
