import type { Locator } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { button, heading, signIn } from "../../support/approvals/page.ts";
import { endBrowser } from "../../support/browser/browser.ts";
import { expectAccessible, openConsole, show } from "../../support/console/console.ts";

let ws: Workspace;

beforeAll(async () => {
  ws = await newWorkspace();
});
afterAll(endBrowser);

const content = `export async function main(name: string) {
  if (name === "Eve") throw new Error("Eve is not on the list");
  return { greeting: "hello " + name };
}
`;

/** Replaces the whole code. A browser that replaces coloured text itself reports the colours as inline styles. */
async function write(code: Locator, text: string): Promise<void> {
  await code.press("ControlOrMeta+a");
  await code.press("Delete");
  await code.page().keyboard.insertText(text);
}

describe("the script editor", () => {
  it("writes a script with the help of types, tests it and deploys it with a message", async () => {
    await ws.saveScript({ path: "f/t/lib", content: "export const half = (count: number) => count / 2;", language: "bun" });
    const watched = await openConsole(`/w/${ws.id}/scripts/new`);
    const { page } = watched;
    const code = page.getByRole("textbox", { name: "Code" });
    await page.getByRole("textbox", { name: "Path" }).fill("f/t/greet");
    await write(
      code,
      'import * as svc from "svc-client";\nimport { half } from "./lib";\nhalf("a");\nexport const main = (): Promise<number> => svc.getVar',
    );
    await page.locator(".cm-lintRange-error").first().waitFor();
    await code.press("i");
    // CodeMirror takes Enter as a line break while the list has just appeared.
    await page.getByRole("option", { name: "getVariable" }).click();
    await page.keyboard.type("(");
    await page.locator(".cm-type strong", { hasText: "path: string" }).waitFor();
    await expectAccessible(watched);
    await page.keyboard.press("Escape");
    await page.locator(".cm-type").waitFor({ state: "hidden" });
    await page.keyboard.insertText('"f/t/a"');
    await code.press("ControlOrMeta+Shift+KeyM");
    await page.getByRole("listbox").getByText("Type 'Promise<string>' is not assignable to type 'Promise<number>'").waitFor();
    await page.getByRole("listbox").getByText("Argument of type 'string' is not assignable to parameter of type 'number'").waitFor();
    await write(code, "export const main = () => getVariabl");
    await code.press("e");
    await page.locator(".cm-tooltip-autocomplete").getByRole("option", { name: "getVariable" }).click();
    await page.getByText('import { getVariable } from "svc-client";').waitFor();
    await button(page, "Insert").click();
    await page.getByPlaceholder("Insert a call of the client").fill("setvar");
    await page.getByRole("option", { name: /^setVariable/ }).click();
    await page.getByText('import { setVariable, getVariable } from "svc-client";').waitFor();
    // The cursor is at the first parameter.
    await page.keyboard.type("half");
    await page.getByText("await setVariable(half, value)").waitFor();
    await write(code, content);
    await page.getByRole("listbox").getByText("No diagnostics").waitFor();
    await page.getByRole("textbox", { name: "name" }).fill("Eve");
    await code.press("ControlOrMeta+Enter");
    await page.getByText("Error: Eve is not on the list").first().waitFor();
    await code.press("ControlOrMeta+Shift+KeyM");
    await page.getByRole("listbox").getByText("Eve is not on the list").waitFor();
    await expectAccessible(watched);
    await page.getByText("Draft saved").waitFor();
    await page.reload();
    await page.getByText("Eve is not on the list").first().waitFor();
    expect(await page.getByRole("textbox", { name: "Path" }).inputValue()).toBe("f/t/greet");
    await page.getByLabel("Message").fill("Greets people");
    await button(page, "Deploy").click();
    await heading(page, "f/t/greet").waitFor();
    await page.getByText("The version is deployed.").waitFor();
    await expectAccessible(watched);
    const [version] = expectStatus(await ws.get("scripts/history/p/f/t/greet"), 200).json as { deployment_msg?: string }[];
    expect(version?.deployment_msg).toBe("Greets people");
    expect(expectStatus(await ws.get("drafts/list"), 200).json).toEqual([]);
    await write(code, `import "./none";\n${content}`);
    await button(page, "Deploy").click();
    await page.getByText("The deployment has failed.").waitFor();
    await page.getByText("there is no script f/t/none to import").waitFor();
    await expectAccessible(watched);
  });

  it("merges the text with the newer version of another person, and keeps it over an ended session and in two tabs", async () => {
    const parent = await ws.saveScript({ path: "f/t/both", content: "one\ntwo\nthree\n", language: "bash" });
    const watched = await openConsole(`/w/${ws.id}/scripts/f/t/both/edit`);
    const { page } = watched;
    const code = page.getByRole("textbox", { name: "Code" });
    await write(code, 'echo "one');
    await page.locator(".cm-lintRange-error").waitFor();
    await write(code, "one, mine\ntwo\nthree, mine\n");
    await page.locator(".cm-lintRange-error").waitFor({ state: "detached" });
    await page.getByRole("textbox", { name: "Summary" }).fill("My summary");
    await page.getByText("Draft saved").waitFor();
    await ws.saveScript({ path: "f/t/both", content: "one, theirs\ntwo\nthree\n", language: "bash", parent_hash: parent, summary: "Ours" });
    await button(page, "Deploy").click();
    const merge = page.getByRole("dialog", { name: "Another person has deployed a newer version" });
    await merge.getByRole("textbox", { name: "Merged text" }).waitFor();
    // The service has refused the deployment.
    expect(watched.complaints.splice(0)).toEqual([expect.stringContaining("400")]);
    await expectAccessible(watched);
    await merge.getByRole("button", { name: "Use both in the first place" }).click();
    await merge.getByRole("radiogroup", { name: "Both of you have changed Summary" }).getByLabel("Theirs: Ours").check();
    await merge.getByRole("button", { name: "Use the merged text" }).click();
    await page.getByText("Draft saved").waitFor();
    // The pages of all tests share their cookies.
    const headers = { "content-type": "text/plain", "x-svc-error": "auth.required" };
    await page.route("**/drafts/update/**", (route) => route.fulfill({ status: 401, body: "Sign in.", headers }));
    const summary = page.getByRole("textbox", { name: "Summary" });
    await summary.fill("Typed without a session");
    await page.getByRole("dialog", { name: "Sign in again" }).waitFor();
    await page.unroute("**/drafts/update/**");
    await signIn(page);
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.getByText("Draft saved").waitFor();
    const other = await page.context().newPage();
    await show(other, `/w/${ws.id}/scripts/f/t/both/edit`);
    await other.getByText("one, theirs").waitFor();
    expect(await other.getByRole("textbox", { name: "Summary" }).inputValue()).toBe("Typed without a session");
    await other.getByRole("textbox", { name: "Summary" }).fill("Typed in two tabs");
    await other.getByText("Draft saved").waitFor();
    await expect.poll(() => summary.inputValue()).toBe("Typed in two tabs");
    await button(page, "Deploy").click();
    await page.getByText("The version is deployed.").waitFor();
    expect(expectStatus(await ws.get("scripts/get/p/f/t/both"), 200).json).toMatchObject({
      content: "one, mine\none, theirs\ntwo\nthree, mine\n",
      summary: "Typed in two tabs",
    });
    expect(expectStatus(await ws.get("drafts/list"), 200).json).not.toContainEqual(expect.objectContaining({ path: "f/t/both" }));
  });
});
