import { describe, expect, it } from "vitest";
import type { AccessRule } from "../../contract/access/access-rule.ts";
import type { Route, TokenRoute } from "../../contract/route.ts";
import { routes } from "../../contract/routes/routes.ts";
import type { JobActor, Person } from "../people/actor.ts";
import type { Role } from "../people/rights.ts";
import { type Access, deriveRights } from "./access.ts";
import { classifyRefusal, describeMissingRight, may } from "./may.ts";
import { domainsOfKinds, findKind } from "./object-kinds.ts";
import { scopeList } from "./scopes.ts";

const tokenRoutes = Object.values<Route>(routes).filter((route): route is TokenRoute => route.auth === "token");
const rules = new Map(tokenRoutes.map(({ name, access }) => [name, access]));

/** The rule of a route, by the route's name. */
function ruleOf(name: string): AccessRule {
  const rule = rules.get(name);
  if (!rule) throw new Error(`There is no route ${name}.`);
  return rule;
}

const access: Access = {
  groups: {
    ops: { members: ["ann"], perms: { "u/ann": true } },
    sales: { members: ["bob"], perms: {} },
  },
  folders: {
    owned: { owners: ["u/ann"], perms: {} },
    written: { owners: [], perms: { "u/ann": true } },
    "by-group": { owners: ["u/bob"], perms: { "g/ops": true } },
    "by-all": { owners: ["u/bob"], perms: { "g/all": false } },
    read: { owners: ["u/bob"], perms: { "u/ann": false } },
    none: { owners: ["u/bob"], perms: { "g/sales": true } },
  },
  objects: { "script u/bob/shared": { "u/ann": false }, "script f/none/lent": { "g/ops": true } },
};

function ann(role: Role | "stranger" | "superadmin", more: Partial<Person> = {}): Person {
  const person = { kind: "person", email: "ann@x.y", username: "ann", superAdmin: role === "superadmin", tokenHash: "", tokenPrefix: "" };
  const rights = role === "stranger" || role === "superadmin" ? {} : { rights: deriveRights("ws", { username: "ann", role }, access) };
  return { ...person, ...rights, ...more } as Person;
}

function aJobOf(role: "developer" | "superadmin"): JobActor {
  const { email, username, superAdmin, rights } = ann(role);
  const identity = { email, username, superAdmin, ...(rights ? { rights } : {}) };
  return { ...identity, kind: "job", jobId: "", attempt: 1, workspace: "ws", permissionedAs: "u/ann" };
}

/** The right of a developer for each path (own, write, read, none). Operators have at most read access, admins every right. */
const paths = {
  "u/ann/x": "own",
  "u/bob/x": "nothing",
  "u/bob/shared": "read",
  "f/owned/x": "own",
  "f/written/x": "write",
  "f/by-group/x": "write",
  "f/by-all/x": "read",
  "f/read/x": "read",
  "f/none/x": "nothing",
  "f/none/lent": "write",
  "f/absent/x": "nothing",
} as const;
const roles = ["superadmin", "admin", "developer", "operator", "stranger"] as const;
const actions = { "scripts.getByPath": "read", "jobs.run.scripts": "run", "scripts.update": "write", "acls.add": "own" } as const;
const enough = { nothing: [], read: ["read", "run"], write: ["read", "run", "write"], own: ["read", "run", "write", "own"] };

const table = roles.flatMap((role) =>
  Object.entries(paths).flatMap(([path, level]) =>
    Object.entries(actions).map(([action, need]) => {
      const reads = (enough[level] as string[]).includes(need);
      const expected = {
        superadmin: true,
        admin: true,
        developer: reads,
        operator: reads && (need === "read" || need === "run"),
        stranger: false,
      }[role];
      return { role, action, path, level, expected };
    }),
  ),
);

describe("may", () => {
  it.each(table)("the role $role may do $action on $path ($level): $expected", ({ role, action, path, expected }) => {
    expect(may(ann(role), ruleOf(action), { workspace: "ws", path, kind: "script" })).toBe(expected);
  });

  it.each(table.filter(({ expected }) => !expected))(
    "the refusal of $action on $path does not reveal to $role what they may not know",
    ({ role, action, path, level }) => {
      const how = role === "stranger" ? "hiddenWorkspace" : level === "nothing" ? "hidden" : "forbidden";
      expect(classifyRefusal(ann(role), ruleOf(action), { workspace: "ws", path, kind: "script" })).toBe(how);
    },
  );

  it("rights in one workspace give none in another", () => {
    expect(may(ann("admin"), ruleOf("scripts.list"), { workspace: "other" })).toBe(false);
  });

  it("a user sees and stops their own jobs, and a writer of a folder those of others", () => {
    const job = { workspace: "ws", kind: "script" };
    const cases = [
      ["developer", "jobs.get", { path: undefined, owner: "ann@x.y" }, true],
      ["developer", "jobs.get", { path: undefined, owner: "bob@x.y" }, false],
      ["developer", "jobs.get", { path: "f/read/x", owner: "bob@x.y" }, true],
      ["developer", "jobs.cancel", { path: "f/read/x", owner: "bob@x.y" }, false],
      ["developer", "jobs.cancel", { path: "f/written/x", owner: "bob@x.y" }, true],
      ["developer", "jobs.get", { path: "f/none/x", owner: "bob@x.y" }, false],
      ["operator", "jobs.cancel", { path: "f/none/x", owner: "ann@x.y" }, true],
      ["operator", "jobs.cancel", { path: "f/written/x", owner: "bob@x.y" }, false],
      ["operator", "jobs.deleteCompleted", { path: "f/read/x", owner: "ann@x.y" }, false],
      ["operator", "jobs.run.preview", { path: undefined }, false],
    ] as const;
    for (const [role, action, target, expected] of cases) {
      expect([role, action, target, may(ann(role), ruleOf(action), { ...job, ...target })]).toEqual([role, action, target, expected]);
    }
  });

  it("only admins of a group change it, and only admins administer the workspace", () => {
    expect(may(ann("developer"), ruleOf("groups.addUser"), { workspace: "ws", path: "g/ops" })).toBe(true);
    expect(may(ann("developer"), ruleOf("groups.addUser"), { workspace: "ws", path: "g/sales" })).toBe(false);
    expect(may(ann("developer"), ruleOf("workspaces.addUser"), { workspace: "ws" })).toBe(false);
    expect(may(ann("admin"), ruleOf("workspaces.addUser"), { workspace: "ws" })).toBe(true);
    expect(may(ann("admin"), ruleOf("workspaces.create"), {})).toBe(false);
  });

  it("the rule distinguishes reading from writing within a domain", () => {
    expect(may(ann("operator"), ruleOf("resources.types.list"), { workspace: "ws" })).toBe(true);
    expect(may(ann("operator"), ruleOf("resources.types.create"), { workspace: "ws" })).toBe(false);
  });

  it("the extra permissions of an object count like those of the workspace", () => {
    const target = { workspace: "ws", path: "u/bob/own" };
    expect(may(ann("developer"), ruleOf("variables.get"), { ...target, extraPerms: { "g/ops": false } })).toBe(true);
    expect(may(ann("developer"), ruleOf("variables.update"), { ...target, extraPerms: { "g/ops": false } })).toBe(false);
    expect(may(ann("developer"), ruleOf("variables.update"), { ...target, extraPerms: { "u/ann": true } })).toBe(true);
  });
});

describe("the extra permissions of one object", () => {
  const onPaths = [...rules.values()].filter(({ target, need }) => target === "path" && (need === "read" || need === "write"));

  it("exist for every domain whose routes name an object by its path", () => {
    const domains = new Set(onPaths.map(({ domain }) => domain));
    expect([...domains].filter((domain) => findKind(domain) === undefined && domain !== "jobs")).toEqual([]);
  });

  it.each(Object.entries(domainsOfKinds))("of the kind %s are of a domain of which a scope may name a path", (_kind, domain) => {
    const scopes = scopeList.flatMap((group) => group.scopes);
    expect(scopes).toContainEqual(expect.objectContaining({ value: `${domain}:read`, requires_resource_path: true }));
  });

  it.each(Object.entries(domainsOfKinds))("of the kind %s give the right that they name, for its routes alone", (kind, domain) => {
    const target = { workspace: "ws", path: "f/none/x" };
    for (const writes of [false, true]) {
      const shared = { ...access, objects: { [`${kind} ${target.path}`]: { "u/ann": writes } } };
      const holder = ann("stranger", { rights: deriveRights("ws", { username: "ann", role: "developer" }, shared) });
      const allowed = onPaths.filter((rule) => may(holder, rule, target));
      const runs = kind === "script" || kind === "flow" ? ["jobs"] : [];
      expect(new Set(allowed.map((rule) => rule.domain))).toEqual(
        new Set([domain, ...runs].filter((one) => onPaths.some((rule) => rule.domain === one))),
      );
      const own = onPaths.filter((rule) => rule.domain === domain);
      expect(own.length).toBeGreaterThan(1);
      for (const rule of own) expect([rule, may(holder, rule, target)]).toEqual([rule, writes || rule.need === "read"]);
    }
  });
});

describe("the reason of a refusal", () => {
  const targetOf = ({ target }: AccessRule) => (target === "path" || target === "object" ? { path: "f/read/x" } : {});

  it.each(roles)(
    "names the missing role, and never the token, for every route that a token without limits of the role %s may not call",
    (role) => {
      for (const [name, rule] of rules) {
        const target = { workspace: "ws", ...targetOf(rule) };
        if (may(ann(role), rule, target)) continue;
        expect([name, describeMissingRight(ann(role), rule, target)]).toEqual([name, expect.stringMatching(/^(a|an|the|write|read) /)]);
      }
    },
  );

  it.each(roles)("is the token, whatever the role %s lacks, if the limits of the token refuse the call", (role) => {
    for (const [name, rule] of rules) {
      if (rule.verb === "read") continue;
      const target = { workspace: "ws", ...targetOf(rule) };
      expect([name, describeMissingRight(ann(role, { readOnly: true }), rule, target)]).toEqual([name, undefined]);
    }
  });

  it.each([
    ["operator", "scripts.update", "f/written/x", "the role developer or admin, and yours is operator"],
    ["developer", "scripts.update", "f/read/x", "write access to f/read/x"],
    ["developer", "acls.add", "f/read/x", "an owner of f/read/x"],
    ["developer", "jobs.run.scripts", "f/none/x", "read access to f/none/x"],
    ["developer", "workspaces.addUser", undefined, "an admin of the workspace"],
    ["admin", "workspaces.create", undefined, "a superadmin"],
    ["stranger", "scripts.list", undefined, "a member of the workspace"],
  ] as const)("tells the role %s that %s on %s requires %s", (role, action, path, expected) => {
    const target = action === "workspaces.create" ? {} : { workspace: "ws", path, kind: "script" };
    expect(describeMissingRight(ann(role), ruleOf(action), target)).toBe(expected);
  });
});

/** The routes of the keys with separate scopes. */
const secretRoutes = {
  encryption_key: [
    ...["workspaces.getEncryptionKey", "workspaces.setEncryptionKey", "workspaces.getKeyRotation", "workspaces.continueKeyRotation"],
  ],
  signing_secret: [
    ...["approvals.getWebhookSecret", "approvals.rotateWebhookSecret", "webhooks.instanceSecret", "webhooks.rotateInstanceSecret"],
    ...["workspaces.getWebhookSecret", "workspaces.rotateWebhookSecret"],
  ],
} as const;

describe("token limits", () => {
  it.each(Object.entries(secretRoutes))("no other scope includes %s, and a token without scopes has it as before", (domain, names) => {
    const found = [...rules].filter(([, rule]) => rule.domain === domain).map(([name]) => name);
    expect(found.sort()).toEqual([...names].sort());
    const others = scopeList.flatMap(({ scopes }) => scopes.map(({ value }) => value)).filter((value) => !value.startsWith(`${domain}:`));
    for (const name of names) {
      expect(may(ann("superadmin", { scopes: others }), ruleOf(name), { workspace: "ws" })).toBe(false);
      expect(may(ann("superadmin"), ruleOf(name), { workspace: "ws" })).toBe(true);
    }
  });

  it("scopes that are empty, absent or unknown allow nothing", () => {
    for (const scopes of [[], [""], ["unknown"], ["scripts"], ["scripts:"], [":read"], ["scripts:read:"], ["*"], ["*:*"]]) {
      for (const [name, rule] of rules) {
        const allowed = may(ann("superadmin", { scopes }), rule, { workspace: "ws", path: "f/owned/x" });
        expect([scopes, name, allowed]).toEqual([scopes, name, false]);
      }
    }
  });

  it.each([
    [["jobs:run:scripts:f/owned/x"], "jobs.run.scripts", "f/owned/x", true],
    [["jobs:run:scripts:f/owned/x"], "jobs.runWait.scripts", "f/owned/x", true],
    [["jobs:run:scripts:f/owned/x"], "jobs.run.versions", "f/owned/x", true],
    [["jobs:run:scripts:f/owned/x"], "jobs.run.scripts", "f/owned/y", false],
    [["jobs:run:scripts:f/owned/x"], "jobs.run.versions", undefined, false],
    [["jobs:run:scripts:f/owned/x"], "jobs.get", undefined, false],
    [["jobs:run:scripts:f/owned/x"], "scripts.getByPath", "f/owned/x", false],
    [["jobs:run:scripts:f/owned/*"], "jobs.run.scripts", "f/owned/y", true],
    [["jobs:run:flows:f/owned/x"], "jobs.run.scripts", "f/owned/x", false],
    [["jobs:run"], "jobs.run.preview", undefined, true],
    [["jobs:run:scripts"], "jobs.run.preview", undefined, false],
    [["scripts:read"], "scripts.getByPath", "f/none/x", true],
    [["scripts:read"], "scripts.update", "f/owned/x", false],
    [["scripts:write"], "scripts.getByPath", "f/owned/x", true],
    [["scripts:read:f/owned/*"], "scripts.list", undefined, true],
    [["scripts:read:f/owned/*"], "scripts.getByPath", "f/read/x", false],
    [["resources:write:f/owned/*"], "resources.update", "f/owned/x", true],
    [["resources:write:f/owned/*"], "resources.create", undefined, true],
    [["resources:write:f/owned/*"], "resources.types.create", undefined, false],
    [["resources:write:f/owned/*"], "resources.types.update", undefined, false],
    [["resources:write"], "resources.types.update", undefined, true],
    [["variables:read"], "scripts.list", undefined, false],
    [["users:read"], "tokens.list", undefined, false],
    [["encryption_key:read"], "workspaces.getEncryptionKey", undefined, true],
    [["encryption_key:read"], "workspaces.setEncryptionKey", undefined, false],
    [["encryption_key:write"], "workspaces.setEncryptionKey", undefined, true],
    [["signing_secret:read"], "workspaces.getWebhookSecret", undefined, true],
    [["signing_secret:read"], "approvals.getWebhookSecret", undefined, true],
    [["signing_secret:read"], "workspaces.rotateWebhookSecret", undefined, false],
    [["signing_secret:write"], "webhooks.rotateInstanceSecret", undefined, true],
    [["encryption_key:write"], "workspaces.getWebhookSecret", undefined, false],
    [["signing_secret:write"], "workspaces.getEncryptionKey", undefined, false],
  ] as const)("the token scopes %j allow %s on %s: %s, for any owner", (scopes, action, path, expected) => {
    const actor = ann("superadmin", { scopes: [...scopes] });
    expect(may(actor, ruleOf(action), { workspace: "ws", path })).toBe(expected);
    if (!expected) expect(classifyRefusal(actor, ruleOf(action), { workspace: "ws", path })).toBe("forbidden");
  });

  it("a read-only token reads all, and runs and changes nothing", () => {
    const actor = ann("superadmin", { readOnly: true });
    for (const [action, expected] of [
      ["scripts.getByPath", true],
      ["jobs.list", true],
      ["jobs.run.scripts", false],
      ["jobs.cancel", false],
      ["scripts.update", false],
      ["tokens.create", false],
      ["users.whoamiGlobal", true],
    ] as const)
      expect([action, may(actor, ruleOf(action), {})]).toEqual([action, expected]);
  });

  it("a token limited by path never accesses anything without a path", () => {
    const actor = ann("superadmin", { scopes: ["jobs:read:f/owned/*"] });
    const job = { workspace: "ws", owner: "bob@x.y" };
    expect(may(actor, ruleOf("jobs.get"), { ...job, path: "f/owned/x" })).toBe(true);
    expect(may(actor, ruleOf("jobs.get"), { ...job, path: "f/read/x" })).toBe(false);
    expect(may(actor, ruleOf("jobs.get"), job)).toBe(false);
  });

  it("a token bound to a workspace accesses no other workspace and nothing of the instance", () => {
    const actor = ann("superadmin", { workspace: "ws" });
    expect(may(actor, ruleOf("scripts.list"), { workspace: "ws" })).toBe(true);
    expect(may(actor, ruleOf("scripts.list"), { workspace: "other" })).toBe(false);
    expect(may(actor, ruleOf("workspaces.create"), {})).toBe(false);
    expect(may(actor, ruleOf("users.whoamiGlobal"), {})).toBe(true);
  });

  it("a job token accesses its workspace with the rights of the user as whom the job runs", () => {
    const actor = aJobOf("developer");
    expect(may(actor, ruleOf("scripts.update"), { workspace: "ws", path: "f/written/x" })).toBe(true);
    expect(may(actor, ruleOf("scripts.update"), { workspace: "ws", path: "f/read/x" })).toBe(false);
    expect(may({ ...actor, superAdmin: true }, ruleOf("scripts.list"), { workspace: "other" })).toBe(false);
    expect(may({ ...actor, superAdmin: true }, ruleOf("workspaces.create"), {})).toBe(false);
  });

  it.each(["developer", "superadmin"] as const)(
    "a job token of a %s calls only these of the routes that any token may call, and reaches nothing else that a user stores for themselves",
    (role) => {
      // Clients in scripts request their user and their workspace. A new route accepts jobs only if it is added here.
      const forJobs = [
        "users.whoamiGlobal",
        "users.email",
        "workspaces.list",
        "workspaces.mine",
        "workspaces.exists",
        "workspaces.existsUsername",
      ];
      const aboutTheInstance = ["jobs.dbClock", "jobs.listWorkers", "schedules.preview", "settings.getGlobal"];
      const called = tokenRoutes
        .filter(({ access }) => access.need === "self")
        .filter(({ access, path }) => may(aJobOf(role), access, path.includes("{workspace}") ? { workspace: "ws" } : {}))
        .map(({ name }) => name);
      expect(called.sort()).toEqual([...forJobs, ...aboutTheInstance].sort());
      const ofPersons = [
        "drafts.list",
        "drafts.getOwn",
        "drafts.update",
        "favorites.list",
        "favorites.star",
        "favorites.unstar",
        "views.list",
        "views.create",
        "account.getPreferences",
      ];
      for (const draft of ofPersons)
        expect([draft, may(aJobOf(role), ruleOf(draft), { workspace: "ws", path: "f/owned/x" })]).toEqual([draft, false]);
    },
  );
});

describe("route rules", () => {
  const readsByPost = [
    ...["jobs.startedAtByIds", "workspaces.exists", "workspaces.existsUsername"],
    ...["files.getResourceInfo", "files.getDuckdbSettings", "files.getPolarsSettings", "files.sign"],
    ...["schedules.preview", "http_triggers.routeExists"],
    ...["openapi.generate", "openapi.download", "scripts.diffTemp"],
    // It stores the token of the caller in the browser, and changes nothing in the service.
    "auth.beginSession",
  ];
  // The responses of the last two authorise a decision.
  const changesByGet = ["users.refreshToken", "approvals.mint", "approvals.mintSignature", "chats.askInSlack", "chats.askInTeams"];
  // This rule requires read access to the jobs. The right to run each script or flow is checked when its job is read.
  const checksRunsLater = ["jobs.rerun"];
  // Every member has an identity, which the token proves to others, stars and views.
  const ofEachMember = ["oidc.token", "favorites.star", "favorites.unstar", "views.create", "views.update", "views.delete"];
  const tested = tokenRoutes.map(({ name, method, fn, payload, access: { verb, need } }) => ({
    name,
    method,
    verb,
    need,
    starts: fn === "run" || (fn === "stream" && payload === true),
  }));

  it.each(tested)("the verb $verb of $name fits the method $method", ({ name, method, verb, starts }) => {
    const reads = method === "GET" ? !changesByGet.includes(name) : readsByPost.includes(name);
    expect(verb === "run").toBe(starts);
    expect(verb === "read").toBe(reads && !starts);
  });

  const changing = tested.filter(
    ({ name, method }) =>
      (method !== "GET" || changesByGet.includes(name)) && ![...readsByPost, ...checksRunsLater, ...ofEachMember].includes(name),
  );
  it.each(changing)("the route $name, which changes or runs something, requires more than read or membership: $need", ({ need }) => {
    expect(["read", "member"]).not.toContain(need);
  });
});
