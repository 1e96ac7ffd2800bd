/// <reference types="vite/types/importMeta.d.ts" />
import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import type { AccessRule } from "../access/access-rule.ts";
import { actions } from "../access/actions.ts";
import type { AuditedResource } from "../access/audit-rule.ts";
import { toOperation } from "../access/operation.ts";
import type { Route, TokenRoute } from "../route.ts";
import { routes } from "./routes.ts";

const all = Object.values<Route>(routes);
const tokenRoutes = all.filter((route): route is TokenRoute => route.auth === "token");

const PAGE = "../../docs/reference/routes.md";
const START = "<!-- routes: start -->";
const END = "<!-- routes: end -->";

function scopeOf({ domain, verb, runs }: AccessRule): string {
  return `\`${[domain, verb, ...(runs ? [runs] : [])].join(":")}\``;
}

/** The operation of a change in the audit log, and the part of the call that names its object. */
function auditOf(route: Route): string {
  const { audits, reveals } = route;
  const operation = `\`${toOperation(route)}\``;
  if (typeof audits === "object") return `${operation}, ${nameOf(audits.resource)}`;
  if (reveals !== undefined) return `${operation}, ${reveals}`;
  if (route.auth === "token" && route.access.verb === "run") return "the job";
  return { useCase: "by the use case", approvalLog: "log of approvals", job: "the job", nothing: "", undefined: "" }[String(audits)] ?? "";
}

function nameOf(resource: AuditedResource): string {
  if (resource === "none") return "no name";
  if ("reply" in resource) return "the reply";
  if ("text" in resource) return resource.text;
  return Object.values(resource).join(" or ");
}

function rowOf(route: Route): string {
  const at = `${route.method} | \`${route.path}\``;
  if (route.auth === "none")
    return `| ${at} | no token | ${route.callerAccess ? `${scopeOf(route.callerAccess)}, if one is sent` : ""} | | ${auditOf(route)} |`;
  if (route.auth === "job") return `| ${at} | the job's token | | | ${auditOf(route)} |`;
  const { access } = route;
  const notes = [
    ...(access.inArchive ? [", also in an archived workspace"] : []),
    ...(access.personal ? [", not with a job's token"] : []),
  ];
  const need = `${access.need}${notes.join("")}`;
  const hidden = access.hiddenAs === undefined ? "" : `, hidden as \`${access.hiddenAs}\``;
  return `| ${at} | ${need} | ${scopeOf(access)} | ${access.target === "none" ? "" : `${access.target}${hidden}`} | ${auditOf(route)} |`;
}

/** The page with a regenerated table; the text around the markers is unchanged. */
async function page(): Promise<string> {
  const text = await readFile(new URL(PAGE, import.meta.url), "utf8");
  const [before, rest] = text.split(START);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined) throw new Error(`${PAGE} lacks its markers ${START} and ${END}.`);
  const rows = all.map(rowOf);
  const table = ["| method | path | need | scope | target | audit log |", "|---|---|---|---|---|---|", ...rows].join("\n");
  return `${before}${START}\n${table}\n${END}${after}`;
}

describe("the list of routes", () => {
  it("contains each route of every domain: no two have the same key", async () => {
    const modules = Object.values(import.meta.glob<Record<string, unknown>>(["./*/**/*.ts", "!./**/*.test.ts"]));
    const exported = (await Promise.all(modules.map((load) => load()))).flatMap((module) => Object.entries(module));
    const domains = exported.filter(([name]) => name.endsWith("Routes")).map(([, domain]) => domain as Record<string, Route>);
    expect(domains.length).toBeGreaterThan(30);
    expect(domains.flatMap((domain) => Object.values(domain)).filter((route) => !all.includes(route))).toEqual([]);
  });
});

describe("docs/reference/routes.md", () => {
  it("lists every route with the access that it declares", async () => {
    await expect(await page()).toMatchFileSnapshot(PAGE);
  });
});

describe("the access of a route", () => {
  const partsOf = ({ path }: Route) => [...path.matchAll(/\{(\w+)\+?\}/g)].map(([, part]) => part);
  // `rawByHash` has a path part for the file extension after the hash.
  const parts: Record<AccessRule["target"], readonly string[]> = {
    path: ["path"],
    folder: ["name"],
    group: ["name"],
    object: ["kind", "path"],
    version: ["hash", "version", "path"],
    job: ["id", "gate", "run_id"],
    request: [],
    list: [],
    none: [],
  };

  it.each(tokenRoutes)("$name finds its target in its address", (route) => {
    const { target } = route.access;
    const found = partsOf(route).filter((part) => parts[target].includes(part ?? ""));
    const expected = parts[target].length === 0 ? 0 : target === "object" ? 2 : 1;
    expect(found).toHaveLength(expected);
  });

  it.each(tokenRoutes.filter((route) => partsOf(route).includes("path")))("$name checks the path in its address", (route) => {
    // Neither reads the object, and the reply is the same whether or not it exists.
    if (["users.isOwnerOfPath", "acls.explain"].includes(route.name)) expect(route.access.target).toBe("none");
    else expect(["path", "object", "version"]).toContain(route.access.target);
  });

  it.each(tokenRoutes.filter(({ access }) => access.hiddenAs))("$name documents the error that hides its object", ({ access, errors }) => {
    expect(errors).toContain(access.hiddenAs);
  });

  it("equals the access that use cases check under the same name", () => {
    const byName = new Map(tokenRoutes.map(({ name, access }) => [name, access]));
    for (const { name, access } of Object.values(actions)) expect([name, access]).toEqual([name, byName.get(name)]);
  });

  it("is declared under one name by one route", () => {
    expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
  });
});

describe("the parts of an address that contain secrets", () => {
  const secretParts = all.flatMap((route) =>
    [...route.path.matchAll(/\{(signature|token_prefix|user_code)\}/g)].map(([, part]) => ({ ...route, part })),
  );
  it.each(secretParts)("$name hides its $part in logs", ({ part, hiddenInLogs = [] }) => {
    expect(hiddenInLogs).toContain(part);
  });

  it.each(all.filter(({ hiddenInLogs }) => hiddenInLogs))("$name has the part that it hides", ({ path, hiddenInLogs = [] }) => {
    expect(hiddenInLogs.filter((part) => !path.includes(`{${part}}`))).toEqual([]);
  });
});

describe("the id that a caller chooses for a new job", () => {
  const chosen = tokenRoutes.filter(({ access, query }) => access.verb === "run" && query !== undefined && "job_id" in query.shape);
  const ids: [string, boolean][] = [
    ["3f1c2f5e-9d1a-4c3b-8a2e-0123456789ab", true],
    ["01932f5e-9d1a-7c3b-8a2e-0123456789ab", true],
    ["3f1c2f5e-9d1a-5c3b-8a2e-0123456789ab", false],
    ["3f1c2f5e-9d1a-1c3b-8a2e-0123456789ab", false],
    ["00000000-0000-0000-0000-000000000000", false],
  ];
  it.each(ids)("%s is accepted by every run route: %s", (job_id, accepted) => {
    expect(chosen.length).toBeGreaterThan(15);
    for (const { name, query } of chosen) expect([name, query?.safeParse({ job_id }).success]).toEqual([name, accepted]);
  });
});

it.each([{}, { scopes: undefined }, { scopes: [] }, { permissions: ["jobs:read"] }])(
  "the body %j does not remove the scopes of a token",
  (body) => {
    expect(routes.updateTokenScopes?.body?.safeParse(body).success).toBe(false);
    expect(routes.updateTokenScopes?.body?.safeParse({ scopes: null }).success).toBe(true);
  },
);
