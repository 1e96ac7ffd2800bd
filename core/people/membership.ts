import * as z from "zod";
import { inviteSchema } from "../../contract/routes/people/invite.ts";
import { defineObject, inQueue, inWorkspace, withoutValue } from "../objects/define-object.ts";

/** The owner of a username in a workspace. */
export const usernameObject = defineObject({
  name: "username",
  partition: "NAME",
  ...inWorkspace,
  sort: (username: string) => username.toLowerCase(),
  schema: z.object({ email: z.string().optional() }),
});

/** The last owner of a username after that user left: `u/<username>/…` still belongs to the user. */
export const formerUsernameObject = defineObject({
  name: "former username",
  partition: "FORMER",
  ...inWorkspace,
  sort: (username: string) => username.toLowerCase(),
  ...withoutValue,
});

export const inviteObject = defineObject({
  name: "invitation",
  partition: "INVITES",
  ...inWorkspace,
  sort: (person: string) => person,
  schema: inviteSchema,
});

/** A user who lost all rights in a workspace, or with an empty name in all of them, until housekeeping has ended the user's waiting runs. */
export const removalObject = defineObject({
  name: "removed user",
  partition: "REMOVALS",
  sort: (workspace: string, person: string) => `${workspace}#${person}`,
  ...inQueue(0),
  ...withoutValue,
});
