import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { isOpen } from "../../core/approvals/gate.ts";
import { collectLogs } from "../../test/support/chats/collect-logs.ts";
import { noticesOf } from "../../test/support/chats/deliver-notices.ts";
import { type FakeDiscord, startDiscord } from "../../test/support/chats/discord.ts";
import { callService, DISCORD_PATH } from "../../test/support/chats/discord-world.ts";
import { type FakeTeams, startTeams } from "../../test/support/chats/teams.ts";
import { addTeamsPerson, callTeams, cardOf, TEAMS_PATH } from "../../test/support/chats/teams-world.ts";
import { newWorld, type World } from "../../test/support/use-cases/world.ts";
import { gates, playExecutions, startFlow } from "../../test/support/use-cases/world-flows.ts";
import { addWorkspace } from "../../test/support/use-cases/world-jobs.ts";
import { anAdmin } from "../../test/support/use-cases/world-people.ts";
import { createGateLinks } from "../approvals/links/create-resume-urls.ts";
import { cancelJob } from "../jobs/cancel/cancel-job.ts";
import { listDeliveries } from "../notifications/delivery-records.ts";
import { createResource } from "../resources/save.ts";
import { createVariable } from "../variables/save.ts";

let teams: FakeTeams;
let discord: FakeDiscord;
let world: World;
let notices: ReturnType<typeof noticesOf>;
let logged: string[];
beforeAll(async () => {
  [teams, discord] = [await startTeams(), await startDiscord()];
});
afterAll(() => Promise.all([teams.stop(), discord.stop()]));
beforeEach(async () => {
  logged = collectLogs();
  world = await newWorld();
  notices = noticesOf(world);
  await addWorkspace(world);
  await addTeamsPerson(world, teams, "29:kim", "kim");
});
afterEach(() => void vi.restoreAllMocks());

/** Saves the resource of a vendor, whose secret is in a variable. */
async function saveResource(type: string, path: string, value: object, [field, secret]: [string, string]): Promise<void> {
  const caller = { actor: anAdmin, workspace: world.workspace };
  await createVariable(world.deps, caller, { path: `${path}_secret`, value: secret, is_secret: true, description: "" });
  await createResource(world.deps, caller, { path, value: { ...value, [field]: `$var:${path}_secret` }, resource_type: type });
}

async function start(path: string, fields: object = {}): Promise<{ run: string; links: string[] }> {
  const value = {
    type: "consentgate",
    approvers: ["u/kim"],
    message: "Deploy [now](https://example.com/jobs_u/resume/1) <at>all</at> @everyone?",
    notification: { channel: "chat", resource_path: path },
    ...fields,
  };
  const run = await startFlow(world, [{ id: "ask", value }]);
  await playExecutions(world);
  for (let round = 0; round < 3; round += 1) await notices.deliver();
  const [gate] = await gates(world, run);
  if (!gate || !isOpen(gate)) throw new Error("The gate has not opened.");
  const { resume, cancel } = await createGateLinks(world.deps, gate);
  return { run, links: [...resume, cancel] };
}
async function end(run: string): Promise<void> {
  const job = await world.deps.jobs.get(run);
  if (job) await cancelJob(world.deps, job, { by: "ann", reason: "" });
  for (let round = 0; round < 3; round += 1) await notices.deliver();
}

/** Expects that no byte contains a secret or a link that decides. `replies`: those to the calls of the vendor. */
async function expectNoLeak(run: string, secrets: readonly string[], left: { requests: string; replies: string }): Promise<void> {
  const deliveries = JSON.stringify([...(await listDeliveries(world.deps, run)).values()]);
  const all = { ...left, logs: logged.join("\n"), deliveries, mails: JSON.stringify(notices.mails) };
  for (const [name, text] of Object.entries(all))
    expect({ name, leaked: [...secrets, "/jobs_u/"].filter((secret) => text.includes(secret)) }).toEqual({ name, leaked: [] });
  expect(all.logs).toMatch(/A call of \w+ was refused/);
  // Only the reply to the person who clicked contains the link that connects an account.
  expect(all.replies).toContain("/chat/link#");
  for (const text of [all.requests, all.logs, all.deliveries, all.mails]) expect(text).not.toContain("/chat/link#");
}
const signaturesOf = (links: readonly string[]) => links.flatMap((link) => /[0-9a-f]{64}/.exec(link) ?? []);

it("nothing that leaves for Teams contains a secret or a link that decides, except the request for a token", async () => {
  await saveResource("ms_teams_bot", TEAMS_PATH, teams.resource, ["app_password", teams.resource.app_password]);
  teams.bodies.splice(0);
  const { run, links } = await start(TEAMS_PATH);
  const message = teams.messages.at(-1);
  if (!message) throw new Error("No card was posted.");
  const replies: unknown[] = [];
  const call = async (activity: object, headers?: Record<string, string>) => {
    const reply = await callTeams(world, teams, activity, headers).catch((error: unknown) => ({ value: String(error) }));
    replies.push(reply);
    return reply;
  };
  await call(teams.press(message, "Approve", "29:kim"));
  const form = cardOf(await call(teams.press(message, "Reject", "29:kim")));
  await call(teams.press(message, "Reject", "29:kim", { card: form, entries: { Reason: `no ${links[0]}` } }));
  await call(teams.press(message, "Approve", "29:kim"), { authorization: `Bearer a.${teams.resource.app_password}.b` });
  await end(run);
  const requests = teams.bodies.filter((body) => !body.includes("client_secret=")).join("\n");
  expect(requests).toContain("(link removed)");
  await expectNoLeak(run, [teams.resource.app_password, ...signaturesOf(links)], { requests, replies: JSON.stringify(replies) });
});

it("nothing that leaves for Discord contains a secret or a link that decides", async () => {
  await saveResource("discord", DISCORD_PATH, discord.resource, ["token", discord.resource.token]);
  const { run, links } = await start(DISCORD_PATH);
  const message = discord.messages.at(-1);
  if (!message) throw new Error("No message was posted.");
  const replies: unknown[] = [];
  const call = async (body: string, headers?: Record<string, string>) =>
    void replies.push(await callService(world, discord, body, headers).catch((error: unknown) => String(error)));
  await call(discord.click(message, "Approve", "1001"));
  await call(discord.click(message, "Reject", "1001"));
  await call(discord.submit({ Reason: `no ${links[0]}` }, "1001"));
  await call(discord.click(message, "Approve", "1001"), { "x-signature-ed25519": "00", "x-signature-timestamp": "1" });
  await end(run);
  const requests = [...discord.bodies, ...discord.calls].join("\n");
  expect(requests).toContain("link removed");
  await expectNoLeak(run, [discord.resource.token, ...signaturesOf(links)], { requests, replies: JSON.stringify(replies) });
});
