import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { teamsTeamObject } from "../../../core/chats/teams/teams-place.ts";
import type { Actor } from "../../../core/people/actor.ts";
import { noticesOf } from "../../../test/support/chats/deliver-notices.ts";
import { type FakeTeams, startTeams } from "../../../test/support/chats/teams.ts";
import { callTeams, TEAMS_PATH } from "../../../test/support/chats/teams-world.ts";
import { newWorld, type World } from "../../../test/support/use-cases/world.ts";
import { gates, playExecutions, startFlow } from "../../../test/support/use-cases/world-flows.ts";
import { addWorkspace } from "../../../test/support/use-cases/world-jobs.ts";
import { anAdmin } from "../../../test/support/use-cases/world-people.ts";
import { createResource, deleteResource } from "../../resources/save.ts";
import { findTeamsChannel } from "./find-place.ts";
import { postInTeams } from "./post-in-teams.ts";

let teams: FakeTeams;
let world: World;
beforeAll(async () => {
  teams = await startTeams();
});
afterAll(() => teams.stop());

beforeEach(async () => {
  for (const list of [teams.messages, teams.calls, teams.answers]) list.splice(0);
  teams.details.conversations.splice(2);
  world = await newWorld();
  await addWorkspace(world);
  await saveResource(TEAMS_PATH);
});

const saveResource = (path: string) =>
  createResource(
    world.deps,
    { actor: anAdmin, workspace: world.workspace },
    { path, value: teams.resource, resource_type: "ms_teams_bot" },
  );
const call = (activity: object) => callTeams(world, teams, activity);
const install = () => call(teams.install("membersAdded"));
const stored = async () => teamsTeamObject.parseReadable(await world.deps.objects.list(teamsTeamObject.partitionKey(world.workspace)));
const refused = (reason: RegExp) => ({ code: "chat.notPosted", details: { reason: expect.stringMatching(reason) } });

describe("the places of a bot", () => {
  it("are stored once when the bot is added to a team, with the channels that Teams lists", async () => {
    await install();
    await install();
    expect(await stored()).toEqual([
      {
        resource: TEAMS_PATH,
        id: teams.team,
        name: "Release",
        server: teams.serviceUrl,
        channels: [
          { id: teams.team, name: "General" },
          { id: teams.channel, name: "Approvals" },
        ],
      },
    ]);
  });

  it("follow the channels of the team", async () => {
    await install();
    teams.details.conversations.push({ id: "19:new@thread.tacv2", name: "New" });
    await call(teams.activity({ type: "conversationUpdate", channelData: { ...teams.teamData, eventType: "channelCreated" } }));
    expect((await stored())[0]?.channels.map(({ name }) => name)).toEqual(["General", "Approvals", "New"]);
  });

  it("are forgotten when the bot or the team is removed", async () => {
    await install();
    await call(teams.install("membersRemoved"));
    await call(teams.install("membersRemoved"));
    expect(await stored()).toEqual([]);
  });

  it("do not change for other members of the team", async () => {
    await call(teams.activity({ type: "conversationUpdate", membersAdded: [{ id: "29:lee" }] }));
    expect(await stored()).toEqual([]);
  });

  it("are reported again later if Teams does not list the channels", async () => {
    teams.answers.push({ path: /teams/, status: 500, body: "{}" });
    await expect(install()).rejects.toMatchObject({ code: "service.busy" });
    await install();
    expect(await stored()).toHaveLength(1);
  });

  it("name the server for the messages of a ConsentGate", async () => {
    await install();
    const notification = { channel: "chat", resource_path: TEAMS_PATH };
    await startFlow(world, [{ id: "ask", value: { type: "consentgate", approvers: ["role:admin"], notification } }], {}, {});
    await playExecutions(world);
    await noticesOf(world).deliver();
    expect(teams.messages).toHaveLength(1);
    expect(teams.calls.filter((path) => path.endsWith("/v3/conversations"))).toEqual(["POST /emea/v3/conversations"]);
  });
});

describe("a channel by its name", () => {
  const find = (team: string, channel: string, { resource, actor = anAdmin }: { resource?: string; actor?: Actor } = {}) =>
    findTeamsChannel(world.deps, actor, { workspace: world.workspace, resource, team, channel });

  it("is found among the teams in which the bot is installed", async () => {
    await install();
    expect(await find("release", "Approvals")).toEqual({ resource: TEAMS_PATH, conversation: teams.channel });
    expect(await find("Release", "General", { resource: TEAMS_PATH })).toEqual({ resource: TEAMS_PATH, conversation: teams.team });
  });

  it.each<[string, string, string, RegExp]>([
    ["no team has the name", "Other", "Approvals", /no bot .* is installed in a team with this name/],
    ["the team has no such channel", "Release", "Other", /no channel with this name/],
  ])("is refused with a sentence if %s", async (_, team, channel, reason) => {
    await install();
    await expect(find(team, channel)).rejects.toMatchObject(refused(reason));
  });

  it("is not found by a caller who may not read the resource, or once the resource is gone", async () => {
    await install();
    const rights = { workspace: world.workspace, role: "developer" as const, groups: [], folders: {}, objects: {} };
    const lee = { ...anAdmin, email: "lee@example.com", username: "lee", superAdmin: false, rights };
    await expect(find("Release", "Approvals", { actor: lee })).rejects.toMatchObject(refused(/may read/));
    await deleteResource(world.deps, { actor: anAdmin, workspace: world.workspace, path: TEAMS_PATH });
    await expect(find("Release", "Approvals")).rejects.toMatchObject(refused(/no bot/));
  });

  it("is refused if the bots of two resources are in the team, unless the call names one", async () => {
    await saveResource("u/ann/other");
    await install();
    const [team] = await stored();
    const other = { ...team, resource: "u/ann/other" };
    await world.deps.objects.put({ ...teamsTeamObject.key(world.workspace, "u/ann/other", teams.team), value: other });
    await expect(find("Release", "Approvals")).rejects.toMatchObject(refused(/several resources are there: u\/ann\/other, u\/ann\/teams/));
    expect(await find("Release", "Approvals", { resource: "u/ann/other" })).toMatchObject({ resource: "u/ann/other" });
  });
});

describe("a text for a conversation", () => {
  const post = (more: object = {}, actor: Actor = { ...anAdmin, workspace: world.workspace }) =>
    postInTeams(world.deps, { actor, loadActor: async () => actor }, { conversation: teams.channel, text: "done <at>all</at>", ...more });
  const card = {
    type: "AdaptiveCard",
    version: "1.5",
    body: [],
    actions: [{ type: "Action.OpenUrl", title: "Open", url: "https://example.com" }],
  };

  it("is posted as it is, with its card", async () => {
    await install();
    await post({ card, success: true });
    expect(teams.messages).toEqual([expect.objectContaining({ conversation: teams.channel, text: "✅ done <at>all</at>", card })]);
    expect(teams.bodies.at(-1)).toMatch(/"textFormat":"plain"/);
  });

  it("is posted into a chat with a person who has added the bot", async () => {
    await call({
      ...teams.activity({ type: "installationUpdate", action: "add", channelData: { tenant: { id: teams.tenant } } }),
      conversation: { id: "a:kim", tenantId: teams.tenant },
    });
    await post({ conversation: "a:kim" });
    expect(teams.messages).toEqual([expect.objectContaining({ conversation: "a:kim" })]);
  });

  it("finds no conversation in which no bot is installed", async () => {
    await expect(post()).rejects.toMatchObject({ code: "chat.noConversation" });
    await install();
    await expect(post({ conversation: "19:other@thread.tacv2" })).rejects.toMatchObject({ code: "chat.noConversation" });
    await expect(post({ conversation: "a:lee" })).rejects.toMatchObject({ code: "chat.noConversation" });
  });

  it("is not posted with a card that could call the bot", async () => {
    await install();
    const submit = { type: "ActionSet", actions: [{ type: "Action.Submit", title: "Approve", data: { svc_verb: "approve" } }] };
    await expect(post({ card: { ...card, body: [submit] } })).rejects.toMatchObject(refused(/buttons that call the bot/));
    expect(teams.messages).toEqual([]);
  });

  it("ends with the address of the approval page if the job of such a step calls", async () => {
    await install();
    const step = { id: "ask", value: { type: "identity" }, suspend: { required_events: 1 } };
    const run = await startFlow(world, [step, { id: "b", value: { type: "identity" } }], {});
    await playExecutions(world);
    const [gate] = await gates(world, run);
    if (!gate) throw new Error("The gate has not opened.");
    const { email, username, superAdmin } = anAdmin;
    const identity = { email, username, superAdmin, workspace: world.workspace, permissionedAs: "u/ann" };
    await post({}, { kind: "job", jobId: gate.id, attempt: 1, ...identity });
    expect(teams.messages[0]?.text).toBe(
      `done <at>all</at>\n\nDecide on the approval page: http://svc.test/approve/${world.workspace}/${gate.id}`,
    );
    await post({}, { kind: "job", jobId: run, attempt: 1, ...identity });
    expect(teams.messages[1]?.text).toBe("done <at>all</at>");
  });
});
