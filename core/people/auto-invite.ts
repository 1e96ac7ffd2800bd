import * as z from "zod";
import { anyJson } from "../../contract/common.ts";
import { type AutoInvite, type AutoInviteRequest, autoInviteSchema } from "../../contract/routes/workspaces/setting-schemas.ts";
import { defineSetting } from "../objects/setting.ts";
import type { StoredObject } from "../objects/write.ts";
import { parseRecord } from "../records/record-format.ts";

/** The groups are JSON text, so that they are returned exactly as they were sent. */
const storedAutoInviteSchema = autoInviteSchema
  .omit({ instance_groups: true, instance_groups_roles: true })
  .extend({ groups: z.string().optional() });
export const autoInviteSetting = defineSetting("auto_invite", storedAutoInviteSchema);
const groupsSchema = z.object({ instance_groups: anyJson.optional(), instance_groups_roles: anyJson.optional() });

/** Returns the stored form of the setting. */
export function toStoredAutoInvite({
  instance_groups,
  instance_groups_roles,
  ...autoInvite
}: AutoInvite): z.infer<typeof storedAutoInviteSchema> {
  const groups = JSON.stringify({ instance_groups, instance_groups_roles });
  return { ...autoInvite, ...(groups === "{}" ? {} : { groups }) };
}

/** Returns the setting that an object stores. Throws `UnreadableRecordError`. */
export function parseStoredAutoInvite(found: StoredObject): AutoInvite {
  const { groups: json = "{}", ...autoInvite } = autoInviteSetting.parse(found);
  return { ...autoInvite, ...parseRecord(groupsSchema, { parent: found.pk, ref: found.sk, json }) };
}

const domainOf = (email: string) => email.slice(email.lastIndexOf("@") + 1).toLowerCase();

/**
 * Converts a request to the setting. Returns `undefined` for a request that contains nothing: no user joins automatically. Groups that a request
 * omits remain, because clients that know only the other fields would remove them.
 */
export function toAutoInvite(request: AutoInviteRequest, adminEmail: string, before?: AutoInvite): AutoInvite | undefined {
  const { operator, invite_all: all, auto_add: add, instance_groups, instance_groups_roles } = request;
  const enabled = operator != null || all != null || add != null;
  if (!enabled && instance_groups == null && instance_groups_roles == null) return undefined;
  const groups = instance_groups === undefined ? before?.instance_groups : instance_groups;
  const roles = instance_groups_roles === undefined ? before?.instance_groups_roles : instance_groups_roles;
  return {
    enabled,
    domain: all ? "*" : domainOf(adminEmail),
    operator: operator ?? false,
    mode: add ? "add" : "invite",
    ...(groups == null ? {} : { instance_groups: groups }),
    ...(roles == null ? {} : { instance_groups_roles: roles }),
  };
}

/** Returns whether a new user of the instance joins the workspace automatically. */
export function acceptsNewUser(autoInvite: AutoInvite | undefined, email: string): boolean {
  return autoInvite?.enabled === true && (autoInvite.domain === "*" || autoInvite.domain === domainOf(email));
}
