import { expect, it } from "vitest";
import { offers } from "../../../web/src/console/access/actions.ts";
import { withoutRow } from "./actions-without-row.ts";
import type { Actions } from "./role-page.ts";
import { pagesOf } from "./role-pages.ts";

const operationsOf = (actions: Actions) => Object.values(actions).map((action) => (typeof action === "string" ? action : action.operation));

it("each action of the console is in the table of pages and roles, or has a reason not to be", () => {
  const rows = pagesOf("ws", { first: "1", second: "2", ofFlow: "3", asked: "4", shared: "/share/5" });
  const inTable = new Set<string>(
    rows.flatMap(({ actions = {}, dialogs = {} }) => [actions, ...Object.values(dialogs)].flatMap(operationsOf)),
  );
  const excepted = new Set<string>(Object.values(withoutRow).flat());
  expect(Object.keys(offers).filter((operation) => !inTable.has(operation) && !excepted.has(operation))).toEqual([]);
  // A reason does not outlive its need.
  expect([...excepted].filter((operation) => inTable.has(operation))).toEqual([]);
});
