import { beforeAll, describe, expect, it } from "vitest";
import { expectStatus, newWorkspace, type Workspace } from "../support/workspace.ts";

let ws: Workspace;
beforeAll(async () => {
  ws = await newWorkspace();
});

const bun = (id: string, content: string, inputs: Record<string, string> = {}, more: object = {}) => ({
  id,
  value: {
    type: "rawscript",
    language: "bun",
    content,
    input_transforms: Object.fromEntries(Object.entries(inputs).map(([name, expr]) => [name, { type: "javascript", expr }])),
  },
  ...more,
});
const preview = async (value: object, args: object = {}) => {
  const answer = await ws.post("jobs/run_wait_result/preview_flow", { value, args });
  return expectStatus(answer, 200).json;
};

describe("a flow", () => {
  it("runs its steps one after the other", async () => {
    const value = {
      modules: [
        bun("a", "export const main = (x: number) => ({ n: x + 1 });", { x: "flow_input.x" }),
        bun("b", "export const main = (n: number, p: unknown) => ({ n: n * 2, p });", { n: "results.a.n", p: "previous_result" }),
      ],
    };
    expect(await preview(value, { x: 1 })).toEqual({ n: 4, p: { n: 2 } });
  });

  it("fails with the error of its step", async () => {
    const value = {
      modules: [bun("a", "export const main = () => { throw new TypeError('no'); };"), bun("b", "export const main = () => 1;")],
    };
    expect(await preview(value)).toMatchObject({ error: { name: "TypeError", message: "no", step_id: "a" } });
  });
});
