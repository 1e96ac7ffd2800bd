import path from "node:path";
import { describe, expect, it } from "vitest";
import type { ApprovalAuditPage, VerifiedRecord } from "../../../contract/routes/approvals/approval-records.ts";
import { runCommand } from "../../../engine/commands/command.ts";
import { root as checkout } from "../../../engine/paths.ts";
import { shared } from "../../support/api/api.ts";
import { expectStatus, newWorkspace } from "../../support/api/workspace.ts";
import { asks, runOf, urls, visit } from "../../support/approvals/approvals.ts";
import { flow, saveFlow } from "../../support/flows/flow.ts";
import { until } from "../../support/until.ts";

describe("the record of approvals", () => {
  it("the record contains every approval, rejection and timeout with approver, payload and the flow's version", async () => {
    const ws = await newWorkspace();
    const form = { schema: { type: "object", properties: { sum: { type: "number" } } } };
    const ends = { continue_on_error: true };
    await saveFlow(ws, "f/t/asks", [
      asks("two", { required_events: 2, resume_form: form }),
      asks("no", {}, "1", ends),
      asks("late", { timeout: 1 }, "1", ends),
      flow.step("after", "'gone on'"),
    ]);
    const flowRun = expectStatus(await ws.post("jobs/run/f/f/t/asks", {}), 201).text;
    const gateOf = async (module: string) =>
      until(async () => (await runOf(ws, flowRun)).gates.find((gate) => gate.module_id === module && !gate.decision)?.gate_id, {
        timeoutMs: 60_000,
        what: `gate ${module}`,
      });
    const two = await gateOf("two");
    for (const [n, approver] of ["kim", "lee"].entries()) {
      const { resume } = await urls(ws, two, { approver }, n);
      expect(await visit(resume, { body: { sum: n } })).toMatchObject({ status: 201 });
    }
    const no = await gateOf("no");
    const token = { authorization: `Bearer ${shared().token}` };
    expect(await visit((await urls(ws, no)).cancel, { body: { reason: "too dear" }, headers: token })).toMatchObject({ status: 201 });
    expect(await ws.completed(flowRun)).toMatchObject({ result: "gone on" });
    const { entries } = expectStatus(await ws.get("approvals/audit", { run: flowRun }), 200).json as ApprovalAuditPage;
    const chain = entries.toReversed();
    const common = { workspace: ws.id, root: flowRun, flow: flowRun, flowPath: "f/t/asks", flowVersion: expect.any(Number) };
    const shown = expect.stringMatching(/^[0-9a-f]{64}$/);
    expect(chain).toMatchObject([
      { ...common, gate: two, module: "two", what: "approved", decides: false, who: { name: "kim", resumeId: 0 }, shown },
      { ...common, gate: two, module: "two", what: "approved", decides: true, who: { name: "lee", resumeId: 1 }, shown },
      {
        ...common,
        gate: no,
        module: "no",
        what: "rejected",
        decides: true,
        who: { email: shared().email },
        reason: "too dear",
        shown,
      },
      { ...common, module: "late", what: "expired", decides: true, who: {}, shown },
    ]);
    expect(chain[1]?.values?.place).toEqual({ in: "head", json: '{"sum":1}' });
    const verified = expectStatus(await ws.get("approvals/verify", { run: flowRun }), 200).json as VerifiedRecord;
    expect(verified).toMatchObject({ ok: true, runs: 1, entries: 4 });
  });
});

/** Runs the command from the sources, as an auditor does who does not trust the program that the service serves. */
const verifyAudit = (...args: string[]) => runCommand(process.execPath, [path.join(checkout, "cli/main.ts"), "audit", "verify", ...args]);

describe("manipulated records", () => {
  it("a fault is distinguished from a failed read", async () => {
    const refused = await verifyAudit("--url", shared().url, "--token", "wrong", "--workspace", "w");
    expect([refused.code, refused.output]).toEqual([2, expect.stringContaining("The token is not valid")]);
    expect([(await verifyAudit("--token", "x")).code, (await verifyAudit("--nonsense")).code]).toEqual([2, 2]);
  });
});
