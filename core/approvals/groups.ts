import type { Access } from "../permissions/access.ts";
import { trimGroupPrefix } from "./rules.ts";

/**
 * Describes why the required number of approvals is impossible: the groups have too few members. Returns `undefined` if they have enough,
 * or if a group cannot be counted: a group of the instance, or `all`.
 */
export function describeMissingMembers({ groups }: Access, names: readonly string[], required: number): string | undefined {
  const groupNames = names.map(trimGroupPrefix);
  if (groupNames.length === 0 || groupNames.some((name) => !Object.hasOwn(groups, name))) return undefined;
  const members = new Set(groupNames.flatMap((name) => groups[name]?.members ?? []));
  if (members.size >= required) return undefined;
  return `${required} approvals are required, but ${groupNames.join(", ")} has only ${members.size} members`;
}
