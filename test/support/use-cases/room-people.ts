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
