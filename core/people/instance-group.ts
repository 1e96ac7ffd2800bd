import * as z from "zod";
import { defineObject } from "../objects/define-object.ts";

export const instanceGroupObject = defineObject({
  name: "group of the instance",
  partition: "GROUPS",
  sort: (name: string) => name,
  belongsTo: "none",
  schema: z.object({ name: z.string(), summary: z.string().optional() }),
});

/** The role that a group of the instance gives its members. */
export const instanceGroupRoleObject = defineObject({
  name: "role of a group",
  partition: "GROUPROLES",
  sort: (name: string) => name,
  belongsTo: "none",
  schema: z.object({ role: z.enum(["superadmin", "devops", "user"]) }),
});
