import { beforeAll, describe, expect, it } from "vitest";
import type { Job } from "../../../core/jobs/record/job.ts";
import type { Actor } from "../../../core/people/actor.ts";
import {
  approveGate,
  type FlowWorld,
  gates,
  newFlowWorld,
  playExecutions,
  startFlow,
} from "../../../test/support/use-cases/world-flows.ts";
import { work } from "../../../test/support/use-cases/world-jobs.ts";
import { anAdmin, aReader } from "../../../test/support/use-cases/world-people.ts";
import { loadFlowFields } from "../../flows/inspection/status.ts";
import { setUserState } from "../../flows/runtime/user-states.ts";
import { createLink } from "../links/links.ts";
import { decideOnPage } from "./decide-on-page.ts";
import { showApproval, showSuspendedFlow } from "./show-approval.ts";

const asks = { id: "ask", value: { type: "identity" }, suspend: { required_events: 1, user_auth_required: true } };

const plain = { id: "a", value: { type: "identity" } };

let world: FlowWorld;
beforeAll(async () => {
  world = await newFlowWorld();
});

async function play(modules: object[], { approves = false } = {}): Promise<string> {
  const run = await startFlow(world, modules);
  for (let round = 0; round < 3; round += 1) {
    await work(world);
    await playExecutions(world);
    if (approves) for (const gate of await gates(world, run)) if (!gate.decision) await approveGate(world, gate, 1, { person: anAdmin });
  }
  return run;
}

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => "shown",
    (error: { code?: string }) => error.code,
  );

describe("the approval page of a run", () => {
  const runs: [string, () => Promise<string>, string][] = [
    ["has not started", () => startFlow(world, [plain]), "approval.none"],
    ["waits", () => play([asks]), "shown"],
    ["was approved", () => play([asks, plain], { approves: true }), "shown"],
    ["has ended without a request", () => play([plain]), "approval.over"],
    ["does not exist", async () => "00000000-0000-4000-8000-000000000000", "approval.link"],
  ];

  it.each(runs)("reveals nothing to a person who may not see the run when it %s", async (_title, start, forAdmin) => {
    const id = await start();
    const { deps, workspace } = world;
    const stranger: Actor = { ...aReader(workspace, []) };
    const page = (actor: Actor) => ({ workspace, id, actor });
    expect(await codeOf(showApproval(deps, page(stranger)))).toBe("approval.link");
    expect(await codeOf(decideOnPage(deps, page(stranger), { approved: true }))).toBe("approval.link");
    expect(await codeOf(showApproval(deps, page(anAdmin)))).toBe(forAdmin);
  });

  it.each([
    ["no scopes", undefined, true],
    ["the scope to decide", ["approvals:write"], true],
    ["the scope to read", ["approvals:read"], false],
  ])(
    "can be decided by a person who may see the run and has a token of %s, if it allows decisions",
    async (_title, scopes, can_approve) => {
      const id = await play([asks]);
      const actor: Actor = { ...anAdmin, ...(scopes ? { scopes } : {}) };
      const info = await showApproval(world.deps, { workspace: world.workspace, id, actor });
      expect(info).toMatchObject({ flow_id: id, state: "open", can_approve });
      if (!can_approve) expect(info).toMatchObject({ refused: "sign_in" });
    },
  );
});

describe("the flow of a link", () => {
  const signsIn = { required_events: 1, user_auth_required: true };
  const holders: [string, object, Actor | undefined, boolean][] = [
    ["a holder who is not signed in, where approvers must sign in", signsIn, undefined, false],
    ["a member who may not decide", { ...signsIn, user_groups_required: { type: "static", value: ["all"] } }, aReader("w", []), false],
    ["an admin", signsIn, anAdmin, true],
    ["anyone, where a link suffices", { required_events: 1 }, undefined, true],
  ];
  it.each(holders)(
    "shows arguments, definition, execution and stored values only to people who may decide or see the run: %s",
    async (_title, suspend, actor, shown) => {
      const { deps, workspace } = world;
      const id = await play([{ ...asks, suspend }]);
      const [gate, flow] = [(await gates(world, id))[0], await deps.jobs.get(id)];
      if (!gate || !flow) throw new Error("The gate has not opened.");
      await setUserState(deps, flow, "key", "a stored value");
      const link = { workspace, id: gate.id, resumeId: 1, approver: "" };
      const { signature } = await createLink(deps, { ...link, level: "step" });
      const withCode = { ...deps, loadFlowFields: (job: Job) => loadFlowFields(deps, job, { code: true }) };
      const member = actor?.rights ? { ...actor, rights: { ...actor.rights, workspace } } : actor;
      const { job } = await showSuspendedFlow(withCode, { ...link, signature }, member);
      expect(job).toMatchObject({ id, flow_status: { modules: [{ id: "ask" }] } });
      expect(["args", "raw_flow", "execution"].map((name) => name in job)).toEqual([shown, shown, shown]);
      expect(JSON.stringify(job).includes("a stored value")).toBe(shown);
    },
  );
});
