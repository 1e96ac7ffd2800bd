import type { usersText } from "../../messages/objects/people.ts";

export type Role = keyof typeof usersText.roles;

interface RoleFlags {
  is_admin: boolean;
  operator: boolean;
}

/** Returns the role of a member. An administrator is never limited as an operator is. */
export const roleOf = ({ is_admin, operator }: RoleFlags): Role => (is_admin ? "admin" : operator ? "operator" : "developer");

/** Returns the flags of a role. */
export const rolesOf = (role: Role): RoleFlags => ({ is_admin: role === "admin", operator: role === "operator" });

export interface UserValues {
  email: string;
  username: string;
  role: Role;
  isInvited: boolean;
}

export const newUser: UserValues = { email: "", username: "", role: "developer", isInvited: false };
