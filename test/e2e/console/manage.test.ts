import { afterAll, beforeAll, expect, it } from "vitest";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { button } from "../../support/approvals/page.ts";
import { endBrowser } from "../../support/browser/browser.ts";
import { expectAccessible, openConsole } from "../../support/console/console.ts";

let ws: Workspace;
beforeAll(async () => {
  ws = await newWorkspace();
  await ws.saveScript({ path: "f/t/order", content: "export const main = (msg: string) => msg;", language: "bun" });
});
afterAll(endBrowser);

it("the page of triggers shows the commands for a source, creates a trigger, disables it and deletes it", async () => {
  const watched = await openConsole(`/w/${ws.id}/triggers?new=true`);
  const { page } = watched;
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Kind").selectOption("Mail address (SES)");
  await dialog.getByLabel("Path").fill("f/t/inbox");
  await dialog.getByRole("combobox", { name: "Script or flow" }).fill("order");
  await page.getByRole("option", { name: "Script f/t/order" }).click();
  await dialog.getByLabel("Part before @").fill("inbox");
  await dialog.getByText("Set up the source").click();
  await dialog.getByText("ses set-active-receipt-rule-set").waitFor();
  await expectAccessible(watched);
  await dialog.getByRole("button", { name: "Create" }).click();
  const row = page.getByRole("row", { name: "f/t/inbox" });
  await row.getByText(`${ws.id}-inbox@`).waitFor();

  const enabled = row.getByRole("switch", { name: "Enabled: f/t/inbox" });
  await enabled.press("Space");
  await page.getByText("f/t/inbox is disabled.").waitFor();
  expect(expectStatus(await ws.get("email_triggers/get/f/t/inbox"), 200).json).toMatchObject({
    mode: "disabled",
    script_path: "f/t/order",
  });
  await expectAccessible(watched);

  await button(page, "Delete f/t/inbox").click();
  await dialog.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("heading", { name: "No triggers" }).waitFor();
  await endBrowser();
});

it("the page of files uploads a file to a folder, asks before it replaces one, creates a link and deletes it", async () => {
  const watched = await openConsole(`/w/${ws.id}/files`);
  const { page } = watched;
  await page.getByRole("heading", { name: "No files" }).waitFor();
  await expectAccessible(watched);
  await button(page, "Upload").click();
  await page.getByLabel("Folder", { exact: true }).fill("f/t/reports");
  const upload = (text: string) =>
    page.getByLabel("Choose files").setInputFiles({ name: "may.csv", mimeType: "text/csv", buffer: Buffer.from(text) });
  await upload("a,b");
  await page.getByText("Stored", { exact: true }).waitFor();
  await upload("c,d");
  await page.getByText("There is a file f/t/reports/may.csv already.").waitFor();
  // The browser reports the first question for the file, which had the answer 404.
  watched.complaints.splice(0);
  await expectAccessible(watched);
  await button(page, "Replace f/t/reports/may.csv").click();
  await page.getByText("Stored", { exact: true }).nth(1).waitFor();

  for (const folder of ["f/", "t/", "reports/"]) await page.getByRole("link", { name: folder, exact: true }).click();
  await button(page, "Create a link to f/t/reports/may.csv").click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Create" }).click();
  const link = await dialog.getByLabel("Link", { exact: true }).inputValue();
  expect(await (await fetch(link)).text()).toBe("c,d");
  await expectAccessible(watched);
  await dialog.getByRole("button", { name: "Close", exact: true }).click();

  await button(page, "Delete f/t/reports/may.csv").click();
  await dialog.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("heading", { name: "No files" }).waitFor();
  await endBrowser();
});
