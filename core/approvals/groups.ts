import type { Access } from "../permissions/access.ts";
import { trimGroupPrefix } from "./rules.ts";

/**
 * Why so many approvals will never come: there are fewer people in the groups. `undefined` where there are enough, or where nobody is counted here:
 * in a group of the whole instance, and in `all`.
 */
export function describeMissingMembers({ groups }: Access, names: readonly string[], required: number): string | undefined {
  const wanted = names.map(trimGroupPrefix);
  if (wanted.length === 0 || wanted.some((name) => !Object.hasOwn(groups, name))) return undefined;
  const members = new Set(wanted.flatMap((name) => groups[name]?.members ?? []));
  if (members.size >= required) return undefined;
  return `${required} approvals are required, but ${wanted.join(", ")} has only ${members.size} members`;
}
