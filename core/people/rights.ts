import * as z from "zod";

/** The role of a member in a workspace. */
export const roleSchema = z.enum(["admin", "developer", "operator"]);
export type Role = z.infer<typeof roleSchema>;
/** Each right includes the preceding ones. */
export type Right = "read" | "write" | "owner";

/** The rights of one member in one workspace, derived from the member's role and the workspace's access. */
export interface Rights {
  workspace: string;
  role: Role;
  groups: string[];
  folders: Readonly<Record<string, Right>>;
  objects: Readonly<Record<string, Right>>;
  /** A job has these rights as a group, not as a member. */
  asGroup?: true;
}
