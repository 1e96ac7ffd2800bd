import { beforeAll, describe, expect, it } from "vitest";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { flow, saveFlow } from "../../support/flows/flow.ts";

let ws: Workspace;
beforeAll(async () => {
  ws = await newWorkspace();
});

const { step, one } = flow;

/** A step whose result is another one each time. */
const dice = (id: string) =>
  flow.script(id, "export const main = (v: unknown) => [v, Math.random()];", { v: "flow_input.iter?.value ?? null" }, {});
const restart = async (id: unknown, body: object) => {
  const answer = await ws.post(`jobs/restart/f/${String(id)}`, body);
  return answer.status === 201 ? ws.completed(answer.text) : answer;
};

describe("restarted flows", () => {
  it("a restarted flow retains the results of earlier steps and the input", async () => {
    const modules = [dice("a"), one("b", [["true", [dice("c")]]]), step("d", "[results.a, results.c, flow_input.x, Math.random()]")];
    await saveFlow(ws, "f/t/dice", modules);
    const first = await ws.completed(expectStatus(await ws.post("jobs/run/f/f/t/dice", { x: 5 }), 201).text);
    const again = (await restart(first["id"], { step_id: "d" })) as Record<string, unknown>;
    const [a, c, x, random] = first["result"] as unknown[];
    expect((again["result"] as unknown[]).slice(0, 3)).toEqual([a, c, x]);
    expect((again["result"] as unknown[])[3]).not.toBe(random);
    expect((await ws.get("jobs/list", { parent_job: String(again["id"]) })).json).toHaveLength(1);
    const { modules: shown } = again["flow_status"] as { modules: { type: string }[] };
    expect(shown.map(({ type }) => type)).toEqual(["Success", "Success", "Success"]);
    const from = (await restart(first["id"], { step_id: "a" })) as Record<string, unknown>;
    expect((from["result"] as unknown[])[0]).not.toEqual(a);
  });
});
