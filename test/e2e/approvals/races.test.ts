import { beforeAll, describe, expect, it } from "vitest";
import { member, type Someone } from "../../support/api/people.ts";
import { newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { asks, consent, runOf, sees, startRun, urls, visit, waiting } from "../../support/approvals/approvals.ts";
import { invoke } from "../../support/engine/aws.ts";

let ws: Workspace;
beforeAll(async () => {
  ws = await newWorkspace();
});

const counted = (statuses: number[]) =>
  Object.fromEntries([...new Set(statuses)].sort().map((status) => [status, statuses.filter((each) => each === status).length]));
async function startApproval(suspend: object = {}) {
  const run = await startRun(ws, [asks("ask", suspend), sees()]);
  const [gate] = await waiting(ws, run);
  return { run, gate: gate?.gate_id ?? "" };
}

describe("simultaneous decisions", () => {
  it("ten requests with one link approve once, and the others return that it is decided", async () => {
    const { run, gate } = await startApproval();
    const { resume } = await urls(ws, gate, { approver: "kim" });
    const answers = await Promise.all(Array.from({ length: 10 }, () => visit(resume, { body: { n: 1 } })));
    expect(counted(answers.map(({ status }) => status))).toEqual({ 201: 1, 409: 9 });
    for (const { text } of answers.filter(({ status }) => status === 409)) expect(text).toContain("approved by kim");
    expect(await ws.completed(run)).toMatchObject({ result: { resumes: [{ n: 1 }], approvers: ["kim"] } });
  });

  it("ten different links all count, and the flow continues with exactly the required number", async () => {
    const { run, gate } = await startApproval({ required_events: 6 });
    const links = [];
    for (let n = 0; n < 10; n += 1) links.push(await urls(ws, gate, { approver: `a${n}` }));
    const answers = await Promise.all(links.map(({ resume }, n) => visit(resume, { body: { n } })));
    expect(counted(answers.map(({ status }) => status))).toEqual({ 201: 6, 409: 4 });
    const { resumes, approvers } = (await ws.completed(run))["result"] as { resumes: { n: number }[]; approvers: string[] };
    expect(approvers).toHaveLength(6);
    expect(resumes.map(({ n }) => `a${n}`)).toEqual(approvers);
  });

  it("exactly one of simultaneous approvals and rejections wins, and the others return which", async () => {
    for (let round = 0; round < 2; round += 1) {
      const { run, gate } = await startApproval();
      const links = await Promise.all(["ann", "bob", "cleo"].map((approver) => urls(ws, gate, { approver })));
      const answers = await Promise.all(links.flatMap(({ resume, cancel }) => [visit(resume, { body: {} }), visit(cancel, { body: {} })]));
      expect(counted(answers.map(({ status }) => status))).toEqual({ 201: 1, 409: 5 });
      const { decision } = (await runOf(ws, run)).gates[0] ?? {};
      for (const { status, text } of answers) if (status === 409) expect(text).toContain(`${decision?.how} by ${decision?.by}`);
      expect((await ws.completed(run))["success"]).toBe(decision?.how === "approved");
    }
  });

  it("an approval at the deadline is either accepted or expired, and the flow matches the response", async () => {
    for (let round = 0; round < 2; round += 1) {
      const run = await startRun(ws, [asks("ask", { timeout: 2 }), sees()]);
      const [gate] = await waiting(ws, run);
      const { resume } = await urls(ws, gate?.gate_id ?? "");
      // Housekeeping ends the gate while the approval is being processed. Its clock decides, not the duration of this test.
      const endTime = () => invoke("HousekeepingFunction", { nowMs: Date.parse(String(gate?.["deadline"])) });
      const [{ status }] = await Promise.all([visit(resume, { body: {} }), endTime()]);
      const done = await ws.completed(run);
      const { decision } = (await runOf(ws, run)).gates[0] ?? {};
      expect([status, done["success"], done["canceled"], decision?.how]).toEqual(
        status === 201 ? [201, true, false, "approved"] : [409, false, true, "expired"],
      );
    }
  });

  it("the first of two approvers decides, and the other one sees who did", async () => {
    const people: Someone[] = await Promise.all(["ann", "bob"].map((name) => member(ws, name)));
    const run = await startRun(ws, [
      consent(
        "gate",
        people.map(({ username }) => `u/${username}`),
      ),
      sees(),
    ]);
    await waiting(ws, run);
    const decisions = ["approved", "rejected"];
    const answers = await Promise.all(people.map((who, n) => who.api.post(`v1/runs/${run}/consent`, { decision: decisions[n] })));
    expect(counted(answers.map(({ status }) => status))).toEqual({ 200: 1, 409: 1 });
    const winner = answers.findIndex(({ status }) => status === 200);
    expect(answers[1 - winner]?.text).toContain(`${decisions[winner]} by ${people[winner]?.username}`);
  });

  it("a run that is canceled and approved at once is canceled or continues, never both", async () => {
    for (let round = 0; round < 2; round += 1) {
      const { run, gate } = await startApproval();
      const { resume } = await urls(ws, gate);
      const [approved, canceled] = await Promise.all([visit(resume, { body: {} }), ws.post(`jobs_u/queue/cancel/${run}`, {})]);
      const done = await ws.completed(run);
      if (approved.status === 409) expect(done["canceled"]).toBe(true);
      else expect([approved.status, done["canceled"]]).toEqual([201, canceled.status === 200]);
    }
  });
});
