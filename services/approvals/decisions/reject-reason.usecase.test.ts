import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Workspace } from "../../../test/support/api/workspace.ts";
import { asks, consent, runOf, sees, startRun, urls, visitBy, waiting } from "../../../test/support/approvals/approvals.ts";
import { type Service, startService } from "../../../test/support/use-cases/service.ts";

let service: Service;
let ws: Workspace;
beforeAll(async () => {
  service = await startService(["run", "jobs", "objects", "people", "approve"]);
  ws = service.ws;
});
afterAll(() => service.close());

const visit = visitBy((request) => service.answer(request));
const REQUIRED = { reject_reason_required: true };

/** A waiting step that requires a reason, and a link for it. */
async function startApproval(suspend: object = {}) {
  const run = await startRun(ws, [asks("ask", { ...REQUIRED, ...suspend }), sees()]);
  const [gate] = await waiting(ws, run);
  const id = gate?.gate_id ?? "";
  return { run, gate: id, link: await urls(ws, id) };
}

type Approval = Awaited<ReturnType<typeof startApproval>>;
const withPayload = (url: string, payload: object) =>
  `${url}${url.includes("?") ? "&" : "?"}payload=${Buffer.from(JSON.stringify(payload)).toString("base64")}`;

/** The ways to reject, each with and without a reason. */
const ways: [string, (approval: Approval, reason: string | undefined) => Promise<{ status: number; text: string }>][] = [
  ["a POST to the cancel URL", ({ link }, reason) => visit(link.cancel, { body: { reason } })],
  ["a GET of the cancel URL", ({ link }, reason) => visit(withPayload(link.cancel, { reason }), { method: "GET" })],
  ["the page by a link", ({ gate, link }, reason) => decideOnPage(gate, { approval_token: tokenOf(link.approvalPage), reason })],
  ["the page and the inbox by a person", ({ run }, reason) => decideOnPage(run, { reason })],
];

/** The token of the address of a page, `…/<id>/<resume id>/<signature>`. */
const tokenOf = (page: string) => new URL(page).pathname.split("/").slice(-2).join(".");
const decideOnPage = (id: string, body: object) => ws.post(`jobs_u/flow/resume_suspended/${id}`, { approved: false, ...body });

describe.concurrent("a step that requires the reason of a rejection", () => {
  it.each(ways)("waits after a rejection without one by %s, and ends after one with a reason", async (_, reject) => {
    const approval = await startApproval();
    for (const reason of [undefined, "", " \n"]) {
      const refused = await reject(approval, reason);
      expect(refused.status).toBe(422);
      expect(refused.text).toMatch(/requires a reason.*approval page/);
    }
    expect((await runOf(ws, approval.run)).state).toBe("suspended");
    expect((await reject(approval, "too expensive")).status).toBeLessThan(300);
    expect(await ws.completed(approval.run)).toMatchObject({
      success: false,
      result: { error: { name: "SuspendedDisapproved", reason: "too expensive" } },
    });
  });

  it("names the page to the holder of a link, and says there that the reason is required", async () => {
    const { run, link } = await startApproval();
    expect((await visit(link.cancel, { method: "GET" })).text).toContain(link.approvalPage);
    expect((await ws.get(`jobs_u/flow/approval_info/${run}`)).json).toMatchObject({ reject_reason_required: true });
  });

  it("accepts an approval without one", async () => {
    const { run, link } = await startApproval();
    expect((await visit(link.resume, { body: {} })).status).toBe(201);
    expect(await ws.completed(run)).toMatchObject({ success: true });
  });

  it("does not count a rejection without one that was sent for the flow before the step waited", async () => {
    const run = await startRun(ws, [asks("first"), asks("ask", REQUIRED), sees()]);
    const [first] = await waiting(ws, run);
    const forFlow = (n: number) => urls(ws, run, { flow_level: true }, n);
    expect((await visit((await forFlow(1)).resume, { body: {} })).status).toBe(201);
    expect(first?.module_id).toBe("first");
    const [second] = await waiting(ws, run);
    expect(second?.module_id).toBe("ask");
    expect((await visit((await forFlow(2)).cancel, { body: {} })).status).toBe(422);
    expect((await visit((await forFlow(2)).cancel, { body: { reason: "late" } })).status).toBe(201);
    expect(await ws.completed(run)).toMatchObject({ result: { error: { reason: "late" } } });
  });
});

describe.concurrent("a ConsentGate that requires the reason of a rejection", () => {
  it("is decided by a rejection with a reason only", async () => {
    const run = await startRun(ws, [consent("pay", ["role:admin"], REQUIRED), sees()]);
    await waiting(ws, run);
    const decide = (body: object) => ws.api.ask.approvals.consent({ run_id: run, body: { decision: "rejected", ...body } });
    for (const body of [{}, { reason: " " }]) expect((await decide(body)).status).toBe(422);
    expect((await runOf(ws, run)).state).toBe("awaiting_approval");
    expect((await decide({ reason: "too much" })).status).toBe(200);
    expect(await ws.completed(run)).toMatchObject({ success: false, result: { error: { name: "ConsentRejected", reason: "too much" } } });
  });
});

describe("a step without the option", () => {
  it("accepts a rejection without a reason, and its page does not ask for one", async () => {
    const { run, link } = await startApproval({ reject_reason_required: false });
    expect((await ws.get(`jobs_u/flow/approval_info/${run}`)).json).not.toHaveProperty("reject_reason_required");
    expect((await visit(link.cancel, { body: {} })).status).toBe(201);
    expect(await ws.completed(run)).toMatchObject({ success: false });
  });
});
