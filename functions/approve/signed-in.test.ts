import { describe, expect, it } from "vitest";
import type { Route } from "../../contract/route.ts";
import { routes } from "../../contract/routes/routes.ts";
import type { Person } from "../../core/people/actor.ts";
import { countsAsSignedIn } from "./signed-in.ts";

const ann: Person = { kind: "person", email: "ann@example.com", username: "ann", superAdmin: true, tokenHash: "", tokenPrefix: "" };

/** Each kind of token, and its rights on approvals. */
const tokens: [string, Partial<Person>, { read: boolean; write: boolean }][] = [
  ["no scopes", {}, { read: true, write: true }],
  ["approvals:write", { scopes: ["approvals:write"] }, { read: true, write: true }],
  ["approvals:read", { scopes: ["approvals:read"] }, { read: true, write: false }],
  ["read_only", { readOnly: true }, { read: true, write: false }],
  ["read_only and approvals:write", { readOnly: true, scopes: ["approvals:write"] }, { read: true, write: false }],
  ["jobs:read, jobs:write and jobs:run", { scopes: ["jobs:read", "jobs:write", "jobs:run"] }, { read: false, write: false }],
  ["a webhook", { scopes: ["jobs:run:flows:f/t/a"] }, { read: false, write: false }],
  ["an empty list of scopes", { scopes: [] }, { read: false, write: false }],
  ["another workspace", { workspace: "other" }, { read: false, write: false }],
];

/** Whether a caller with a link, or on the page, reads or decides with each route. */
const uses: Record<string, "read" | "write"> = {
  "approvals.resumeByLink": "write",
  "approvals.resumeByGet": "write",
  "approvals.cancelByLink": "write",
  "approvals.cancelByGet": "write",
  "approvals.suspendedFlow": "read",
  "approvals.info": "read",
  "approvals.decide": "write",
};
const open = (Object.values(routes) as Route[]).filter(({ fn, auth }) => fn === "approve" && auth === "none");

describe("a caller who sends a token with an approval link or from the approval page", () => {
  it("this table has a row for every such route", () => {
    expect(open.map(({ name }) => name).sort()).toEqual(Object.keys(uses).sort());
  });

  const rows = open.flatMap((route) => tokens.map(([title, limits, allows]) => [route.name, title, { route, limits, allows }] as const));
  it.each(rows)("on %s counts as signed in only if the token (%s) allows what the route does", (name, _, { route, limits, allows }) => {
    expect(countsAsSignedIn({ ...ann, ...limits }, route, "w")).toBe(allows[uses[name] ?? "write"]);
  });
});
