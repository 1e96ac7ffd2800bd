import type { Person } from "../../../core/people/actor.ts";

/** A superadmin as the caller behind one of their tokens: the user whose jobs the builders create. */
export const anAdmin: Person = {
  kind: "person",
  email: "ann@example.com",
  username: "ann",
  superAdmin: true,
  tokenHash: "",
  tokenPrefix: "",
};

/** A developer who is in one group and may read the objects of these folders. */
export const aReader = (workspace: string, folders: string[]): Person => ({
  ...anAdmin,
  email: "bob@example.com",
  username: "bob",
  superAdmin: false,
  rights: {
    workspace,
    role: "developer",
    groups: ["readers"],
    folders: Object.fromEntries(folders.map((name) => [name, "read" as const])),
    objects: {},
  },
});
