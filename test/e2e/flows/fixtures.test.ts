import path from "node:path";
import { describe, it } from "vitest";
import { parse } from "yaml";
import { type Api, api } from "../../support/api/api.ts";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { runOf, visit } from "../../support/approvals/approvals.ts";
import { flowFixture, flowFixtureNames, flowFixtures } from "../../support/flows/asl.ts";
import { saveFlow } from "../../support/flows/flow.ts";
import { until } from "../../support/until.ts";

/** The result of every script, which satisfies the expressions of all fixtures. */
const WELL =
  "export const main = () => ({ done: true, seconds: 1, length: 1 });\nexport const preprocessor = (event: unknown) => ({ event });";
const FAILING = "export const main = () => { throw new Error('no'); };";
/** Scripts that fail, by fixture. */
const failing: Record<string, string[]> = { "failure-module": ["f/ops/b"], "continue-on-error": ["f/ops/risky"] };
/** The input of every flow. */
const input = { amount: 500, orders: [1, 2], regions: [{ new: true, orders: [1] }, { orders: [] }] };

/** Paths of all modules of one type, however deep they stand. */
function pathsIn(value: unknown, type: string): string[] {
  if (typeof value !== "object" || value === null) return [];
  const own = "type" in value && "path" in value && value.type === type ? [String(value.path)] : [];
  return [...new Set([...own, ...Object.values(value).flatMap((inner) => pathsIn(inner, type))])];
}

const machineOf = (definition: string) => {
  const anyStep = definition.replaceAll(/arn:aws:lambda:[^"]*/g, "step");
  return { ...(JSON.parse(anyStep) as object), Comment: "" };
};

/** A client with the token of a user who is in the approver group of one fixture and is the named approver of another. */
async function theCfo(ws: Workspace): Promise<Api> {
  const email = `cfo@${ws.id}.example.com`;
  expectStatus(await ws.api.post("users/create", { email, super_admin: false }), 201);
  expectStatus(await ws.post("workspaces/add_user", { email, is_admin: false, operator: false }), 201);
  expectStatus(await ws.post("groups/create", { name: "finance", summary: "" }), 201);
  expectStatus(await ws.post("groups/adduser/finance", { username: "cfo" }), 200);
  const token = expectStatus(await ws.api.post("users/tokens/impersonate", { impersonate_email: email }), 201).text;
  return api({ url: ws.api.url, token });
}

/** Approves every request of a run until the run has ended. */
async function approved(ws: Workspace, id: string, cfo: Api): Promise<Record<string, unknown>> {
  return until(
    async () => {
      const ended = await ws.get(`jobs_u/completed/get/${id}`);
      if (ended.status === 200) return ended.json as Record<string, unknown>;
      for (const { gate_id: gate, kind, decision, links } of (await runOf(ws, id)).gates) {
        if (decision) continue;
        if (kind === "consent") expectStatus(await cfo.post(`v1/runs/${id}/consent`, { decision: "approved", gate }), 200);
        for (const url of links?.resume ?? []) await visit(url, { body: {} });
      }
      return undefined;
    },
    { timeoutMs: 100_000, what: `the end of job ${id}` },
  );
}

describe.concurrent("each flow of test/fixtures/flows", () => {
  it.for(flowFixtureNames)("%s is built as expected and ends on the local engine", { timeout: 120_000 }, async (name, { expect }) => {
    const { value } = parse(flowFixture(name, "flow.yaml")) as { value: object };
    const ws = await newWorkspace();
    expectStatus(await ws.post("folders/create", { name: "ops" }), 201);
    const scripts = pathsIn(value, "script");
    for (const at of scripts) {
      await ws.saveScript({ path: at, language: "bun", content: failing[name]?.includes(at) ? FAILING : WELL });
    }
    for (const at of pathsIn(value, "flow")) await saveFlow(ws, at, [{ id: "inner", value: { type: "identity" } }]);
    const asks = /consentgate|suspend/.test(name);
    // Saving a flow requires that its fixed approvers exist.
    const cfo = asks ? await theCfo(ws) : undefined;
    await saveFlow(ws, "f/ops/flow", value);
    const { definition } = expectStatus(await ws.get("flows/machine/p/f/ops/flow"), 200).json as { definition: object };
    expect(machineOf(JSON.stringify(definition))).toEqual(machineOf(flowFixture(name, "asl.json")));

    const id = expectStatus(await ws.post("jobs/run/f/f/ops/flow", input), 201).text;
    const ended = cfo ? await approved(ws, id, cfo) : await ws.completed(id, 100_000);
    const { success, is_skipped, canceled, result } = ended;
    const ran = `${JSON.stringify({ success, is_skipped, canceled, result }, null, 2)}\n`;
    await expect(ran).toMatchFileSnapshot(path.join(flowFixtures, name, "run.json"));
  });
});
