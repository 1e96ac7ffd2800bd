import type { Person } from "../../../core/people/actor.ts";

/** A superadmin as the calls of one of their tokens name them: the person whose jobs the builders make. */
export const anAdmin: Person = {
  kind: "person",
  email: "ann@example.com",
  username: "ann",
  superAdmin: true,
  tokenHash: "",
  tokenPrefix: "",
};
