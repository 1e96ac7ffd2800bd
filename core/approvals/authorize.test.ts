import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type AccessPath, type Approver, authorize, type Verdict } from "./authorize.ts";
import type { GateRules } from "./rules.ts";

// Ann started the run, which runs on behalf of olga. Letter case does not distinguish addresses, so only the run has this spelling.
const STARTER = "Ann@Example.com";
const [ann, bob, olga, dan] = ["ann@example.com", "bob@example.com", "olga@example.com", "dan@example.com"] as const;

type Role = "admin" | "developer" | "operator";
const groupsOf: Readonly<Record<string, string[]>> = { [ann]: ["all", "deciders"], [dan]: ["all", "deciders"] };
const named = (email: string) => email.slice(0, email.indexOf("@"));
/** A member of the workspace, unless `role` is missing. */
const person = (
  email: string,
  role: Role | undefined = "developer",
  more: Partial<Exclude<Approver, { kind: "link" }>> = {},
): Approver => ({
  kind: "person",
  emails: [email],
  username: named(email),
  superAdmin: false,
  ...(role ? { member: { role, groups: groupsOf[email] ?? ["all"] } } : {}),
  ...more,
});
const outside = (email: string, more: Partial<Exclude<Approver, { kind: "link" }>> = {}): Approver => {
  const { member: _, ...rest } = person(email) as Exclude<Approver, { kind: "link" }>;
  return { ...rest, ...more };
};
/** A job has the rights of the user as whom it runs, and also counts as the user who started it. */
const job = (runsAs: string, startedBy = runsAs): Approver => {
  const decider = person(runsAs) as Exclude<Approver, { kind: "link" }>;
  return { ...decider, kind: "job", emails: runsAs === startedBy ? [runsAs] : [runsAs, startedBy] };
};

/** The callers; `mayStop`: whether they may stop the run. */
const roles: Readonly<Record<string, { title: string; who: Approver; mayStop: boolean }>> = {
  none: { title: "a user who has not signed in", who: { kind: "link" }, mayStop: false },
  ann: { title: "the starter, who is in the group", who: person(ann), mayStop: true },
  out: { title: "a user of no workspace, with the username of a member", who: outside("bob@elsewhere.example"), mayStop: false },
  cleo: { title: "a user of no workspace whose address is named", who: outside("cleo@partner.example"), mayStop: false },
  oper: { title: "an operator who sees the run", who: person("vera@example.com", "operator"), mayStop: false },
  bob: { title: "a member", who: person(bob), mayStop: false },
  stop: { title: "a member who may stop the run", who: person("stan@example.com"), mayStop: true },
  dan: { title: "a member of the group", who: person(dan), mayStop: false },
  aud: {
    title: "a member of the other group",
    who: person("aud@example.com", "operator", { member: { role: "operator", groups: ["all", "auditors"] } }),
    mayStop: false,
  },
  adm: { title: "an admin of the workspace", who: person("adam@example.com", "admin"), mayStop: true },
  sup: { title: "a superadmin of no workspace", who: outside("sue@example.com", { superAdmin: true }), mayStop: true },
  olga: { title: "the user on whose behalf the run is", who: person(olga), mayStop: true },
  jAnn: { title: "a job of the starter", who: job(ann), mayStop: true },
  jFor: { title: "a job that the starter started, on behalf of another", who: job(olga, ann), mayStop: true },
  jBy: { title: "a job that another started, on behalf of the starter", who: job(ann, bob), mayStop: true },
  jBob: { title: "a job of another member", who: job(bob), mayStop: false },
  jDan: { title: "a job of a member of the group", who: job(dan), mayStop: false },
  jAdm: { title: "a job of an admin", who: { ...(person("adam@example.com", "admin") as object), kind: "job" } as Approver, mayStop: true },
};

const nothing: GateRules = { required: 1, signedIn: false, notStarter: false, personOnly: false };
const suspended = (...people: string[]): GateRules => ({ ...nothing, signedIn: true, people });
const consent = (...people: string[]): GateRules => ({ ...nothing, signedIn: true, personOnly: true, people });
const rules: Readonly<Record<string, GateRules>> = {
  nothing,
  "sign-in": { ...nothing, signedIn: true },
  "not-starter": { ...nothing, signedIn: true, notStarter: true },
  group: suspended("g/deciders"),
  "two-groups": suspended("g/auditors", "g/deciders"),
  "group,not-starter": { ...suspended("g/deciders"), notStarter: true },
  "consent:group": consent("g/deciders"),
  "consent:users": consent("u/bob", "u/olga"),
  "consent:admins": consent("role:admin"),
  "consent:member's-address": consent("BOB@Example.com"),
  "consent:other's-address": consent("cleo@partner.example"),
  "consent:starter": consent("u/ann"),
  "consent:starter,not-starter": { ...consent("u/ann", "u/bob"), notStarter: true },
};

/**
 * The decisions of the specification and design §6, cell by cell, written independently of the code: y: yes, i: sign in first, s: the caller
 * started it, n: the caller is not an approver, j: a person must decide. `link`: the address of the link, or the page opened by it. `seen`: the
 * page without a link, the owner's route, the consent endpoint, and the list of waiting requests, if it depends on the right to stop the run. `chat`: a
 * message in a chat, where `none` is a person without a connected account and without a trusted address, and the others are the connected users.
 */
const table = `
      rule                         none ann  out  cleo oper bob  stop dan  aud  adm  sup  olga jAnn jFor jBy  jBob jDan jAdm
link  nothing                      y    y    y    y    y    y    y    y    y    y    y    y    y    y    y    y    y    y
seen  nothing                      i    y    n    n    n    n    y    n    n    y    y    y    y    y    y    n    n    y
chat  nothing                      y    y    y    y    y    y    y    y    y    y    y    y    j    j    j    j    j    j
link  sign-in                      i    y    n    n    y    y    y    y    y    y    y    y    y    y    y    y    y    y
seen  sign-in                      i    y    n    n    n    n    y    n    n    y    y    y    y    y    y    n    n    y
chat  sign-in                      i    y    n    n    y    y    y    y    y    y    y    y    j    j    j    j    j    j
link  not-starter                  i    s    n    n    y    y    y    y    y    y    y    y    s    s    s    y    y    y
seen  not-starter                  i    s    n    n    n    n    y    n    n    y    y    y    s    s    s    n    n    y
chat  not-starter                  i    s    n    n    y    y    y    y    y    y    y    y    j    j    j    j    j    j
link  group                        i    y    n    n    n    n    n    y    n    n    n    n    y    n    y    n    y    n
seen  group                        i    y    n    n    n    n    n    y    n    n    n    n    y    n    y    n    y    n
chat  group                        i    y    n    n    n    n    n    y    n    n    n    n    j    j    j    j    j    j
link  two-groups                   i    y    n    n    n    n    n    y    y    n    n    n    y    n    y    n    y    n
seen  two-groups                   i    y    n    n    n    n    n    y    y    n    n    n    y    n    y    n    y    n
chat  two-groups                   i    y    n    n    n    n    n    y    y    n    n    n    j    j    j    j    j    j
link  group,not-starter            i    s    n    n    n    n    n    y    n    n    n    n    s    s    s    n    y    n
seen  group,not-starter            i    s    n    n    n    n    n    y    n    n    n    n    s    s    s    n    y    n
chat  group,not-starter            i    s    n    n    n    n    n    y    n    n    n    n    j    j    j    j    j    j
link  consent:group                i    y    n    n    n    n    n    y    n    n    n    n    j    j    j    j    j    j
seen  consent:group                i    y    n    n    n    n    n    y    n    n    n    n    j    j    j    j    j    j
chat  consent:group                i    y    n    n    n    n    n    y    n    n    n    n    j    j    j    j    j    j
link  consent:users                i    n    n    n    n    y    n    n    n    n    n    y    j    j    j    j    j    j
seen  consent:users                i    n    n    n    n    y    n    n    n    n    n    y    j    j    j    j    j    j
chat  consent:users                i    n    n    n    n    y    n    n    n    n    n    y    j    j    j    j    j    j
link  consent:admins               i    n    n    n    n    n    n    n    n    y    y    n    j    j    j    j    j    j
seen  consent:admins               i    n    n    n    n    n    n    n    n    y    y    n    j    j    j    j    j    j
chat  consent:admins               i    n    n    n    n    n    n    n    n    y    y    n    j    j    j    j    j    j
link  consent:member's-address     i    n    n    n    n    y    n    n    n    n    n    n    j    j    j    j    j    j
seen  consent:member's-address     i    n    n    n    n    y    n    n    n    n    n    n    j    j    j    j    j    j
chat  consent:member's-address     i    n    n    n    n    y    n    n    n    n    n    n    j    j    j    j    j    j
link  consent:other's-address      i    n    n    y    n    n    n    n    n    n    n    n    j    j    j    j    j    j
seen  consent:other's-address      i    n    n    y    n    n    n    n    n    n    n    n    j    j    j    j    j    j
chat  consent:other's-address      i    n    n    y    n    n    n    n    n    n    n    n    j    j    j    j    j    j
link  consent:starter              i    y    n    n    n    n    n    n    n    n    n    n    j    j    j    j    j    j
seen  consent:starter              i    y    n    n    n    n    n    n    n    n    n    n    j    j    j    j    j    j
chat  consent:starter              i    y    n    n    n    n    n    n    n    n    n    n    j    j    j    j    j    j
link  consent:starter,not-starter  i    s    n    n    n    y    n    n    n    n    n    n    j    j    j    j    j    j
seen  consent:starter,not-starter  i    s    n    n    n    y    n    n    n    n    n    n    j    j    j    j    j    j
chat  consent:starter,not-starter  i    s    n    n    n    y    n    n    n    n    n    n    j    j    j    j    j    j
`;
const verdicts: Readonly<Record<string, Verdict>> = { y: "yes", i: "sign_in", s: "self", n: "not_approver", j: "job_token" };
const says: Readonly<Record<Verdict, string>> = {
  yes: "may",
  sign_in: "must sign in",
  self: "may not, having started it",
  not_approver: "is not an approver",
  job_token: "is not a person",
};

/** The access paths that each line of the table covers. */
const ways: Readonly<Record<string, { title: string; way: (mayStop: boolean) => AccessPath; only?: RegExp }[]>> = {
  link: [
    { title: "a link's address", way: () => ({ by: "link", mayStop: false }) },
    { title: "the page by a link", way: (mayStop) => ({ by: "link", mayStop }) },
  ],
  chat: [{ title: "a message in a chat", way: () => ({ by: "chat", mayStop: false }) }],
  seen: [
    { title: "the page without a link", way: (mayStop) => ({ by: "account", mayStop }) },
    { title: "the owner's route", way: (mayStop) => ({ by: "account", mayStop }), only: /^(?!consent)/ },
    { title: "the consent endpoint", way: () => ({ by: "account", mayStop: false }), only: /^consent/ },
  ],
};

const [[, ...columns] = [], ...lines] = table
  .trim()
  .split("\n")
  .map((line) => line.trim().split(/\s+/));
const cells = lines.flatMap(([at = "", rule = "", ...letters]) =>
  (ways[at] ?? []).flatMap(({ title, way, only }) =>
    only && !only.test(rule)
      ? []
      : letters.map((letter, index) => ({ rule, path: title, way, role: columns[index] ?? "", verdict: verdicts[letter] as Verdict })),
  ),
);

describe("decision rights", () => {
  it("the table contains each path, rule and role once", () => {
    expect(columns).toEqual(Object.keys(roles));
    expect(lines.map(([at, rule]) => `${at} ${rule}`).sort()).toEqual(
      Object.keys(rules)
        .flatMap((rule) => [`link ${rule}`, `chat ${rule}`, `seen ${rule}`])
        .sort(),
    );
    expect(lines.map(({ length }) => length - 2)).toEqual(lines.map(() => columns.length));
    expect(cells.every(({ verdict }) => verdict !== undefined)).toBe(true);
  });

  it.each(cells.map((cell) => ({ ...cell, who: roles[cell.role]?.title, says: says[cell.verdict] })))(
    "$rule, by $path: $who $says",
    ({ rule, way, role, verdict }) => {
      const { who, mayStop } = roles[role] as (typeof roles)[string];
      expect(authorize({ rules: rules[rule] as GateRules, starter: STARTER }, who, way(mayStop))).toBe(verdict);
    },
  );
});

describe("combined rules", () => {
  const principals = ["u/ann", "u/bob", "g/deciders", "g/auditors", "role:admin", "cleo@partner.example", "u/", "g/", "x/y", ""];
  const someRules = fc.record<GateRules>({
    required: fc.constant(1),
    people: fc.option(fc.subarray(principals), { nil: undefined }),
    signedIn: fc.boolean(),
    notStarter: fc.boolean(),
    personOnly: fc.boolean(),
  });
  const somebody = fc.constantFrom(...Object.values(roles).map(({ who }) => who));
  const someWay = fc.record<AccessPath>({ by: fc.constantFrom("link", "chat", "account"), mayStop: fc.boolean() });
  const always = (holds: (rules: GateRules, who: Approver, way: AccessPath) => void) =>
    fc.assert(fc.property(someRules, somebody, someWay, holds), { numRuns: 2000 });
  const verdict = (given: GateRules, who: Approver, way: AccessPath) => authorize({ rules: given, starter: STARTER }, who, way);

  it("a caller who has not signed in cannot decide a gate that requires a person", () => {
    always((given, _, way) => {
      const asksPerson = given.signedIn || given.notStarter || given.personOnly || given.people !== undefined;
      if (asksPerson || way.by === "account") expect(verdict(given, { kind: "link" }, way)).toBe("sign_in");
    });
  });

  it("a job cannot give a person's consent and cannot decide in a chat, and a starter cannot approve an own run if self-approval is disabled", () => {
    always((given, who, way) => {
      if ((given.personOnly || way.by === "chat") && who.kind === "job") expect(verdict(given, who, way)).toBe("job_token");
      const started = who.kind !== "link" && who.emails.includes(ann);
      if (given.notStarter && started) expect(verdict(given, who, way)).not.toBe("yes");
    });
  });

  it("an additional rule admits no caller, and the right to stop the run excludes none", () => {
    always((given, who, way) => {
      if (verdict(given, who, way) === "yes") {
        expect(verdict(given, who, { ...way, mayStop: true })).toBe("yes");
        return;
      }
      for (const more of [{ signedIn: true }, { notStarter: true }, { personOnly: true }]) {
        expect(verdict({ ...given, ...more }, who, way)).not.toBe("yes");
      }
    });
  });

  it("an empty list of approvers, or a list without existing approvers, admits no caller", () => {
    always((given, who, way) => {
      for (const people of [[], ["u/"], ["g/"], ["x/y"], [""]]) expect(verdict({ ...given, people }, who, way)).not.toBe("yes");
    });
  });
});
