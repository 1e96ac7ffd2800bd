import type { AccessDomain } from "../../contract/access/access-rule.ts";
import { kinds, kindsWith } from "../../contract/kinds/kinds.ts";

/** The kinds of objects at paths that have extra permissions (api.md §3.5), each with the domain of the rules for which these count. */
export const domainsOfKinds: Readonly<Record<string, AccessDomain>> = Object.fromEntries(
  kindsWith("isShared").flatMap((kind) => ("isMissing" in kinds[kind] ? [] : [[kind, kinds[kind].domain] as const])),
);

const kindsOfDomains = new Map(Object.entries(domainsOfKinds).map(([kind, domain]) => [domain, kind]));

/** Returns the kind of the objects of a domain, if they have extra permissions. */
export const findKind = (domain: AccessDomain): string | undefined => kindsOfDomains.get(domain);
