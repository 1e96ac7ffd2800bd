import { answerSlackCall } from "../../../services/chats/slack/answer-slack-call.ts";
import { addMember } from "../../../services/workspaces/add-member.ts";
import type { World } from "../use-cases/world.ts";
import type { FakeSlack } from "./slack.ts";

/** The path of the resource in the tests. */
export const SLACK_PATH = "u/ann/slack";

/** Adds a member of the workspace, and gives the person in Slack with this id the same address. */
export async function addPerson(world: World, slack: FakeSlack, user: string, username: string): Promise<void> {
  const email = `${username}@example.com`;
  slack.people.set(user, { email });
  await addMember(world.deps, world.workspace, { email, username, is_admin: false, operator: false }, { inherits: true });
}

/** Sends the body of a call to the address of the resource. It is signed now, unless the test passes its headers. */
export function callService(
  world: World,
  slack: FakeSlack,
  body: string,
  headers = slack.sign(body, Math.floor(world.clock.nowMs / 1000)),
): Promise<object> {
  const { workspace, deps } = world;
  return answerSlackCall(deps, {
    workspace,
    path: SLACK_PATH,
    headers,
    readPayload: async () => ({ bytes: Buffer.from(body), headers, query: [] }) as never,
  });
}
