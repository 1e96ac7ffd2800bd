import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { member, type Someone } from "../../support/api/people.ts";
import { newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { asks, runOf, startRun, waiting } from "../../support/approvals/approvals.ts";
import { button, expectQuiet, heading, releases } from "../../support/approvals/page.ts";
import { endBrowser } from "../../support/browser/browser.ts";
import { consolePicture, expectAccessible, openConsole, show } from "../../support/console/console.ts";

let ws: Workspace;
let ann: Someone;
beforeAll(async () => {
  ws = await newWorkspace();
  ann = await member(ws, "ann");
});
afterAll(endBrowser);

/** Starts a flow, and waits until it waits. */
async function waitingRun(modules: object[]): Promise<string> {
  const run = await startRun(ws, modules, { version: "1.2" });
  await waiting(ws, run);
  return run;
}

describe("the page of approvals", () => {
  it("decides a request with its form, counts those that wait, and shows the record", async () => {
    const run = await waitingRun(releases());
    const watched = await openConsole(`/w/${ws.id}`);
    const { page } = watched;
    const navigation = page.getByRole("navigation", { name: "Workspace" });
    await navigation.getByRole("link", { name: "Approvals 1 waiting for you" }).waitFor();
    await page.getByRole("region", { name: "Waiting for me" }).getByRole("link", { name: "Release to production" }).click();
    await heading(page, "Approvals").waitFor();
    const request = page.getByRole("region", { name: "Request" });
    await request.getByText("The tests have passed.").waitFor();
    await button(page, "Approve").click();
    // The form requires a size.
    await request.getByLabel("size").fill("3");
    await request.getByLabel("region").selectOption("north");
    await consolePicture(page, "approvals");
    await expectAccessible(watched);
    await button(page, "Approve").click();
    await request.getByRole("heading", { name: "Approved: Release to production" }).waitFor();
    await page.getByText("Nothing waits for you").waitFor();
    await navigation.getByRole("link", { name: "Approvals", exact: true }).waitFor();
    expect(await ws.completed(run)).toMatchObject({ success: true });

    await page.getByRole("tab", { name: "Decided" }).click();
    await page.getByRole("row", { name: /Approved/ }).waitFor();
    await page.getByText("svc audit verify").waitFor();
    await button(page, "Verify the record").click();
    await page.getByText("The record is intact").waitFor();
    await expectAccessible(watched);
    await endBrowser();
  });

  it("offers a decision on the page of a run, and the record to administrators only", async () => {
    const run = await waitingRun([
      asks("check", {}, undefined, { summary: "Check the bill" }),
      asks("pay", { reject_reason_required: true }, undefined, { summary: "Pay the bill" }),
    ]);
    const watched = await openConsole(`/w/${ws.id}/approvals`, { token: ann.api.token });
    expect(await watched.page.getByRole("tab").allTextContents()).toEqual(["Waiting for me", "All"]);
    expectQuiet(watched);
    await endBrowser();

    const admin = await openConsole(`/w/${ws.id}/runs/${run}`);
    const request = admin.page.getByRole("region", { name: "Request" });
    await request.getByRole("heading", { name: "Check the bill" }).waitFor();
    await button(admin.page, "Approve").click();
    // The page follows the steps without a reload.
    const second = admin.page.getByRole("navigation", { name: "Steps" }).getByRole("listitem").filter({ hasText: "Pay the bill" });
    await second.getByText("Suspended").waitFor();
    await request.getByRole("heading", { name: "Pay the bill", exact: true }).waitFor();
    await button(admin.page, "Reject").click();
    const reject = admin.page.getByRole("form", { name: "Reject" });
    await button(reject, "Reject").click();
    await reject.getByText("Enter a reason for the rejection.").waitFor();
    await expectAccessible(admin);
    await reject.getByLabel("Reason").fill("too expensive");
    await admin.page.reload();
    await admin.page.getByText("too expensive").waitFor();
    await button(reject, "Reject").click();
    await admin.page.getByText("Reason: too expensive").waitFor();
    expect((await runOf(ws, run)).gates.map(({ decision }) => decision)).toContainEqual(
      expect.objectContaining({ how: "rejected", reason: "too expensive" }),
    );
    await expectAccessible(admin);
    await show(admin.page, `/w/${ws.id}/approvals?tab=all`);
    await admin.page.getByText("No run waits for an approval").waitFor();
  });
});
