import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isOffered, type offers } from "../../../web/src/console/access/actions.ts";
import { shared } from "../../support/api/api.ts";
import { expectQuiet, heading } from "../../support/approvals/page.ts";
import { endBrowser, openPage, type WatchedPage } from "../../support/browser/browser.ts";
import { expectAccessible, go, settle, show } from "../../support/console/console.ts";
import { frameEntries, makeRoleWorld, type Role, type RolePage, type RoleWorld, roles } from "../../support/console/role-pages.ts";

let world: RoleWorld;
let watched: WatchedPage;
beforeAll(async () => {
  world = await makeRoleWorld();
  watched = await openPage({ reducedMotion: "reduce" });
  watched.page.setDefaultTimeout(30_000);
});
afterAll(endBrowser);

/** The properties by which the console decides what it offers. */
const memberOf = (role: Role) => ({
  operator: role === "operator",
  is_admin: role === "admin" || role === "superadmin",
  is_super_admin: role === "superadmin",
});

const mayDo = (operation: string, role: Role): boolean =>
  operation === "approvals.decide" || isOffered(operation as keyof typeof offers, memberOf(role));

/** Returns the heading and the text of a page for a role, and the actions that the page offers to it. */
function viewOf({ address, seenBy, content, actions = {}, refusal }: RolePage, role: Role) {
  const isSeen = seenBy.includes(role);
  const offered = Object.keys(actions).filter((name) => isSeen && mayDo(actions[name] ?? "", role));
  if (isSeen) return { ...content, offered };
  if (role === "visitor") return { heading: "Sign in", text: "Sign in with a token", offered };
  const isInWorkspace = address.startsWith("/w/");
  if (role === "stranger" && isInWorkspace) {
    return { heading: "This page can't be displayed", text: `There is no workspace ${world.workspace}.`, offered };
  }
  return { ...refusal, heading: refusal?.heading ?? "", offered };
}

/** A script that returns the names of some buttons. */
const namesOf = (buttons: string) => `[...document.querySelectorAll("${buttons}")].map((button) => {
  const named = button.cloneNode(true);
  for (const hidden of named.querySelectorAll("[aria-hidden]")) hidden.remove();
  return button.getAttribute("aria-label") ?? named.textContent.trim();
})`;

const isIn = <T extends string>(names: readonly T[], name: string) => names.some((each) => each === name);

/** Expects that a dialog offers a person the actions that the person may do, and no other ones. */
async function expectDialog(
  opener: string,
  actions: NonNullable<RolePage["actions"]>,
  role: Role,
  all: ReadonlySet<string>,
): Promise<void> {
  const { page } = watched;
  const offered = Object.keys(actions).filter((name) => mayDo(actions[name] ?? "", role));
  await page.locator("main").getByRole("button", { name: opener, exact: true }).first().click();
  const dialog = page.getByRole("dialog");
  await settle(watched);
  await dialog.waitFor();
  for (const name of offered) await dialog.getByRole("button", { name, exact: true }).first().waitFor();
  const shown = new Set(await page.evaluate<string[]>(namesOf("[role=dialog] button")));
  expect({ dialog: opener, offers: [...shown].filter((name) => all.has(name)).sort() }).toEqual({ dialog: opener, offers: offered.sort() });
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
}

/** Expects that the user menu and the command palette offer the pages that a person may see, and no other ones. */
async function expectFrame(role: Role): Promise<void> {
  const { page } = watched;
  const allowed = Object.entries(frameEntries).flatMap(([name, people]) => (isIn(people, role) ? name : []));
  await page.getByRole("banner").getByRole("button").last().click();
  await page.getByRole("menuitem", { name: "Sign out" }).waitFor();
  const items = await page.getByRole("menuitem").allTextContents();
  expect(items.filter((name) => name in frameEntries)).toEqual(allowed.filter((name) => name === "Account" || name === "Instance"));
  await page.keyboard.press("Escape");
  await page.getByRole("menu").waitFor({ state: "detached" });
  await page.keyboard.press("Control+k");
  const search = page.locator(".palette-input:focus");
  const offered: string[] = [];
  for (const name of Object.keys(frameEntries)) {
    await search.fill(name);
    await settle(watched);
    const options = await page.getByRole("option").allTextContents();
    if (options.some((option) => option.startsWith(name))) offered.push(name);
  }
  expect(offered).toEqual(allowed);
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
}

/** Loads the console as a person of a role. Its other pages are opened as links do. */
async function begin(role: Role): Promise<void> {
  const { page } = watched;
  const token = world.tokens[role];
  await page.context().clearCookies();
  if (token) await page.context().addCookies([{ name: "token", value: token, url: shared().url }]);
  watched.openRequests.clear();
  await show(page, `/w/${world.workspace}`);
}

/** The pages that a role sees in different states: the tabs of a page that is refused are the same page. */
const pagesOf = (role: Role) =>
  world.pages.filter(({ address, seenBy }) => seenBy.includes(role) || !/[?]|[/]history|(settings|instance)[/](?!webhooks)/.test(address));

describe("each page of the console", () => {
  it.each(roles)("shows its content or its refusal, and only permitted actions: %s", { timeout: 300_000 }, async (role) => {
    const { page, complaints } = watched;
    const all = new Set(world.pages.flatMap(({ actions = {} }) => Object.keys(actions)));
    const inDialogs = new Set(world.pages.flatMap(({ dialogs = {} }) => Object.values(dialogs).flatMap((actions) => Object.keys(actions))));
    await begin(role);
    if (role !== "visitor" && role !== "stranger") await expectFrame(role);
    for (const each of pagesOf(role)) {
      const view = viewOf(each, role);
      await go(page, each.address);
      // The waits below ask for an element at growing intervals, so most of the page is there before them.
      await settle(watched);
      await heading(page, view.heading).waitFor();
      if (view.text) await page.getByText(view.text).first().waitFor();
      for (const name of view.offered) await page.getByRole("button", { name, exact: true }).first().waitFor();
      await settle(watched);
      const shown = new Set(await page.evaluate<string[]>(namesOf("main button:not([role=tab])")));
      expect({ page: each.address, offers: [...shown].filter((name) => all.has(name)).sort() }).toEqual({
        page: each.address,
        offers: view.offered.sort(),
      });
      for (const [opener, actions] of Object.entries(each.dialogs ?? {})) {
        const isOpened = each.seenBy.includes(role) && mayDo(each.actions?.[opener] ?? "inputs.create", role);
        if (isOpened) await expectDialog(opener, actions, role, inDialogs);
      }
    }
    // The browser itself reports each answer that refuses something.
    expectQuiet({ ...watched, complaints: complaints.filter((complaint) => !/status of 40[134]/.test(complaint)) });
    complaints.length = 0;
  });

  it("is accessible, if no journey checks it, in both themes, on a phone and at a zoom of 200 %", { timeout: 300_000 }, async () => {
    const { page } = watched;
    await begin("superadmin");
    for (const each of world.pages.filter(({ isChecked }) => !isChecked)) {
      const view = viewOf(each, "superadmin");
      await go(page, each.address);
      await heading(page, view.heading).waitFor();
      await settle(watched);
      watched.complaints.length = 0;
      await expectAccessible(watched);
    }
  });
});
