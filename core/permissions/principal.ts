/** A principal of an approval rule: `role:admin`, `g/<group>`, `u/<username>` or an e-mail address. */
export type Principal = { kind: "admins" } | { kind: "group" | "user"; name: string } | { kind: "address"; email: string };

/** Parses a principal. Text of no other form counts as an e-mail address. */
export function parsePrincipal(text: string): Principal {
  if (text === "role:admin") return { kind: "admins" };
  const [, space, name = ""] = /^([ug])\/(.+)$/.exec(text) ?? [];
  if (space) return { kind: space === "g" ? "group" : "user", name };
  return { kind: "address", email: text };
}
