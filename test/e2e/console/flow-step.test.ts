import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { button, heading } from "../../support/approvals/page.ts";
import { endBrowser } from "../../support/browser/browser.ts";
import { expectAccessible, openConsole } from "../../support/console/console.ts";

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
});
