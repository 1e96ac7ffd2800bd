import { randomUUID } from "node:crypto";
import { beforeEach, describe, expect, it } from "vitest";
import { INSTANCE } from "../../contract/common.ts";
import { type Endpoint, endpointObject, INSTANCE_ENDPOINT } from "../../core/events/endpoint.ts";
import { INSTANCE_EVENTS_URL } from "../../core/settings/instance.ts";
import { countWrite, expectToSurviveFaults, withFault } from "../../test/support/use-cases/failing-writes.ts";
import { newWorld, type World } from "../../test/support/use-cases/world.ts";
import { listEvents } from "../../test/support/use-cases/world-events.ts";
import { addWorkspace } from "../../test/support/use-cases/world-jobs.ts";
import { repeat } from "../../test/support/use-cases/world-objects.ts";
import { anAdmin } from "../../test/support/use-cases/world-people.ts";
import { listInstanceEndpoints, testInstanceEndpoint } from "../events/instance-webhook.ts";
import { overwriteUsers } from "../identity/overwrite.ts";
import { setUpInstance } from "../identity/set-up.ts";
import { beginLogin, completeLogin } from "../identity/sign-in/federated-login.ts";
import { openSession } from "../identity/sign-in/sign-in.ts";
import { createUser, findPerson, loadPerson } from "../identity/users.ts";
import { getGlobalSetting, setGlobalSetting } from "../settings/instance.ts";
import { addMember } from "../workspaces/add-member.ts";
import { setAutoInvite } from "../workspaces/auto-invite.ts";
import { acceptInvite, inviteUser } from "../workspaces/invites.ts";
import { createWorkspace } from "../workspaces/workspaces.ts";

const OF_DEPLOYMENT = "https://deployment.example.com/hook";
const OF_SETTING = "https://setting.example.com/hook";

let world: World;
beforeEach(async () => {
  world = await newWorld();
  await addWorkspace(world);
});

const people = {
  ensureUser: (_: string, password: string) =>
    countWrite("SetPassword", async () => {
      if (password === "refused") throw new Error("InvalidPasswordException");
    }),
  deleteUser: async () => undefined,
} as unknown as Parameters<typeof createUser>[0]["people"];
/** The dependencies of a deployment that names a receiver. */
const deps = () => ({ ...world.deps, people, instanceEventsUrl: OF_DEPLOYMENT as string | undefined });

const newEmail = () => `${randomUUID()}@example.com`;
const usernameOf = (email: string) => email.split("@")[0];
const events = async (about?: string) => {
  const found = await listEvents({ ...world, workspace: INSTANCE });
  return found.flatMap(({ type, data }) => (about && !JSON.stringify(data).includes(about) ? [] : [{ type, data }]));
};
const endpoint = async () => (await world.deps.objects.get(endpointObject.key(INSTANCE, INSTANCE_ENDPOINT)))?.value as Endpoint | undefined;
const set = (value: unknown) => setGlobalSetting(world.deps, INSTANCE_EVENTS_URL, value);
const add = (more: Partial<ReturnType<typeof deps>> = {}) => createUser({ ...deps(), ...more }, { email: newEmail(), super_admin: false });

/** Signs in through a provider that has verified the address. */
async function signInWithProvider(email: string): Promise<void> {
  const state = randomUUID();
  const logins = {
    all: [{ name: "acme" }],
    beginSignIn: async () => ({ location: "", state, nonce: "n", verifier: "v" }),
    redeemCode: async () => ({ email, email_verified: true, name: "New" }),
  } as unknown as Parameters<typeof beginLogin>[0]["logins"];
  const all = { ...deps(), logins };
  const { pending } = await beginLogin(all, "acme", undefined);
  await completeLogin(all, "acme", { code: "c", state }, { cookie: pending, address: "203.0.113.9" });
}

async function signInFirst(email: string): Promise<void> {
  await createUser(world.deps as ReturnType<typeof deps>, { email, super_admin: false });
  await openSession(deps(), (await loadPerson(world.deps, email)).person, { operation: "users.login", address: "" });
}
const autoInvite = (mode: "add" | "invite") =>
  setAutoInvite(world.deps, world.workspace, { request: { invite_all: true, auto_add: mode === "add" }, adminEmail: anAdmin.email });
const asMember = (email: string, username?: string) => ({ email, is_admin: false, operator: false, ...(username ? { username } : {}) });

describe("the receiver of the instance's events receives", () => {
  const cases: [string, (email: string) => Promise<unknown>, (email: string) => unknown[]][] = [
    [
      "UserAdded of a new user without a password",
      (email) => createUser(deps(), { email, super_admin: false }),
      (email) => [{ type: "UserAdded", data: { email, username: usernameOf(email) } }],
    ],
    [
      "UserAdded of a new user with a password, once",
      (email) => createUser(deps(), { email, password: "correct horse", super_admin: false }),
      (email) => [{ type: "UserAdded", data: { email, username: usernameOf(email) } }],
    ],
    [
      "nothing of a user whose password is refused",
      (email) => createUser(deps(), { email, password: "refused", super_admin: false }).catch(() => undefined),
      () => [],
    ],
    [
      "nothing of a user who exists",
      async (email) => {
        await createUser(world.deps as ReturnType<typeof deps>, { email, super_admin: false });
        await createUser(deps(), { email, super_admin: false }).catch(() => undefined);
      },
      () => [],
    ],
    [
      "UserAdded of a user in an imported list",
      async (email) => {
        const user = { super_admin: false, verified: true, first_time_user: false, disabled: false };
        await overwriteUsers(deps(), [
          { ...user, email: "ann@example.com", super_admin: true },
          { ...user, email, username: "imported" },
        ]);
      },
      (email) => [{ type: "UserAdded", data: { email, username: "imported" } }],
    ],
    [
      "UserSignupOauth of the first sign-in through a provider, and nothing of the second",
      async (email) => {
        await setGlobalSetting(world.deps, "require_preexisting_user_for_oauth", false);
        await signInWithProvider(email);
        await signInWithProvider(email);
      },
      (email) => [{ type: "UserSignupOauth", data: { email, username: usernameOf(email) } }],
    ],
    [
      "UserInvitedWorkspace of an invitation",
      (email) => inviteUser(deps(), world.workspace, asMember(email)),
      (email) => [{ type: "UserInvitedWorkspace", data: { email, workspace: world.workspace } }],
    ],
    [
      "UserJoinedWorkspace of an accepted invitation",
      async (email) => {
        await createUser(world.deps as ReturnType<typeof deps>, { email, super_admin: false });
        await inviteUser(world.deps, world.workspace, asMember(email));
        await acceptInvite(deps(), { ...anAdmin, email }, world.workspace, "chosen");
      },
      (email) => [{ type: "UserJoinedWorkspace", data: { email, workspace: world.workspace, username: "chosen" } }],
    ],
    [
      "UserAdded and UserJoinedWorkspace of a new user who is added to a workspace",
      (email) => addMember(deps(), world.workspace, asMember(email, "named"), { inherits: true }),
      (email) => [
        { type: "UserAdded", data: { email, username: usernameOf(email) } },
        { type: "UserJoinedWorkspace", data: { email, workspace: world.workspace, username: "named" } },
      ],
    ],
    [
      "nothing of a member who is added again, or invited",
      async (email) => {
        await addMember(world.deps, world.workspace, asMember(email, "named"), { inherits: true });
        await repeat(() => addMember(deps(), world.workspace, asMember(email), { inherits: false }), ["member.exists"]);
        await repeat(() => inviteUser(deps(), world.workspace, asMember(email)), ["member.exists"]);
      },
      () => [],
    ],
    [
      "UserJoinedWorkspace of a user whom a workspace adds automatically",
      async (email) => {
        await autoInvite("add");
        await signInFirst(email);
      },
      (email) => [{ type: "UserJoinedWorkspace", data: { email, workspace: world.workspace, username: usernameOf(email) } }],
    ],
    [
      "UserInvitedWorkspace of a user whom a workspace invites automatically",
      async (email) => {
        await autoInvite("invite");
        await signInFirst(email);
      },
      (email) => [{ type: "UserInvitedWorkspace", data: { email, workspace: world.workspace } }],
    ],
    [
      "UserJoinedWorkspace of the user who creates a workspace",
      (email) => createWorkspace(deps(), { ...anAdmin, email }, { id: "fresh", name: "Fresh", username: "creator" }),
      (email) => [{ type: "UserJoinedWorkspace", data: { email, workspace: "fresh", username: "creator" } }],
    ],
    [
      "UserAdded and UserJoinedWorkspace of the first administrator, once",
      async (email) => {
        for (let time = 0; time < 2; time += 1) await setUpInstance(deps(), { email, workspace: { id: "first", name: "First" } });
      },
      (email) => [
        { type: "UserAdded", data: { email, username: usernameOf(email) } },
        { type: "UserJoinedWorkspace", data: { email, workspace: "first", username: usernameOf(email) } },
      ],
    ],
  ];

  it.each(cases)("%s", async (_, change, expected) => {
    const email = newEmail();
    await change(email);
    expect(await events(email)).toEqual(expected(email));
  });
});

describe("the receiver of the instance's events", () => {
  it("gets nothing without a URL, and nothing is written", async () => {
    await add({ instanceEventsUrl: undefined });
    await add({ instanceEventsUrl: "" });
    expect([await events(), await endpoint()]).toEqual([[], undefined]);
  });

  it("is shown neither to a job of a superadmin nor to a token for one workspace", async () => {
    const { email, username, superAdmin } = anAdmin;
    const job = { kind: "job", jobId: "j", attempt: 1, workspace: world.workspace, permissionedAs: "u/ann" } as const;
    for (const actor of [
      { email, username, superAdmin, ...job },
      { ...anAdmin, workspace: world.workspace },
    ]) {
      await expect(getGlobalSetting(world.deps, actor, INSTANCE_EVENTS_URL)).rejects.toMatchObject({ code: "auth.forbidden" });
    }
  });

  it("is the one of the deployment until a setting names another one, or none", async () => {
    await add();
    expect(await endpoint()).toMatchObject({ url: OF_DEPLOYMENT, enabled: true });
    await set(OF_SETTING);
    await add();
    expect([await endpoint(), await getGlobalSetting(world.deps, anAdmin, INSTANCE_EVENTS_URL)]).toMatchObject([
      { url: OF_SETTING },
      { json: OF_SETTING },
    ]);
    expect(await events()).toHaveLength(2);
    await set("");
    await add();
    expect([await events(), await endpoint()]).toMatchObject([{ length: 2 }, undefined]);
    await set(null);
    await add();
    expect([await events(), await endpoint()]).toMatchObject([{ length: 3 }, { url: OF_DEPLOYMENT }]);
  });

  it("needs only the setting, and is enabled again when the setting is saved again", async () => {
    await set(OF_SETTING);
    const { pk, sk } = endpointObject.key(INSTANCE, INSTANCE_ENDPOINT);
    await world.deps.objects.update({ pk, sk, value: { ...(await endpoint()), enabled: false, disabledReason: "failed" } });
    await add({ instanceEventsUrl: undefined });
    expect([await events(), await endpoint()]).toMatchObject([{ length: 1 }, { enabled: false }]);
    await set(OF_SETTING);
    expect(await endpoint()).toMatchObject({ url: OF_SETTING, enabled: true });
    expect(await endpoint()).not.toHaveProperty("disabledReason");
  });

  it("is listed and tested before and after its first event", async () => {
    const without = { ...deps(), instanceEventsUrl: undefined };
    expect(await listInstanceEndpoints(without)).toEqual([]);
    await expect(testInstanceEndpoint(without, anAdmin)).rejects.toMatchObject({ code: "webhook.notFound" });
    expect(await listInstanceEndpoints(deps())).toMatchObject([{ id: "instance", url: OF_DEPLOYMENT, enabled: true }]);
    expect(await endpoint()).toBeUndefined();
    for (let time = 0; time < 2; time += 1) await testInstanceEndpoint(deps(), anAdmin);
    const test = { type: "svc.test", data: { endpoint: "instance" } };
    expect([await endpoint(), await events()]).toMatchObject([{ url: OF_DEPLOYMENT }, [test, test]]);
  });

  it.each([
    "ftp://example.com",
    "example.com",
    "https://user:secret@example.com/",
    `https://example.com/${"x".repeat(2000)}`,
    7,
    true,
    ["a"],
  ])("cannot be %j", async (url) => {
    await expect(set(url)).rejects.toMatchObject({ code: "setting.value" });
    expect(await endpoint()).toBeUndefined();
  });
});

describe("whichever write fails,", () => {
  it("a user who exists was reported once, and no other one", async () => {
    for (const password of ["correct horse", undefined]) {
      await expectToSurviveFaults(async () => {
        const email = newEmail();
        const act = () => createUser(deps(), { email, ...(password ? { password } : {}), super_admin: false });
        return {
          act,
          recover: async () => {
            await repeat(act, ["user.exists", "engine.busy"]);
            world.clock.nowMs += 31_000;
            await repeat(act, ["user.exists"]);
          },
          check: async () => expect(await events(email)).toHaveLength((await findPerson(world.deps.objects, email)) ? 1 : 0),
        };
      });
    }
  });

  it("a member was reported once, as a user and as a member", async () => {
    await expectToSurviveFaults(async () => {
      const email = newEmail();
      const act = () => addMember(deps(), world.workspace, asMember(email), { inherits: false });
      return {
        act,
        recover: () => repeat(act, ["member.exists"]),
        check: async () => expect((await events(email)).map(({ type }) => type)).toEqual(["UserAdded", "UserJoinedWorkspace"]),
      };
    });
  });

  it("a user who signs in before the call that creates them was complete is reported once", async () => {
    const email = newEmail();
    const act = () => createUser(deps(), { email, password: "correct horse", super_admin: false });
    await withFault({ write: 3, moment: "before", kind: "death" }, act);
    expect(await events(email)).toEqual([]);
    const { person } = await loadPerson(world.deps, email);
    const signIn = () => openSession(deps(), person, { operation: "users.login", address: "" });
    await Promise.all([signIn(), signIn()]);
    world.clock.nowMs += 31_000;
    await repeat(act, ["user.exists"]);
    expect(await events(email)).toMatchObject([{ type: "UserAdded" }]);
  });
});
