import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { UpdateItemCommand } from "@aws-sdk/client-dynamodb";
import { afterAll, beforeAll, expect, it } from "vitest";
import { shared } from "../../support/api/api.ts";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { button } from "../../support/approvals/page.ts";
import { endBrowser } from "../../support/browser/browser.ts";
import { expectAccessible, openConsole, show } from "../../support/console/console.ts";
import { awsClients } from "../../support/engine/aws.ts";

let ws: Workspace;
beforeAll(async () => {
  ws = await newWorkspace();
  await ws.saveScript({ path: "f/t/order", content: "export const main = (msg: string) => msg;", language: "bun" });
});
afterAll(endBrowser);

/** Stores the key ring that an interrupted rotation leaves. */
const interruptRotation = ({ id }: Workspace) =>
  awsClients().dynamodb.send(
    new UpdateItemCommand({
      TableName: shared().outputs["ObjectsTable"] ?? "",
      Key: { pk: { S: `RING#${id}` }, sk: { S: "ring" } },
      UpdateExpression: "SET v.rotatingUntilMs = :until",
      ExpressionAttributeValues: { ":until": { N: String(Date.now() - 1) } },
    }),
  );

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

  // A file of two parts, whose second one gets no answer.
  const key = "f/t/reports/large.bin";
  const file = path.join(await mkdtemp(path.join(tmpdir(), "svc-upload-")), "large.bin");
  await writeFile(file, Buffer.alloc(9 * 1024 * 1024, "svc"));
  const isSecondPart = ({ pathname, searchParams }: URL) => pathname.startsWith("/upload/") && searchParams.get("partNumber") === "2";
  await page.route(isSecondPart, () => {});
  await page.getByLabel("Choose files").setInputFiles(file);
  await page.getByText("8 MB (88 % of 9 MB)").waitFor();
  await button(page, `Pause the upload of ${key}`).click();
  await page.getByText(/^Paused/).waitFor();
  watched.complaints.splice(0);
  await expectAccessible(watched);
  await button(page, `Resume the upload of ${key}`).click();
  await button(page, `Pause the upload of ${key}`).waitFor();
  await page.reload();
  await page.getByText(`The upload of ${key} stopped after 8 MB of 9 MB.`).waitFor();
  await expectAccessible(watched);
  await page.unroute(isSecondPart);
  const again = page.getByLabel(`Continue the upload of ${key}`).and(page.locator("input"));
  await again.setInputFiles({ name: "large.bin", mimeType: "text/plain", buffer: Buffer.from("other") });
  await page.getByText("This is another file, or it has changed.").waitFor();
  await again.setInputFiles(file);
  await page.getByText("Stored", { exact: true }).waitFor();
  watched.complaints.splice(0);
  await expectAccessible(watched);
  const query = new URLSearchParams({ file_key: key });
  expect(await ws.get(`job_helpers/load_file_metadata?${query}`)).toMatchObject({ json: { size_in_bytes: 9 * 1024 * 1024 } });
  expectStatus(await ws.call("DELETE", `job_helpers/delete_s3_file?${query}`), 200);

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

it("the settings of a workspace change its name and its error handler, rotate its key, and ask for its id before it is archived", async () => {
  const watched = await openConsole(`/w/${ws.id}/settings/general`);
  const { page } = watched;
  await page.getByLabel("Name", { exact: true }).fill("Orders");
  expectStatus(await ws.post("workspaces/change_workspace_name", { new_name: "Invoices" }), 200);
  await button(page, "Save").click();
  await page.getByRole("radio", { name: "Name: Theirs" }).waitFor();
  // The browser reports the refused save.
  watched.complaints.splice(0);
  await expectAccessible(watched);
  await button(page, "Save yours").click();
  await page.getByText("The settings were saved.").waitFor();

  await show(page, `/w/${ws.id}/settings/error-handler`);
  await page.getByRole("combobox", { name: "Script or flow" }).fill("order");
  await page.getByRole("option", { name: "Script f/t/order" }).click();
  await button(page, "Save").first().click();
  await button(page, "Remove handler").waitFor();
  await expectAccessible(watched);
  const settings = expectStatus(await ws.get("workspaces/get_settings"), 200).json;
  expect(settings).toMatchObject({ name: "Orders", error_handler: { path: "script/f/t/order" } });

  await show(page, `/w/${ws.id}/settings/encryption-key`);
  await button(page, "Generate").click();
  const key = await page.getByLabel("New key").inputValue();
  await button(page, "Rotate key").click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel(`Enter ${ws.id} to confirm`).fill(ws.id);
  await expectAccessible(watched);
  await dialog.getByRole("button", { name: "Rotate key" }).click();
  await dialog.waitFor({ state: "detached" });
  expect(expectStatus(await ws.get("workspaces/encryption_key"), 200).json).toEqual({ key });
  await interruptRotation(ws);
  await show(page, `/w/${ws.id}/settings/encryption-key`);
  const rotation = page.getByRole("region", { name: "Rotation of the encryption key" });
  await rotation.getByText("The rotation was interrupted.").waitFor();
  await expectAccessible(watched);
  await rotation.getByRole("button", { name: "Continue rotation" }).click();
  await page.getByText("All secrets are encrypted with the new key.").waitFor();
  await rotation.waitFor({ state: "detached" });

  await show(page, `/w/${ws.id}/settings/danger-zone`);
  await button(page, "Archive workspace").click();
  await dialog.getByRole("button", { name: "Archive workspace" }).click();
  expect(expectStatus(await ws.get("scripts/list"), 200).json).toHaveLength(1);
  await expectAccessible(watched);
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await endBrowser();
});

it("the page of changes lists what was saved since a time, with its author", async () => {
  const watched = await openConsole(`/w/${ws.id}/changes`);
  const { page } = watched;
  expectStatus(await ws.post("variables/create", { path: "f/t/limit", value: "1", is_secret: false, description: "" }), 201);
  await page.reload();
  await page.getByRole("row", { name: "f/t/order" }).getByText("New", { exact: true }).waitFor();
  await page.getByRole("row", { name: "f/t/limit" }).getByText("Variable").waitFor();
  await expectAccessible(watched);
  await endBrowser();
});

it("the page of apps stores JSON, makes a version of each changed value, and loads an older one", async () => {
  const watched = await openConsole(`/w/${ws.id}/apps?new=true`);
  const { page } = watched;
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Path").fill("f/t/board");
  await dialog.getByLabel("Value").fill('{"grid":1}');
  await expectAccessible(watched);
  await dialog.getByRole("button", { name: "Create" }).click();
  await page.getByRole("row", { name: "f/t/board" }).waitFor();
  await expectAccessible(watched);
  await button(page, "Edit f/t/board").click();
  await dialog.getByLabel("Value").fill('{"grid":2}');
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.waitFor({ state: "detached" });
  await button(page, "Edit f/t/board").click();
  await dialog.getByText("Versions").click();
  await dialog
    .getByRole("button", { name: /^Load version/ })
    .last()
    .click();
  await dialog.getByText("Save it to make it the newest").waitFor();
  expect(JSON.parse(await dialog.getByLabel("Value").inputValue())).toEqual({ grid: 1 });
  await expectAccessible(watched);
  await endBrowser();
});

it("the form of a schedule builds its expression from choices, and keeps its further settings", async () => {
  const watched = await openConsole(`/w/${ws.id}/schedules?new=true`);
  const { page } = watched;
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Path").fill("f/t/weekly");
  await dialog.getByRole("combobox", { name: "Script or flow" }).fill("order");
  await page.getByRole("option", { name: "Script f/t/order" }).click();
  await dialog.getByLabel("Repeat").selectOption("On days of the week");
  await dialog.getByLabel("Friday").check();
  await dialog.getByLabel("Monday").uncheck();
  await dialog.getByLabel("At", { exact: true }).fill("17:30");
  expect(await dialog.getByLabel("Cron").inputValue()).toBe("30 17 * * 5");
  await dialog.getByText("More settings").click();
  await dialog.getByLabel("Description").fill("Every Friday");
  await dialog.getByLabel("Failures in a row").fill("3");
  await dialog.getByLabel("Runs again after a failure").selectOption("After equal pauses");
  await dialog.getByLabel("Labels").fill("weekly, ops");
  await dialog.getByText("Handlers", { exact: true }).click();
  await dialog.getByRole("combobox", { name: "On failure", exact: true }).fill("order");
  await page.getByRole("option", { name: "Script f/t/order" }).click();
  await dialog.getByLabel("On failure: further arguments").fill('{"msg": "failed"}');
  await dialog.getByLabel("msg").fill("now");
  await expectAccessible(watched);
  await dialog.getByRole("button", { name: "Create" }).click();
  await page.getByRole("row", { name: "f/t/weekly" }).waitFor();
  expect(expectStatus(await ws.get("schedules/get/f/t/weekly"), 200).json).toMatchObject({
    ...{ schedule: "30 17 * * 5", description: "Every Friday", on_failure_times: 3, args: { msg: "now" } },
    ...{ labels: ["weekly", "ops"], retry: { constant: { attempts: 3, seconds: 10 } }, on_failure_extra_args: { msg: "failed" } },
  });
  await endBrowser();
});

it("rules of notices, further storages and settings of the instance have forms, and members see the names of the storages", async () => {
  expectStatus(
    await ws.post("resources/create", { path: "f/t/bucket", resource_type: "s3", value: { bucket: "b" }, description: "" }),
    201,
  );
  const watched = await openConsole(`/w/${ws.id}/settings/general`);
  const { page } = watched;
  await button(page, "Add: Further storages").click();
  await page.getByLabel("Name of the storage").fill("archive");
  await page.getByLabel("Resource of type s3").fill("f/t/bucket");
  await expectAccessible(watched);
  await button(page, "Save").click();
  await page.getByText("The settings were saved.").waitFor();
  await show(page, `/w/${ws.id}/settings/error-handler`);
  await button(page, "Add: Notices of failures").click();
  await page.getByLabel("Path of the scripts and flows").fill("f/t/*");
  await page.getByLabel("Mail to").fill("role:admin");
  await page.getByLabel("Also report the first success").check();
  await expectAccessible(watched);
  await button(page, "Save").last().click();
  await page.getByText("The settings were saved.").waitFor();
  expect(expectStatus(await ws.get("workspaces/get_settings"), 200).json).toMatchObject({
    large_file_storage: { type: "stack", secondary_storage: { archive: { s3_resource_path: "f/t/bucket" } } },
    failure_notices: { rules: [{ path: "f/t/*", email: ["role:admin"], on_recovery: true }] },
  });
  expect(expectStatus(await ws.get("workspaces/get_public_settings"), 200).json).toMatchObject({
    large_file_storage: { type: "stack", names: ["archive"] },
  });

  await show(page, "/instance/settings");
  const sources = page.getByRole("region", { name: "Sources of triggers" });
  await button(page, "Add: Sources of triggers").click();
  await sources.getByRole("textbox", { name: "Workspace" }).last().fill(ws.id);
  await sources.getByLabel("ARNs").last().fill("arn:aws:s3:::incoming, arn:aws:s3:::other");
  await expectAccessible(watched);
  await button(page, "Save Sources of triggers").click();
  await page.getByText("Sources of triggers was saved.").waitFor();
  await sources.getByRole("button", { name: `Remove ${ws.id}` }).click();
  await button(page, "Save Sources of triggers").click();
  await page.getByText("Sources of triggers was saved.").nth(1).waitFor();

  await show(page, "/instance/groups");
  const name = `team-${ws.id}`;
  await page.getByLabel("Name", { exact: true }).fill(name);
  await button(page, "New group").click();
  await page.getByRole("row", { name }).waitFor();
  await expectAccessible(watched);
  await button(page, `Delete ${name}`).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel(`Enter ${name} to confirm`).fill(name);
  await dialog.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("row", { name }).waitFor({ state: "detached" });
  await show(page, "/instance/users");
  // The first page of many users begins with it.
  const email = `0-${ws.id}@example.com`;
  await page.getByLabel("Email", { exact: true }).fill(email);
  await page.getByLabel("Password", { exact: true }).fill("A long password 1!");
  await button(page, "New user").click();
  const user = page.getByRole("row", { name: email });
  await user.getByRole("switch", { name: `Disabled: ${email}` }).press("Space");
  await user.getByRole("switch", { name: `Disabled: ${email}`, checked: true }).waitFor();
  await expectAccessible(watched);
  await button(page, `Delete ${email}`).click();
  await dialog.getByLabel(`Enter ${email} to confirm`).fill(email);
  await dialog.getByRole("button", { name: "Delete" }).click();
  await user.waitFor({ state: "detached" });
  await endBrowser();
});
