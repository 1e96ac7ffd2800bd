import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isOffered } from "../../../web/src/console/access/actions.ts";
import { button, expectQuiet, heading } from "../../support/approvals/page.ts";
import { endBrowser, openPage, type WatchedPage } from "../../support/browser/browser.ts";
import { expectAccessible, go, see, settle, show } from "../../support/console/console.ts";
import { type Action, type Actions, type Role, type RolePage, roles } from "../../support/console/role-page.ts";
import { frameEntries, makeRoleWorld, type RoleWorld } from "../../support/console/role-pages.ts";

let world: RoleWorld;
let watched: WatchedPage;
beforeAll(async () => {
  world = await makeRoleWorld();
  watched = await openPage({ reducedMotion: "reduce" });
  watched.page.setDefaultTimeout(30_000);
  await show(watched.page, "/login");
});
afterAll(endBrowser);

/** The properties by which the console decides what it offers. */
const memberOf = (role: Role) => ({
  operator: role === "operator",
  is_admin: role === "admin" || role === "superadmin",
  is_super_admin: role === "superadmin",
});

function mayDo(action: Action, role: Role): boolean {
  if (typeof action !== "string") return action.only.includes(role) && mayDo(action.operation, role);
  return action === "approvals.decide" || isOffered(action, memberOf(role));
}
const offeredTo = (actions: Actions, role: Role): string[] =>
  Object.keys(actions).filter((name) => mayDo(actions[name] ?? "approvals.decide", role));

/** Returns the heading and the text of a page for a role, and the actions that the page offers to it. */
function viewOf({ address, seenBy, content, actions = {}, refusal }: RolePage, role: Role) {
  if (seenBy.includes(role)) return { ...content, offered: offeredTo(actions, role) };
  const offered: string[] = [];
  if (role === "visitor") return { heading: "Sign in", text: "Sign in with a token", offered };
  const isInWorkspace = address.startsWith("/w/");
  if (role === "stranger" && isInWorkspace) {
    return { heading: "This page can't be displayed", text: `There is no workspace ${world.workspace}.`, offered };
  }
  return { ...refusal, heading: refusal?.heading ?? "", offered: offeredTo(refusal?.actions ?? {}, role) };
}

const isIn = <T extends string>(names: readonly T[], name: string) => names.some((each) => each === name);

const amongst = (names: readonly string[], all: ReadonlySet<string>) => [...new Set(names)].filter((name) => all.has(name)).sort();

/** Expects that a dialog offers a person the actions that the person may do, and no other ones. */
async function expectDialog(
  opener: string,
  actions: NonNullable<RolePage["actions"]>,
  role: Role,
  all: ReadonlySet<string>,
): Promise<void> {
  const { page } = watched;
  const offered = offeredTo(actions, role);
  await page.locator("main").getByRole("button", { name: opener, exact: true }).first().click();
  const { buttons } = await see(watched, { part: "[role=dialog]", buttons: offered });
  expect({ dialog: opener, offers: amongst(buttons, all) }).toEqual({ dialog: opener, offers: offered.sort() });
  await page.keyboard.press("Escape");
  await page.evaluate("(async () => { while (document.querySelector('[role=dialog]')) await new Promise(requestAnimationFrame); })()");
}

/** Expects that the user menu and the command palette offer the pages that a person may see, and no other ones. */
async function expectFrame(role: Role): Promise<void> {
  const { page } = watched;
  const allowed = Object.entries(frameEntries).flatMap(([name, people]) => (isIn(people, role) ? name : []));
  await page.getByRole("banner").getByRole("button").last().click();
  await page.getByRole("menuitem", { name: "Sign out" }).waitFor();
  const items = await page.getByRole("menuitem").allTextContents();
  expect(items.filter((name) => name in frameEntries)).toEqual(allowed.filter((name) => name === "Account" || name === "Instance"));
  // Escape closes the menu that has the focus, which it takes after it has appeared.
  await page.locator("[role=menu]:focus-within").waitFor();
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

/** Signs the present person out and another one in. The document stays, so that the code of a page runs once, and nothing of the former person may remain. */
async function signInAs(role: Role): Promise<void> {
  const { page } = watched;
  if ((await page.getByRole("banner").count()) > 0) {
    await page.getByRole("banner").getByRole("button").last().click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
  } else {
    // A refused page is opened after the sign-in.
    await go(page, "/login");
  }
  await see(watched, { part: "main", heading: "Sign in", buttons: ["Sign in with a token"] });
  if (role === "visitor") return;
  await page.getByLabel("Token", { exact: true }).fill(world.tokens[role]);
  await button(page, "Sign in with a token").click();
  await heading(page, "Home").waitFor();
}

/** The pages that a role sees in different states. The tabs of a page that is refused are the same page. */
function pagesOf(role: Role): RolePage[] {
  const seen = world.pages.filter(({ seenBy }) => seenBy.includes(role));
  const refused = world.pages.filter(
    ({ address, seenBy }) => !seenBy.includes(role) && !/[?]|[/]history|(settings|instance)[/](?!webhooks)/.test(address),
  );
  if (role !== "stranger" && role !== "visitor") return [...seen, ...refused];
  // The frame of a page refuses them, before it displays one. Each page is in a frame (router.test.ts).
  const frames = new Set(refused.map(({ address }) => address.split("/")[1]));
  return [...seen, ...[...frames].flatMap((frame) => refused.find(({ address }) => address.split("/")[1] === frame) ?? [])];
}

describe("each page of the console", () => {
  it.each(roles)("shows its content or its refusal, and only permitted actions: %s", { timeout: 300_000 }, async (role) => {
    const { page, complaints } = watched;
    const all = new Set(world.pages.flatMap(({ actions = {} }) => Object.keys(actions)));
    const inDialogs = new Set(world.pages.flatMap(({ dialogs = {} }) => Object.values(dialogs).flatMap((actions) => Object.keys(actions))));
    await signInAs(role);
    if (role !== "visitor" && role !== "stranger") await expectFrame(role);
    for (const each of pagesOf(role)) {
      const view = viewOf(each, role);
      await go(page, each.address);
      if (each.press && each.seenBy.includes(role)) {
        await see(watched, { part: "main", heading: view.heading, buttons: [each.press] });
        await button(page, each.press).click();
      }
      const { heading, buttons } = await see(watched, { part: "main", heading: view.heading, text: view.text, buttons: view.offered });
      expect({ page: each.address, heading, offers: amongst(buttons, all) }).toEqual({
        page: each.address,
        heading: view.heading,
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
    await signInAs("superadmin");
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
