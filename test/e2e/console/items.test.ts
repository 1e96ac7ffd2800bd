import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { button, expectQuiet, heading } from "../../support/approvals/page.ts";
import { endBrowser } from "../../support/browser/browser.ts";
import { consolePicture, expectAccessible, openConsole, show } from "../../support/console/console.ts";

let ws: Workspace;
const path = "f/t/greet";

beforeAll(async () => {
  ws = await newWorkspace();
  const properties = {
    name: { type: "string", minLength: 2 },
    at: { type: "string", format: "date-time" },
    key: { type: "string", password: true },
    tags: { type: "array", items: { type: "string" } },
    extra: {},
    db: { type: "object", format: "resource-orders" },
    report: { type: "object", format: "resource-s3_object" },
  };
  const schema = { type: "object", properties, required: ["name"], order: ["name", "at", "key", "tags", "extra", "db", "report"] };
  const content = (word: string) =>
    `export async function main(name: string, extra: unknown) {\n  return { greeting: "${word} " + name, extra };\n}\n`;
  const script = { path, summary: "Greets a person", language: "bun", schema, validate_input: true };
  await ws.saveScript({ ...script, content: content("hello") });
  await ws.saveScript({ ...script, content: content("good day") });
  const call = { id: "a", value: { type: "script", path, input_transforms: {} } };
  expectStatus(await ws.post("flows/create", { path: "f/t/caller", summary: "", value: { modules: [call] } }), 201);
  const resource = { path: "f/t/orders", resource_type: "orders", value: { host: "db.example" } };
  expectStatus(await ws.post("resources/create", resource), 201);
});
afterAll(endBrowser);

describe("the pages of scripts and flows", () => {
  it("find a script, run it by its form, and show its webhooks, versions and source", async () => {
    const watched = await openConsole(`/w/${ws.id}/items`);
    const { page } = watched;
    await page.getByRole("link", { name: path }).waitFor();
    await expectAccessible(watched);
    await page.getByLabel("Search").fill("{ greeting:");
    await page.locator(".item-match").getByText("greeting").waitFor();
    await page.getByLabel("Search").fill("person");
    await page.getByRole("link", { name: path }).click();
    await heading(page, path).waitFor();

    await page.getByLabel("name").fill("A");
    await button(page, "Run and wait").click();
    await page.getByText("This is too short. Enter at least 2 characters.").waitFor();
    await page.getByLabel("name").fill("Ann");
    await page.getByLabel("extra").fill('{"x": [1]}');
    await page.getByLabel("key").fill("a-typed-secret");
    await page.reload();
    await page.getByText("You typed these values earlier").waitFor();
    expect(await page.getByLabel("name").inputValue()).toBe("Ann");
    expect(await page.getByLabel("key").inputValue()).toBe("");
    expect(await page.evaluate("JSON.stringify(localStorage)")).not.toContain("a-typed-secret");
    await page.getByRole("combobox", { name: "db" }).click();
    await page.getByRole("option", { name: "f/t/orders" }).click();
    await button(page, "Add").click();
    await page.getByLabel("tags-1").fill("blue");
    // The focus stays at the item that moves, and is not lost with one that is removed.
    await button(page, "Add").click();
    await page.getByLabel("tags-2").fill("red");
    const item = (number: number) => page.getByRole("group", { name: `Item ${number}` });
    const focused = (name: string) => page.locator("button:focus").getByText(name, { exact: true });
    await item(1).getByRole("button", { name: "Down" }).press("Enter");
    await focused("Up").waitFor();
    expect(await page.getByLabel("tags-1").inputValue()).toBe("red");
    await item(1).getByRole("button", { name: "Remove" }).press("Enter");
    await focused("Add").waitFor();
    expect(await page.getByLabel("tags-1").inputValue()).toBe("blue");
    await page.getByLabel("extra").fill("{");
    await button(page, "Run and wait").click();
    await page.getByText("extra: Enter valid JSON.").waitFor();
    await page.getByLabel("extra").fill('{"x": [1]}');
    // More than the API accepts in a body.
    const report = { name: "report.html", mimeType: "text/html", buffer: Buffer.alloc(5 * 1024 * 1024, "<script>") };
    await page.route("**/upload/**", () => {});
    await page.getByLabel("report").setInputFiles(report);
    await page.getByText("0 % of 5 MB").waitFor();
    await button(page, "Run and wait").click();
    await page.getByText("A file is still being uploaded.").waitFor();
    await expectAccessible(watched);
    await button(page, "Cancel the upload of report.html").click();
    await page.getByRole("progressbar", { name: "Upload of report.html" }).waitFor({ state: "detached" });
    await page.unroute("**/upload/**");
    await page.getByLabel("report").setInputFiles(report);
    const key = (await page.getByText(/^Stored as /).textContent())?.replace("Stored as ", "") ?? "";
    expect(await ws.get(`job_helpers/load_file_metadata?${new URLSearchParams({ file_key: key })}`)).toMatchObject({
      json: { mime_type: "text/html", size_in_bytes: report.buffer.length },
    });
    await expectAccessible(watched);
    await button(page, "Run and wait").click();
    await page.getByRole("region", { name: "The run" }).getByText("good day Ann").waitFor();
    await consolePicture(page, "form");

    await button(page, "Earlier arguments").click();
    const earlier = page.getByRole("dialog");
    await earlier.getByLabel("Save the present values as").fill("draft");
    await earlier.getByRole("button", { name: "Save" }).click();
    await earlier.getByRole("button", { name: "Rename draft" }).click();
    await earlier.getByLabel("New name of draft").fill("good day");
    await page.keyboard.press("Enter");
    await earlier.getByRole("button", { name: "Use good day" }).click();
    await page.getByRole("switch", { name: "JSON" }).click();
    expect(JSON.parse(await page.getByLabel("Arguments", { exact: true }).inputValue())).toEqual({
      name: "Ann",
      tags: ["blue"],
      extra: { x: [1] },
      db: "$res:f/t/orders",
      report: { s3: key },
    });

    await page.getByRole("tab", { name: "Webhooks" }).click();
    const webhook = page.getByRole("region", { name: /^Synchronous.*\(POST\)/ });
    await webhook.locator(".webhook-url").waitFor();
    await expectAccessible(watched);
    await button(page, "Create a token for this webhook").first().click();
    await page.getByRole("dialog").getByRole("button", { name: "Create" }).click();
    const token = await page.getByRole("dialog").getByLabel("Token", { exact: true }).inputValue();
    const shown = await webhook.locator(".webhook-url").textContent();
    const answer = await fetch(shown?.replace("POST ", "") ?? "", {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ name: "Bo" }),
    });
    expect(await answer.json()).toMatchObject({ greeting: "good day Bo" });
    await button(page, "Close").click();

    await page.getByRole("tab", { name: "Versions" }).click();
    await page.locator(".cm-mergeView .cm-changedLine").first().waitFor();
    await consolePicture(page, "versions");
    await expectAccessible(watched);
    await page.getByRole("tab", { name: "Details" }).click();
    await page.getByLabel("Code", { exact: true }).getByText("good day").first().waitFor();
    await page.getByRole("list", { name: "Used by" }).getByText("step a").waitFor();
    await page.getByRole("region", { name: "Last runs" }).getByRole("row", { name: "Succeeded" }).first().waitFor();
    await page.getByRole("region", { name: "Cost of the last 30 days (estimate)" }).getByText("Per run").waitFor();
    await expectAccessible(watched);
    await page.getByRole("link", { name: "f/t/caller" }).click();
    await heading(page, "f/t/caller").waitFor();
    await page.getByRole("tab", { name: "Details" }).click();
    await page.getByRole("radio", { name: "Graph" }).press("Space");
    await page.getByRole("region", { name: "Graph" }).getByRole("button", { name: "a" }).click();
    await page.getByRole("region", { name: "Step a" }).getByText("input_transforms").waitFor();
    await expectAccessible(watched);
  });

  it("archive a script after a confirmation, and restore it from the list", async () => {
    const watched = await openConsole(`/w/${ws.id}/scripts/${path}/history`);
    const { page } = watched;
    await page.getByRole("tab", { name: "Versions", selected: true }).waitFor();
    await page.getByRole("button", { name: /^Restore version/ }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Restore" }).click();
    await page.getByRole("row", { name: /Restored version/ }).waitFor();
    expect((await ws.get(`scripts/get/p/${path}`)).json).toMatchObject({ content: expect.stringContaining('"hello "') });
    await page.getByRole("button", { name: "Star", pressed: false }).click();
    await page.getByRole("button", { name: "Star", pressed: true }).waitFor();
    await button(page, "Archive").click();
    await page.getByRole("dialog").getByRole("button", { name: "Archive" }).click();
    await button(page, "Restore").waitFor();
    await show(page, `/w/${ws.id}/items`);
    await heading(page, "Scripts and flows").waitFor();
    await page.getByRole("switch", { name: "Archived" }).click();
    await button(page, `Restore ${path}`).click();
    await page.getByText("Nothing is archived").waitFor();
    await page.getByRole("switch", { name: "Archived" }).click();
    await page.getByRole("link", { name: path }).waitFor();
    // An archived script has no newest version at its path.
    expectQuiet({ ...watched, complaints: watched.complaints.filter((complaint) => !complaint.includes("404")) });
  });

  it("move a script and a flow, after showing what uses them, and the star of the user follows", async () => {
    const watched = await openConsole(`/w/${ws.id}/scripts/${path}`);
    const { page } = watched;
    await button(page, "Move").click();
    await page.getByRole("dialog").getByText("step a").waitFor();
    await expectAccessible(watched);
    await page.getByRole("dialog").getByLabel("New path").fill("f/t/moved");
    await page.getByRole("dialog").getByRole("button", { name: "Move" }).click();
    await heading(page, "f/t/moved").waitFor();
    await page.getByRole("button", { name: "Star", pressed: true }).waitFor();
    await show(page, `/w/${ws.id}/flows/f/t/caller`);
    await button(page, "Move").click();
    await page.getByRole("dialog").getByLabel("New path").fill("f/t/caller_2");
    await page.getByRole("dialog").getByRole("button", { name: "Move" }).click();
    await heading(page, "f/t/caller_2").waitFor();
    expect((await ws.get("flows/get/f/t/caller_2")).json).toMatchObject({ value: { modules: [{ id: "a", value: { path } }] } });
  });
});
