import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { button, heading } from "../../support/approvals/page.ts";
import { endBrowser } from "../../support/browser/browser.ts";
import { expectAccessible, openConsole, show } from "../../support/console/console.ts";

let ws: Workspace;
beforeAll(async () => {
  ws = await newWorkspace();
  await ws.saveScript({ path: "f/t/book", content: "export const main = () => 1;", language: "bun" });
});
afterAll(endBrowser);

interface Stored {
  value: { modules: { id: string; value: Record<string, unknown> }[]; [field: string]: unknown };
  version_id: number;
}
const stored = async (flow: string): Promise<Stored> => expectStatus(await ws.get(`flows/get/${flow}`), 200).json as Stored;
const kindsOf = ({ value }: Stored) => value.modules.map((module) => String(module.value["type"]));

/** Adds a step to the end of the flow, with the mouse. */
async function addByMouse(page: Page, name: string, search = name): Promise<void> {
  await button(page, "Add step at the end").click();
  const dialog = page.getByRole("dialog", { name: "Add step" });
  await dialog.getByLabel("Search").fill(search);
  await dialog.getByRole("button", { name }).first().click();
  await dialog.waitFor({ state: "detached" });
}

/** Adds a step to the end of the flow, with keys alone. */
async function addByKeys(page: Page, search: string): Promise<void> {
  await button(page, "Add step at the end").press("Enter");
  const dialog = page.getByRole("dialog", { name: "Add step" });
  await dialog.getByRole("button", { name: search }).first().waitFor();
  await page.keyboard.type(search);
  await dialog.getByRole("button", { name: search }).first().waitFor();
  await page.keyboard.press("Enter");
  await dialog.waitFor({ state: "detached" });
}

const KINDS = ["Code in Python", "For loop", "While loop", "One branch", "All branches", "Identity", "Consent gate", "Script f/t/book"];
const TYPES = ["rawscript", "forloopflow", "whileloopflow", "branchone", "branchall", "identity", "consentgate", "script"];

describe("the flow editor", () => {
  it("builds a flow of each kind of step with the mouse, and deploys it", async () => {
    const watched = await openConsole(`/w/${ws.id}/items`);
    const { page } = watched;
    await page.getByRole("link", { name: "New flow" }).click();
    await heading(page, "New flow").waitFor();
    await page.getByLabel("Path").fill("f/t/by_mouse");
    for (const kind of KINDS) await addByMouse(page, kind, kind.replace("Script ", ""));
    await expectAccessible(watched);
    await page.getByRole("tab", { name: "List" }).click();
    await button(page, "Add step at the end of b").click();
    await button(page, "Approval step").click();
    await button(page, "Add failure handler").click();
    await button(page, "Code in Go").click();
    await page.reload();
    await page.getByText("You typed these values earlier").waitFor();
    await page.getByLabel("Message").fill("Built with the mouse");
    await button(page, "Deploy").click();
    await heading(page, "f/t/by_mouse").waitFor();
    const flow = await stored("f/t/by_mouse");
    expect(kindsOf(flow)).toEqual(TYPES);
    expect(flow.value.modules.map(({ id }) => id)).toEqual(["a", "b", "c", "d", "e", "f", "g", "h"]);
    expect(flow.value).toMatchObject({ failure_module: { id: "failure", value: { language: "go" } } });
    expect(flow.value.modules[1]).toMatchObject({ value: { modules: [{ id: "i", suspend: { required_events: 1 } }] } });
  });

  it("builds, moves, renames and removes steps in the list with keys alone", async () => {
    const watched = await openConsole(`/w/${ws.id}/flows/new?tab=list`);
    const { page } = watched;
    await page.getByLabel("Path").fill("f/t/by_keys");
    for (const kind of KINDS) await addByKeys(page, kind.replace("Script ", ""));
    const step = (id: string) => page.locator(`[data-step-id="${id}"]`);
    await step("h").focus();
    await page.keyboard.press("Alt+ArrowUp");
    await page.keyboard.press("F2");
    await page.getByRole("dialog").getByLabel("Id").fill("book");
    await page.keyboard.press("Enter");
    await step("book").waitFor();
    await step("a").focus();
    await page.keyboard.press("ArrowDown");
    await page.locator('[data-step-id="b"]:focus').waitFor();
    await page.keyboard.press("Delete");
    await page.locator('[data-step-id="c"]:focus').waitFor();
    await page.keyboard.press("Control+z");
    await step("b").waitFor();
    await expectAccessible(watched);
    await button(page, "Deploy").press("Enter");
    await heading(page, "f/t/by_keys").waitFor();
    const flow = await stored("f/t/by_keys");
    expect(flow.value.modules.map(({ id }) => id)).toEqual(["a", "b", "c", "d", "e", "f", "book", "g"]);
  });

  it("opens and deploys each fixture flow without a change", async () => {
    const files = globSync("test/fixtures/flows/*/flow.yaml").sort();
    const flows = await Promise.all(
      files.map(async (file) => {
        const flow = parse(readFileSync(file, "utf8")) as { value: { modules: object[] } };
        const at = `f/t/${path.basename(path.dirname(file)).replaceAll("-", "_")}`;
        // A gate names people and groups that a new workspace does not have.
        const text = JSON.stringify({ summary: "", ...flow, path: at }).replace(/"(u|g)\/\w+"/g, '"role:admin"');
        expectStatus(await ws.post("flows/create", JSON.parse(text)), 201);
        return { at, before: await stored(at) };
      }),
    );
    const { page } = await openConsole(`/w/${ws.id}/flows/${flows[0]?.at}/edit`);
    for (const { at } of flows) {
      await show(page, `/w/${ws.id}/flows/${at}/edit`);
      await button(page, "Deploy").click();
      await page.getByText(`${at} is deployed.`).waitFor();
    }
    for (const { at, before } of flows) {
      const { version_id, ...after } = await stored(at);
      const content = ({ version_id: _, ...fields }: Stored) => JSON.parse(JSON.stringify({ ...fields, edited_at: "", hash: "" }));
      expect(version_id).toBeGreaterThan(before.version_id);
      expect(content({ version_id, ...after })).toEqual(content(before));
    }
  });

  it("shows why YAML is no flow, keeps the last valid graph, and merges the newer version of another person", async () => {
    const at = "f/t/shared";
    const flow = { path: at, summary: "Shared", value: { modules: [{ id: "a", value: { type: "identity" } }] } };
    expectStatus(await ws.post("flows/create", flow), 201);
    const watched = await openConsole(`/w/${ws.id}/flows/${at}/edit?tab=yaml`);
    const { page } = watched;
    const yaml = page.getByRole("textbox", { name: "YAML", exact: true });
    await yaml.click();
    await page.keyboard.press("Control+End");
    await page.keyboard.type("\n  [");
    await page
      .getByText(/Line \d+, column \d+/)
      .first()
      .waitFor();
    expect(await button(page, "Deploy").isDisabled()).toBe(true);
    await button(page, "Discard the text").click();
    await page.getByRole("tab", { name: "List" }).click();
    await page.getByLabel("Summary").fill("Mine");
    const theirs = { ...flow, value: { modules: [...flow.value.modules, { id: "b", value: { type: "identity" } }] } };
    expectStatus(await ws.post(`flows/update/${at}`, theirs), 200);
    await button(page, "Deploy").click();
    await button(page, "Deploy the merged flow").click();
    await page.getByText(`${at} is deployed.`).waitFor();
    expect(await stored(at)).toMatchObject({ summary: "Mine", value: { modules: [{ id: "a" }, { id: "b" }] } });
  });

  it("tests the flow with its inputs, and shows the states of the steps", async () => {
    const { page } = await openConsole(`/w/${ws.id}/flows/f/t/shared/edit`);
    await button(page, "Test").click();
    await button(page, "Run test").click();
    await page.locator('[data-step-id="a"][data-state="succeeded"]').waitFor();
  });
});
