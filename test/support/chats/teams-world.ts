import { answerTeamsCall } from "../../../services/chats/teams/answer-teams-call.ts";
import { addMember } from "../../../services/workspaces/add-member.ts";
import type { World } from "../use-cases/world.ts";
import type { FakeTeams } from "./teams.ts";
import type { Card } from "./teams-card.ts";

/** The path of the resource in the tests. */
export const TEAMS_PATH = "u/ann/teams";

/** Adds a member of the workspace, and gives the person in Teams with this id the same address. */
export async function addTeamsPerson(world: World, teams: FakeTeams, user: string, username: string): Promise<void> {
  const email = `${username}@example.com`;
  teams.people.set(user, { userPrincipalName: email });
  await addMember(world.deps, world.workspace, { email, username, is_admin: false, operator: false }, { inherits: true });
}

/** The reply to a universal action. */
interface Reply {
  statusCode?: number;
  type?: string;
  value?: Card | string;
}

/** Sends an activity to the address of the resource. It is signed now, unless the test passes its headers. */
export async function callTeams(
  world: World,
  teams: FakeTeams,
  activity: object,
  headers?: Record<string, string>,
  bytes = Buffer.from(JSON.stringify(activity)),
): Promise<Reply> {
  const { workspace, deps } = world;
  const signed = headers ?? (await teams.sign(Math.floor(world.clock.nowMs / 1000)));
  return answerTeamsCall(deps, {
    workspace,
    path: TEAMS_PATH,
    headers: signed,
    readPayload: async () => ({ bytes, headers: signed, query: [] }) as never,
  });
}

/** Returns the card of a reply, which the person alone sees. */
export function cardOf({ value }: Reply): Card {
  if (typeof value !== "object") throw new Error(`The reply has no card: ${value}`);
  return value;
}
/** Returns the text of a reply, which the person alone sees. */
export function textOf({ value }: Reply): string {
  if (typeof value !== "string") throw new Error("The reply is no text.");
  return value;
}
