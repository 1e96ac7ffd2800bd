import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { button, expectQuiet, expectUsable, heading } from "../../support/approvals/page.ts";
import { endBrowser } from "../../support/browser/browser.ts";
import { expectAccessible, openConsole, settle } from "../../support/console/console.ts";

const content = 'export function main(name: string, count = 2) {\n  return { "b c": [name], count };\n}\n';
const value = {
  modules: [
    {
      id: "a",
      x_mine: { kept: [1] },
      value: { type: "rawscript", language: "bun", content, input_transforms: { name: { type: "static", value: "Ann" } } },
    },
    { id: "g", value: { type: "consentgate", approvers: ["role:admin"], message: "Hello {{ context.a.count }}" } },
  ],
};

let ws: Workspace;
beforeAll(async () => {
  ws = await newWorkspace();
  await ws.saveScript({ path: "f/t/greet", content, language: "bun" });
  expectStatus(await ws.post("flows/create", { path: "f/t/steps", summary: "", value }), 201);
});
afterAll(endBrowser);

describe("the panel of a step", () => {
  it("edits inputs and options, tests the step, and takes the result as its mock", async () => {
    const watched = await openConsole(`/w/${ws.id}/flows/f/t/steps/edit?tab=list&step=a`);
    const { page } = watched;
    await heading(page, "f/t/steps").waitFor();
    const panel = page.getByRole("group", { name: "Step a" });
    const name = panel.getByRole("group", { name: "name", exact: true });
    await name.getByRole("textbox", { name: "name" }).waitFor();
    await expectAccessible(watched);

    await name.getByText("Expression").click();
    const expression = name.getByRole("textbox", { name: "name", exact: true });
    await expression.fill("flow_input.");
    await name.getByText("SyntaxError: Unexpected token at line 1, column 12.").waitFor();
    await expression.fill("flow_input.who");
    await name.getByText("SyntaxError").waitFor({ state: "detached" });
    await name.getByText("Constant").click();
    expect(await name.getByRole("textbox", { name: "name" }).inputValue()).toBe("Ann");

    await panel.getByRole("button", { name: "Add option" }).click();
    await page.getByRole("menuitem", { name: "Retry" }).click();
    await panel.getByLabel("Number of retries").fill("4");

    await button(page, "Test this step").click();
    await button(page, "Run test").click();
    await button(page, "Use as mock").click();
    await panel.getByText("The result is now the mock of this step.").waitFor();
    await expectAccessible(watched);

    await button(page, "Deploy").click();
    await expect
      .poll(async () => expectStatus(await ws.get("flows/get/f/t/steps"), 200).json)
      .toMatchObject({
        value: {
          modules: [
            {
              ...value.modules[0],
              retry: { constant: { attempts: 4, seconds: 5 } },
              mock: { enabled: true, return_value: { "b c": ["Ann"], count: 2 } },
            },
            value.modules[1],
          ],
        },
      });
  });

  it("is usable for each kind of step with all options, on a phone and in the dark", async () => {
    const js = (expr: string) => ({ type: "javascript", expr });
    const fields = { type: "object", properties: { why: { type: "string" } }, required: ["why"], order: ["why"] };
    const options = {
      ...{ summary: "All", continue_on_error: true, cache_ttl: 60, priority: 1, delete_after_secs: 60, timeout: 30, sleep: js("1") },
      ...{ skip_if: { expr: "false" }, mock: { enabled: true, return_value: 1 }, stop_after_if: { expr: "false", skip_if_stopped: true } },
      retry: { constant: { attempts: 1, seconds: 1 }, exponential: { attempts: 1, multiplier: 1, seconds: 1 }, retry_if: { expr: "true" } },
    };
    const suspend = { required_events: 1, resume_form: { schema: fields }, user_groups_required: js('["all"]'), hide_cancel: true };
    const inside = (id: string) => [{ id, value: { type: "identity" } }];
    const steps = [
      { id: "code", ...options, suspend, value: value.modules[0]?.value },
      { id: "script", value: { type: "script", path: "f/t/greet", input_transforms: { x: js("results.code.count") } } },
      { id: "flow", value: { type: "flow", path: "f/t/steps", input_transforms: {} } },
      { id: "for", value: { type: "forloopflow", iterator: js("[1]"), modules: inside("i1"), skip_failures: true, parallel: true } },
      { id: "while", value: { type: "whileloopflow", modules: inside("i2"), skip_failures: false } },
      { id: "one", value: { type: "branchone", branches: [{ expr: "true", summary: "yes", modules: inside("i3") }], default: [] } },
      { id: "all", value: { type: "branchall", branches: [{ summary: "", modules: inside("i4") }], parallel: true } },
      {
        id: "gate",
        value: { type: "consentgate", approvers: ["role:admin"], message: "Hi", notification: { channel: "email" }, remind_after: 60 },
      },
      { id: "agent", value: { type: "aiagent", tools: [] } },
    ];
    expectStatus(await ws.post("flows/create", { path: "f/t/kinds", summary: "", schema: fields, value: { modules: steps } }), 201);
    const watched = await openConsole(`/w/${ws.id}/flows/f/t/kinds/edit?tab=list`, { dark: true, phone: true });
    const { page } = watched;
    for (const { id } of steps) {
      await page.locator(`[data-step-id="${id}"]`).click();
      await page.getByRole("group", { name: `Step ${id}`, exact: true }).waitFor();
      await settle(watched);
      await expectUsable(page);
    }
    expectQuiet(watched);
  });
});
