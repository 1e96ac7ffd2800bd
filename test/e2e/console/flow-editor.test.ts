import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { button, heading } from "../../support/approvals/page.ts";
import { endBrowser } from "../../support/browser/browser.ts";
import { expectAccessible, openConsole } from "../../support/console/console.ts";

let ws: Workspace;
beforeAll(async () => {
  ws = await newWorkspace();
  await ws.saveScript({ path: "f/t/book", content: "export const main = () => 1;", language: "bun" });
  expectStatus(await ws.post("flows/create", { path: "f/t/called", summary: "", value: { modules: [] } }), 201);
});
afterAll(endBrowser);

interface Stored {
  value: { modules: { id: string }[]; [field: string]: unknown };
  version_id: number;
}
const stored = async (flow: string): Promise<Stored> => expectStatus(await ws.get(`flows/get/${flow}`), 200).json as Stored;
const idsOf = ({ value }: Stored) => value.modules.map(({ id }) => id);
/** The dependencies of inline code are resolved some time after a deployment. */
const withoutLocks = ({ value }: Stored): unknown =>
  JSON.parse(JSON.stringify(value, (name, each: unknown) => (name === "lock" ? undefined : each)));

const step = (page: Page, id: string) => page.locator(`[data-step-id="${id}"]`);
const panel = (page: Page, id: string) => page.getByRole("heading", { level: 2, name: `Step ${id}`, exact: true });
const focused = (page: Page, id: string) => page.locator(`[data-step-id="${id}"]:focus`).waitFor();

/** Goes to another flow as a link does, without a new page. */
async function open(page: Page, flow: string): Promise<void> {
  await page.evaluate(`history.pushState(null, "", "/w/${ws.id}/flows/${flow}/edit")`);
  await heading(page, flow).waitFor();
}

/** Chooses a step in the dialog that is open. */
type Choose = (page: Page, name: string) => Promise<void>;
const byMouse: Choose = async (page, name) => {
  const dialog = page.getByRole("dialog", { name: "Add step" });
  await dialog.getByLabel("Search").fill(name.replace(/^(Script|Flow) /, ""));
  await dialog.getByRole("button", { name }).first().click();
  await dialog.waitFor({ state: "detached" });
};
const byKeys: Choose = async (page, name) => {
  const dialog = page.getByRole("dialog", { name: "Add step" });
  await dialog.locator("input:focus").waitFor();
  await page.keyboard.type(name.replace(/^(Script|Flow) /, ""));
  await dialog.locator(".flow-choice", { hasText: name }).first().waitFor();
  // Another choice can contain the text as well.
  while (!(await dialog.locator(".flow-choice:focus", { hasText: name }).isVisible())) await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await dialog.waitFor({ state: "detached" });
};

const code = (language: string, content: unknown = expect.stringContaining("main")) => ({ type: "rawscript", language, content });
const branch = { summary: "", modules: [] };
/** A flow with each kind of step. */
const every = {
  modules: [
    { id: "a", value: code("python3") },
    {
      id: "b",
      value: {
        ...{ type: "forloopflow", iterator: { type: "javascript", expr: "[]" }, skip_failures: false, parallel: false },
        modules: [{ id: "j", value: code("bun"), suspend: { required_events: 1, timeout: 86_400 } }],
      },
    },
    { id: "c", value: { type: "whileloopflow", skip_failures: false, modules: [] } },
    { id: "d", value: { type: "branchone", branches: [{ ...branch, expr: "false" }], default: [] } },
    { id: "e", value: { type: "branchall", branches: [{ ...branch, skip_failure: false }], parallel: false } },
    { id: "f", value: { type: "identity" } },
    { id: "g", value: { type: "consentgate", approvers: ["role:admin"] } },
    { id: "h", value: { type: "script", path: "f/t/book", input_transforms: {} } },
    { id: "i", value: { type: "flow", path: "f/t/called", input_transforms: {} } },
  ],
  failure_module: { id: "failure", value: { ...code("bun"), input_transforms: { error: { type: "javascript", expr: "error" } } } },
  preprocessor_module: { id: "preprocessor", value: code("python3", expect.stringContaining("def preprocessor(")) },
  early_return: "a",
};
const KINDS = [
  ...["Code in Python", "For loop", "While loop", "One branch", "All branches", "Identity", "Consent gate"],
  ...["Script f/t/book", "Flow f/t/called"],
];

describe("the flow editor", () => {
  it("builds a flow of each kind of step with the mouse, and moves a loop with the steps inside", async () => {
    const watched = await openConsole(`/w/${ws.id}/items`);
    const { page } = watched;
    const press = (name: string) => page.getByRole("button", { name, exact: true }).click();
    await page.getByRole("link", { name: "New flow" }).click();
    await heading(page, "New flow").waitFor();
    await page.getByLabel("Path").fill("f/t/by_mouse");
    for (const kind of KINDS) {
      await press("Add step at the end");
      await byMouse(page, kind);
    }
    await press("Show all");
    await press("Add step at the end of b");
    await byMouse(page, "Approval step");
    await press("Add failure handler");
    await byMouse(page, "Code in TypeScript (Bun)");
    await press("Add preprocessor");
    await byMouse(page, "Code in Python");
    await press("Close");
    await press("Add option");
    await page.getByRole("menuitem", { name: "Early return" }).click();
    await page.getByLabel("Early return").fill("a");
    await expectAccessible(watched);
    await press("Show all");
    await page.getByRole("img", { name: "Map of the flow" }).waitFor();

    const [from, to] = [await step(page, "b").boundingBox(), await button(page, "Add step before a").boundingBox()];
    if (!from || !to) throw new Error("The graph shows neither the step nor the place.");
    await page.mouse.move(from.x + from.width / 2, from.y + from.height / 2);
    await page.mouse.down();
    await page.mouse.move(to.x + to.width / 2, to.y + to.height / 2, { steps: 5 });
    await page.mouse.up();
    await page.getByRole("tab", { name: "List" }).click();
    await expect
      .poll(() => page.locator("[data-step-id]").evaluateAll((steps) => steps.map(({ dataset }) => dataset["stepId"])))
      .toEqual([...["preprocessor", "b", "j", "a", "c", "d", "e", "f", "g", "h", "i", "failure"]]);
    await page.getByText("Draft saved").waitFor();
    await page.reload();
    await step(page, "b").click();
    await press("Move down");
    await page.getByLabel("Message").fill("Built with the mouse");
    await press("Deploy");
    await heading(page, "f/t/by_mouse").waitFor();
    expect((await stored("f/t/by_mouse")).value).toMatchObject(every);
  });

  it("builds the same flow with keys alone, in the graph and in the list", async () => {
    const watched = await openConsole(`/w/${ws.id}/flows/new`);
    const { page } = watched;
    const press = (name: string) => page.getByRole("button", { name, exact: true }).press("Enter");
    await page.getByLabel("Path").focus();
    await page.keyboard.type("f/t/by_keys");
    for (const kind of KINDS) {
      await press("Add step at the end");
      await byKeys(page, kind);
    }
    await press("Add preprocessor");
    await byKeys(page, "Code in Python");
    await press("Add failure handler");
    await byKeys(page, "Code in TypeScript (Bun)");
    await page.getByRole("tab", { name: "List" }).press("Enter");
    await press("Add step at the end of b");
    await byKeys(page, "Approval step");
    await page.getByRole("tab", { name: "Graph" }).press("Enter");

    // Arrow keys move, Enter opens, F2 renames, Delete removes.
    await step(page, "preprocessor").focus();
    await page.keyboard.press("ArrowDown");
    await focused(page, "a");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowRight");
    await focused(page, "j");
    await page.keyboard.press("ArrowLeft");
    await focused(page, "b");
    await page.keyboard.press("Enter");
    await panel(page, "b").waitFor();
    await page.keyboard.press("F2");
    await page.getByRole("dialog").getByLabel("Id").fill("each");
    await page.keyboard.press("Enter");
    await focused(page, "each");
    await page.keyboard.press("Delete");
    await focused(page, "c");
    await step(page, "j").waitFor({ state: "detached" });
    // The texts of steps are copied with the steps inside.
    await page.keyboard.press("Control+z");
    await page.keyboard.press("Control+z");
    await step(page, "b").focus();
    await page.keyboard.press("Control+c");
    await page.keyboard.press("Control+v");
    await focused(page, "k");
    await page.keyboard.press("Control+d");
    await focused(page, "m");
    await page.keyboard.press("Control+x");
    await step(page, "m").waitFor({ state: "detached" });
    for (let times = 0; times < 3; times++) await page.keyboard.press("Control+z");
    await step(page, "k").waitFor({ state: "detached" });
    await page.keyboard.press("Control+Shift+z");
    await step(page, "k").focus();
    await page.keyboard.press("Alt+ArrowUp");
    await page.keyboard.press("Control+z");
    await page.keyboard.press("Control+z");
    await expectAccessible(watched);

    await press("Add option");
    await page.getByRole("menuitem", { name: "Early return" }).press("Enter");
    await page.getByLabel("Early return").focus();
    await page.keyboard.type("a");
    await press("Deploy");
    await heading(page, "f/t/by_keys").waitFor();
    const flow = await stored("f/t/by_keys");
    expect(flow.value).toMatchObject(every);
    expect(withoutLocks(flow)).toEqual(withoutLocks(await stored("f/t/by_mouse")));
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
      await open(page, at);
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

  it("shows why YAML is no flow, opens the step that a deployment is refused for, and merges the newer version of another person", async () => {
    const at = "f/t/shared";
    const gate = { id: "g", value: { type: "consentgate", approvers: ["role:admin"] } };
    const flow = { path: at, summary: "Shared", value: { modules: [{ id: "a", value: { type: "identity" } }, gate] } };
    expectStatus(await ws.post("flows/create", flow), 201);
    const { page } = await openConsole(`/w/${ws.id}/flows/${at}/edit?tab=yaml`);
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

    await step(page, "g").click();
    const approvers = page.getByRole("textbox", { name: "Approvers" });
    await approvers.fill("g/nobody");
    await button(page, "Close").click();
    await button(page, "Deploy").click();
    await panel(page, "g").waitFor();
    await page.getByRole("alert").getByText("g/nobody").waitFor();
    await approvers.fill("role:admin");

    const theirs = { ...flow, value: { modules: [...flow.value.modules, { id: "b", value: { type: "identity" } }] } };
    expectStatus(await ws.post(`flows/update/${at}`, theirs), 200);
    await button(page, "Deploy").click();
    await button(page, "Deploy the merged flow").click();
    await page.getByText(`${at} is deployed.`).waitFor();
    const merged = await stored(at);
    expect([merged, idsOf(merged)]).toEqual([expect.objectContaining({ summary: "Mine" }), ["a", "g", "b"]]);
  });

  it("shows the change of one tab in another one, and the states of a test also inside of loops", async () => {
    const at = "f/t/tested";
    const input_transforms = { n: { type: "javascript", expr: "flow_input.iter.value" } };
    const content = 'n="$1"\necho "$n"';
    const inner = { id: "i", value: { type: "rawscript", language: "bash", content, input_transforms } };
    const loop = { type: "forloopflow", iterator: { type: "javascript", expr: "flow_input.list" }, skip_failures: false, modules: [inner] };
    const end = { id: "z", value: { type: "identity" } };
    const properties = { list: { type: "array", items: { type: "integer" }, default: [1, 2] }, who: { type: "string" } };
    const value = { modules: [{ id: "l", value: loop }, end] };
    expectStatus(await ws.post("flows/create", { path: at, summary: "", schema: { type: "object", properties }, value }), 201);
    const watched = await openConsole(`/w/${ws.id}/flows/${at}/edit?tab=list`);
    const { page } = watched;
    const other = await page.context().newPage();
    await other.goto(page.url());
    await step(other, "l").waitFor();
    await step(page, "l").focus();
    await page.keyboard.press("Control+d");
    await step(other, "a").focus();
    await other.keyboard.press("Delete");
    await step(page, "a").waitFor({ state: "detached" });
    await button(page, "Discard draft").click();

    // The graph has the state, the duration and the result of each step.
    await page.getByRole("tab", { name: "Graph" }).click();
    await page.getByRole("button", { name: "Test", exact: true }).click();
    await page.getByRole("textbox", { name: "who" }).fill("Ann");
    await button(page, "Run test").click();
    const drawn = (id: string) => page.locator(`.react-flow [data-step-id="${id}"][data-state="succeeded"]`);
    await drawn("i").getByText('"2"', { exact: true }).waitFor();
    await drawn("i")
      .getByText(/\d (ms|s)/)
      .waitFor();
    await drawn("l").getByText("2 of 2").waitFor();
    await drawn("z").waitFor();
    await button(page, "Close the test").click();
    // Another iteration shows its results, and its values begin a test of a step.
    await page.getByRole("textbox", { name: "Iteration of l" }).fill("1");
    await page.keyboard.press("Enter");
    await drawn("i").getByText('"1"', { exact: true }).waitFor();
    await step(page, "i").click();
    // The panel grows while its code is loaded.
    await button(page, "Test this step").press("Enter");
    const values = page.getByRole("region", { name: "Inputs of the test" });
    await expect.poll(() => values.getByRole("textbox", { name: "n" }).inputValue()).toBe("1");
    // A test up to a step begins with the last inputs, and runs no step after it.
    await step(page, "l").click();
    await button(page, "Test up to here").click();
    const inputs = page.getByRole("region", { name: "Inputs of the flow" });
    await expect.poll(() => inputs.getByRole("textbox", { name: "who" }).inputValue()).toBe("Ann");
    await button(page, "Run test").click();
    await page.locator('[data-step-id="z"]:not([data-state])').waitFor();
    await drawn("l").getByText("2 of 2").waitFor();
    await expectAccessible(watched);
    await step(page, "i").click();
    await button(page, "Use as mock").click();
    await page.getByText("The result is now the mock of this step.").waitFor();
  });
});
