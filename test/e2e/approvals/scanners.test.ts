import { afterAll, beforeAll, expect, it } from "vitest";
import { member, type Someone } from "../../support/api/people.ts";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { asks, consent, type Gate, runOf, startRun, urls, waiting } from "../../support/approvals/approvals.ts";
import { mailsTo, startReceiver } from "../../support/approvals/notices.ts";
import { until } from "../../support/until.ts";

let ws: Workspace;
let ann: Someone;
let receiver: Awaited<ReturnType<typeof startReceiver>>;
beforeAll(async () => {
  [ws, receiver] = await Promise.all([newWorkspace(), startReceiver()]);
  ann = await member(ws, "ann");
  expectStatus(await ws.post("groups/create", { name: "deciders", summary: "" }), 201);
  expectStatus(await ws.post("groups/adduser/deciders", { username: ann.username }), 200);
});
afterAll(() => receiver?.close());

/** Each text that has the form of an address of the service. */
const addressesIn = (text: string) => [...text.matchAll(/https?:\/\/[^\s"'<>\\)]+/g)].map(([url]) => url.replaceAll("&amp;", "&"));

/** Programs that open links before people do, with the headers that each of them sends. */
const LOOKERS: Record<string, string>[] = [
  { "user-agent": "Mozilla/5.0 (Windows NT 10.0) SafeLinks", accept: "text/html" },
  { "user-agent": "Mozilla/5.0 (compatible; Barracuda)", accept: "*/*" },
  { "user-agent": "Slackbot-LinkExpanding 1.0", accept: "*/*" },
  { "user-agent": "WhatsApp/2.23", accept: "*/*" },
  { "user-agent": "anything", "sec-purpose": "prefetch", accept: "*/*" },
];

it("scanners that open any sent link decide nothing, however often they open it", async () => {
  const suspend = { required_events: 1, user_groups_required: { type: "static", value: ["deciders"] } };
  const [mailed, posted, linked] = await Promise.all([
    startRun(ws, [asks("ask", suspend)]),
    startRun(ws, [consent("gate", [`u/${ann.username}`], { notification: { channel: "webhook", url: receiver.url } })]),
    startRun(ws, [asks("ask")]),
  ]);
  const runs = [mailed, posted, linked];
  const gates = (await Promise.all(runs.map((run) => waiting(ws, run)))).map(([gate]) => gate as Gate);
  const mail = await until(async () => (await mailsTo(ann.email))[0], { timeoutMs: 60_000, what: "the mail" });
  const message = await until(() => receiver.receivedRequests[0], { timeoutMs: 60_000, what: "the webhook" });
  const own = await urls(ws, gates[2]?.gate_id ?? "", { approver: "kim" });
  const sent = [...addressesIn(`${mail.text} ${mail.html}`), ...addressesIn(message.body), ...Object.values(own)];
  expect(sent.length).toBeGreaterThanOrEqual(5);
  for (const url of new Set(sent)) {
    for (const headers of LOOKERS) {
      for (const method of ["GET", "HEAD"]) expect((await fetch(url, { method, headers })).status).toBeLessThan(500);
    }
    expect((await fetch(url, { method: "OPTIONS" })).status).toBeLessThan(500);
  }
  for (const run of runs) {
    const { gates: after } = await runOf(ws, run);
    expect(after).toMatchObject([{ approved_by: [] }]);
    expect(after[0]?.decision).toBeUndefined();
  }
});
