import { SvcError } from "../../../contract/errors.ts";
import type { TeamsCall } from "../../../core/chats/teams/teams-call.ts";
import type { TeamsChange } from "../../../core/chats/teams/teams-place.ts";
import { reportFailure } from "../../../core/telemetry/telemetry.ts";
import type { TeamsCredential } from "../../../ports/chats.ts";
import type { Uses } from "../../uses.ts";

type Installation = Extract<TeamsCall, { kind: "installed" | "removed" }>;

/**
 * Asks function `approve` to store where the bot is installed, with the channels that Teams lists at this moment, so that a repeated or a late call stores the same. Throws
 * `service.busy` if Teams does not list them.
 */
export async function reportInstallation(
  deps: Uses<"teams" | "functions">,
  credential: TeamsCredential,
  { workspace, resource, server }: { workspace: string; resource: string; server: string },
  { kind, where }: Installation,
): Promise<void> {
  const report = (change: TeamsChange["change"]) => deps.functions.storeTeamsChange({ kind: "teamsChange", workspace, resource, change });
  const { id, name } = where;
  if (kind === "removed") return report({ what: "removed", place: where.kind, id });
  if (where.kind === "chat") return report({ what: "chat", chat: { resource, id, name, server } });
  const described = await deps.teams.describeTeam(credential, { server, team: id });
  if (!described.ok) {
    reportFailure("The channels of a team could not be listed", new Error(described.error), { workspace, resource });
    throw new SvcError("service.busy", { service: "Microsoft Teams" });
  }
  await report({ what: "team", team: { resource, id, server, ...described.value } });
}
