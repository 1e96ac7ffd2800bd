import { afterAll, beforeAll, expect, it } from "vitest";
import { shared } from "../../support/api/api.ts";
import { member, someone } from "../../support/api/people.ts";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { button, heading } from "../../support/approvals/page.ts";
import { endBrowser } from "../../support/browser/browser.ts";
import { expectAccessible, openConsole, show } from "../../support/console/console.ts";

let ws: Workspace;
beforeAll(async () => {
  ws = await newWorkspace();
});
afterAll(endBrowser);

it("the page of variables creates a secret, shows it on request, and asks if another person has saved a newer version", async () => {
  const watched = await openConsole(`/w/${ws.id}/variables`);
  const { page } = watched;
  await page.getByRole("heading", { name: "No variables" }).waitFor();
  await button(page, "New variable").click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Path").fill("f/desk/key");
  await button(page, "Create the folder desk").click();
  await button(page, "Create the folder desk").waitFor({ state: "detached" });
  await dialog.getByLabel("Path").fill("f/t/key");
  await dialog.getByLabel("Value").fill("planted-secret");
  await dialog.getByLabel("Secret").check();
  await dialog.getByLabel("Description").fill("Typed earlier");
  await expectAccessible(watched);
  await page.reload();
  await dialog.getByText("You typed this earlier").waitFor();
  expect(await dialog.getByLabel("Path").inputValue()).toBe("f/t/key");
  expect(await dialog.getByLabel("Description").inputValue()).toBe("Typed earlier");
  expect(await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }))).not.toContain("planted-secret");
  await dialog.getByLabel("Value").fill("planted-secret");
  await expectAccessible(watched);
  await dialog.getByRole("button", { name: "Create" }).click();
  const row = page.getByRole("row", { name: "f/t/key" });
  await row.getByText("Secret").waitFor();
  expect(await page.content()).not.toContain("planted-secret");

  await button(page, "Show f/t/key").click();
  expect(await dialog.getByLabel("Value").inputValue()).toBe("planted-secret");
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  const log = expectStatus(await ws.get("audit/list?operation=variables.decrypt_secret"), 200).json;
  expect(log).toMatchObject([{ resource: "f/t/key" }]);

  await button(page, "Edit f/t/key").click();
  await dialog.getByLabel("Description").fill("Mine");
  expectStatus(await ws.post("variables/update/f/t/key", { description: "Theirs" }), 200);
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.getByText("Another person has saved a newer version").waitFor();
  await dialog.getByText("Saved by ").waitFor();
  await dialog.getByRole("radio", { name: "Description: Theirs" }).waitFor();
  expect(await dialog.getByRole("radio", { name: "Description: Yours" }).isChecked()).toBe(true);
  // The form of the refused save is reported in the browser's console as a failed request.
  watched.complaints.splice(0);
  await expectAccessible(watched);
  await button(page, "Save yours").click();
  await row.getByText("Mine").waitFor();
  const stored = expectStatus(await ws.get("variables/get/f/t/key"), 200).json;
  expect(stored).toMatchObject({ description: "Mine", value: "planted-secret", is_secret: true });

  const bea = await member(ws, "bea");
  await button(page, "Permissions of f/t/key").click();
  await dialog.getByText("Access of a user, and why").waitFor();
  await dialog.getByRole("combobox", { name: "User or group" }).fill(bea.username);
  await page
    .getByRole("listbox")
    .getByRole("option", { name: `u/${bea.username}` })
    .click();
  await dialog.getByLabel("Permission", { exact: true }).selectOption("Read");
  await button(page, "Add member").click();
  await dialog.getByRole("listitem").getByText(`u/${bea.username}`).waitFor();
  await expectAccessible(watched);
  expect(expectStatus(await bea.in(ws).get("variables/get_value/f/t/key"), 200).json).toBe("planted-secret");
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  await button(page, "Delete f/t/key").click();
  await dialog.getByText("Nothing that you may read uses it.").waitFor();
  await dialog.getByRole("button", { name: "Delete" }).click();
  await row.waitFor({ state: "detached" });
  await endBrowser();
});

it("the pages of resources and their types create a type, and a resource with its fields", async () => {
  const watched = await openConsole(`/w/${ws.id}/resource-types?new=true`);
  const { page } = watched;
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("acme");
  await dialog.getByLabel("Schema").fill('{"type":"object","properties":{"a":{"$ref":"#"}}}');
  await dialog.getByText("or refers to itself").waitFor();
  await dialog.getByLabel("Schema").fill('{"type":"object","properties":{"host":{"type":"string"}},"required":["host"]}');
  await dialog.getByRole("region", { name: "Form preview" }).getByLabel("host").waitFor();
  await dialog.getByText("Fields", { exact: true }).click();
  await dialog.getByRole("button", { name: "Add field" }).click();
  await dialog.getByLabel("Name of the field").fill("zone");
  await page.keyboard.press("Enter");
  await dialog.getByRole("region", { name: "Form preview" }).getByLabel("zone").waitFor();
  await expectAccessible(watched);
  await dialog.getByRole("button", { name: "Create" }).click();
  await page.getByRole("row", { name: "acme" }).getByText("This workspace").waitFor();
  await expectAccessible(watched);

  await show(page, `/w/${ws.id}/resources`);
  await heading(page, "Resources").waitFor();
  await button(page, "New resource").click();
  await dialog.getByLabel("Path").fill("f/t/acme");
  await dialog.getByRole("combobox", { name: "Resource type" }).fill("acme");
  await page.getByRole("listbox").getByRole("option", { name: "acme", exact: true }).click();
  await dialog.getByLabel("host").fill("acme.example");
  await expectAccessible(watched);
  await dialog.getByRole("button", { name: "Create" }).click();
  await page.getByRole("row", { name: "f/t/acme" }).waitFor();
  await expectAccessible(watched);
  expect(expectStatus(await ws.get("resources/get_value/f/t/acme"), 200).json).toEqual({ host: "acme.example" });
  await button(page, "Edit f/t/acme").click();
  await dialog.getByText("Used by", { exact: true }).click();
  await dialog.getByText("Nothing that you may read uses it.").waitFor();
  await expectAccessible(watched);
  await dialog.getByLabel("host").fill("other.example");
  // Another person adds a field to the value at the same time.
  expectStatus(await ws.post("resources/update/f/t/acme", { value: { host: "acme.example", port: 1 } }), 200);
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.getByText("Merge both versions of Value").click();
  await button(page, "Use all of theirs").click();
  await button(page, "Use the merged text").click();
  await dialog.getByText("Chosen. Save your choice").waitFor();
  // The browser reports the refused save as a failed request.
  watched.complaints.splice(0);
  await expectAccessible(watched);
  await button(page, "Save your choice").click();
  await dialog.waitFor({ state: "detached" });
  expect(expectStatus(await ws.get("resources/get_value/f/t/acme"), 200).json).toEqual({ host: "acme.example", port: 1 });

  // Only types with a test have a button.
  const api = { path: "f/t/api", resource_type: "http_bearer", value: { base_url: `${shared().url}/docs`, token: "t0p-secret" } };
  expectStatus(await ws.post("resources/create", api), 201);
  await page.reload();
  await button(page, "Edit f/t/acme").waitFor();
  expect(await button(page, "Test f/t/acme").count()).toBe(0);
  await button(page, "Test f/t/api").click();
  await dialog.getByText("Succeeded", { exact: true }).waitFor();
  await dialog.getByText(new URL(shared().url).host).waitFor();
  expect(await dialog.textContent()).not.toContain("t0p-secret");
  await expectAccessible(watched);
  await endBrowser();
});

it("the page of schedules creates a schedule, and shows its expression in words and its next times", async () => {
  await ws.saveScript({ path: "f/t/report", content: "export const main = (name: string) => name;", language: "bun" });
  const watched = await openConsole(`/w/${ws.id}/schedules?new=true`);
  const { page } = watched;
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Path").fill("f/t/morning");
  await dialog.getByLabel("Cron").fill("30 8 * * 1-5");
  await dialog.getByText("At 08:30, Monday through Friday").waitFor();
  const runnable = dialog.getByRole("combobox", { name: "Script or flow" });
  await runnable.fill("report");
  await page.getByRole("listbox").getByRole("option", { name: "Script f/t/report" }).click();
  await dialog.getByLabel("name").fill("Ann");
  await expectAccessible(watched);
  await dialog.getByRole("button", { name: "Create" }).click();
  const row = page.getByRole("row", { name: "f/t/morning" });
  await row.getByText("At 08:30, Monday through Friday").waitFor();
  await expectAccessible(watched);
  const stored = expectStatus(await ws.get("schedules/get/f/t/morning"), 200).json;
  expect(stored).toMatchObject({ script_path: "f/t/report", is_flow: false, args: { name: "Ann" }, enabled: true });
  await row.getByRole("switch", { name: "Enabled: f/t/morning" }).press("Space");
  await page.getByText("f/t/morning is disabled.").waitFor();
  expect(expectStatus(await ws.get("schedules/get/f/t/morning"), 200).json).toMatchObject({ enabled: false });
  await button(page, "Run now: f/t/morning").click();
  await heading(page, "f/t/report").waitFor();
  await endBrowser();
});

it("the pages of folders, groups and users give access, and explain it", async () => {
  const ann = await member(ws, "ann");
  const watched = await openConsole(`/w/${ws.id}/groups?new=true`);
  const { page } = watched;
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("buyers");
  await dialog.getByRole("button", { name: "Create" }).click();
  await dialog.getByRole("combobox", { name: "User" }).fill(ann.username);
  await page.getByRole("listbox").getByRole("option", { name: ann.username }).click();
  await button(page, "Add member").click();
  await dialog.getByRole("listitem").getByText(ann.username).waitFor();
  await expectAccessible(watched);

  await show(page, `/w/${ws.id}/folders?edit=t`);
  await dialog.getByRole("combobox", { name: "User or group" }).fill("buyers");
  await page.getByRole("listbox").getByRole("option", { name: "g/buyers" }).click();
  await dialog.getByLabel("Permission").selectOption("Write");
  await button(page, "Add member").click();
  await dialog.getByRole("listitem").getByText("g/buyers").waitFor();
  await expectAccessible(watched);
  expect(expectStatus(await ws.get("folders/get/t"), 200).json).toMatchObject({ extra_perms: { "g/buyers": true } });

  await show(page, `/w/${ws.id}/users`);
  const explain = page.getByRole("region", { name: "Permissions of a user" });
  await explain.getByRole("combobox", { name: "User" }).click();
  await explain.getByRole("combobox", { name: "User" }).fill(ann.username);
  await page.getByRole("listbox").getByRole("option", { name: ann.username }).click();
  await explain.getByLabel("Path").fill("f/t/x");
  await button(page, "Explain").click();
  await explain.getByText(`The group buyers, of which ${ann.username} is a member, may change what is in the folder t.`).waitFor();
  await expectAccessible(watched);
  await page.getByRole("row", { name: ann.username }).getByRole("combobox").selectOption("Operator");
  await page.getByText(`${ann.username} was changed.`).waitFor();
  expect(expectStatus(await ws.get(`users/get/${ann.username}`), 200).json).toMatchObject({ operator: true });

  await button(page, `Remove ${ann.username}`).click();
  await dialog.getByText("1 group loses a member: buyers").waitFor();
  await dialog.getByText("1 token no longer reaches this workspace").waitFor();
  await expectAccessible(watched);
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await dialog.waitFor({ state: "detached" });

  await show(page, `/w/${ws.id}/audit?operation=users.update`);
  await page.getByRole("cell", { name: ann.username }).waitFor();
  await expectAccessible(watched);
  await endBrowser();

  // An invited person without a workspace accepts after the sign-in.
  const cleo = await someone("cleo");
  expectStatus(await ws.post("workspaces/invite_user", { email: cleo.email, is_admin: false, operator: false }), 201);
  const invited = await openConsole("/login", { token: cleo.api.token });
  await button(invited.page, `Accept the invitation to ${ws.id}`).waitFor();
  await expectAccessible(invited);
  await button(invited.page, `Accept the invitation to ${ws.id}`).click();
  await heading(invited.page, "Home").waitFor();
  await endBrowser();
});

it("the page of HTTP routes creates a route, calls it as a stranger, and makes its OpenAPI document", async () => {
  await ws.saveScript({ path: "f/t/order", content: "export const main = (id: string) => ({ ordered: id });", language: "bun" });
  const watched = await openConsole(`/w/${ws.id}/routes?new=true`);
  const { page } = watched;
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Path").fill("f/t/orders");
  await dialog.getByLabel("Route", { exact: true }).fill("orders/:id");
  await dialog.getByLabel("Authentication").selectOption("None: everyone may call it");
  const runnable = dialog.getByRole("combobox", { name: "Script or flow" });
  await runnable.click();
  await runnable.fill("f/t/order");
  await page.getByRole("listbox").getByRole("option", { name: "Script f/t/order" }).click();
  await dialog.getByLabel("Labels").fill("orders, public");
  await expectAccessible(watched);
  await dialog.getByRole("button", { name: "Create" }).click();
  await page.getByRole("row", { name: "f/t/orders" }).waitFor();
  await expectAccessible(watched);
  await button(page, "Test f/t/orders").click();
  await dialog.getByLabel("id", { exact: true }).fill("a b");
  await button(page, "Send").click();
  await dialog.getByText('{"ordered":"a b"}').waitFor();
  await expectAccessible(watched);
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  await button(page, "To OpenAPI").click();
  await dialog.getByLabel("Tags").fill("orders");
  await button(page, "Preview").click();
  await dialog
    .locator("pre")
    .filter({ hasText: `/api/r/${ws.id}/orders/{id}` })
    .waitFor();
  await dialog.getByRole("region", { name: "Check of the document" }).getByRole("status").waitFor();
  await expectAccessible(watched);

  await show(page, `/w/${ws.id}/routes?edit=f/t/orders`);
  await dialog.getByLabel("Answers with").selectOption("A stored file");
  await runnable.waitFor({ state: "detached" });
  await dialog.getByLabel("Key of the file").fill("f/t/site/");
  await dialog.getByLabel("Upload the file").setInputFiles({ name: "a.txt", mimeType: "text/plain", buffer: Buffer.from("Hello") });
  await dialog.getByText("1 file is stored.").waitFor();
  expect(await dialog.getByLabel("Key of the file").inputValue()).toBe("f/t/site/a.txt");
  await expectAccessible(watched);
  await dialog.getByLabel("Route", { exact: true }).fill("hello");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.waitFor({ state: "detached" });
  const served = await fetch(`${new URL(page.url()).origin}/api/r/${ws.id}/hello`);
  expect(await served.text()).toBe("Hello");
  await endBrowser();
});
