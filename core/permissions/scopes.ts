import type { AccessDomain, AccessRule } from "../../contract/access/access-rule.ts";
import { simpleKindNames } from "../../contract/kinds/kinds.ts";

interface ScopeDomain {
  name: AccessDomain;
  description?: string;
  /** Whether its objects have paths, so that a scope may contain one. */
  paths: boolean;
}
const domains: readonly ScopeDomain[] = [
  { name: "scripts", paths: true },
  { name: "flows", paths: true },
  { name: "variables", paths: true, description: "Read access includes the values of secrets." },
  { name: "resources", paths: true },
  { name: "schedules", paths: true },
  { name: "apps", paths: true },
  { name: "http_triggers", paths: true },
  { name: "sqs_triggers", paths: true },
  { name: "aws_triggers", paths: true },
  { name: "email_triggers", paths: true },
  ...simpleKindNames.map((kind) => ({ name: `${kind}s` as AccessDomain, paths: true })),
  { name: "files", paths: false },
  { name: "folders", paths: false },
  { name: "groups", paths: false },
  { name: "users", paths: false },
  { name: "acls", paths: true },
  { name: "workspaces", paths: false },
  { name: "audit", paths: false },
  { name: "approvals", paths: false, description: "A decision requires `approvals:write`." },
  { name: "settings", paths: false },
  { name: "encryption_key", paths: false, description: "The key that encrypts exported secrets. No other scope includes it." },
  { name: "signing_secret", paths: false, description: "The secret that signs webhooks. No other scope includes it." },
];

const readWrite = ({ name, paths }: ScopeDomain) =>
  (["read", "write"] as const).map((verb) => ({
    value: `${name}:${verb}`,
    label: verb === "read" ? `Read ${name}` : `Read and change ${name}`,
    requires_resource_path: paths,
  }));

/** The response of `/tokens/list/scopes`. A scope without a path applies to every path. */
export const scopeList = [
  {
    name: "jobs",
    description: "Jobs and their results. A webhook token carries one scope jobs:run:scripts:<path> or jobs:run:flows:<path>.",
    scopes: [
      { value: "jobs:read", label: "Read jobs", requires_resource_path: true },
      { value: "jobs:write", label: "Read, cancel and erase jobs", requires_resource_path: true },
      { value: "jobs:run", label: "Run anything", requires_resource_path: false },
      { value: "jobs:run:scripts", label: "Run scripts", requires_resource_path: true },
      { value: "jobs:run:flows", label: "Run flows", requires_resource_path: true },
      { value: "jobs:run:preview", label: "Run code that is not stored", requires_resource_path: false },
    ],
  },
  ...domains.map((domain) => ({
    name: domain.name,
    ...(domain.description ? { description: domain.description } : {}),
    scopes: readWrite(domain),
  })),
  {
    name: "oidc",
    description: "ID tokens, by which other services recognise the caller.",
    scopes: [{ value: "oidc:write", label: "Create ID tokens", requires_resource_path: false }],
  },
];
const scopesByValue = new Map(scopeList.flatMap(({ scopes }) => scopes).map((scope) => [scope.value, scope]));
const PATH = /^(\*|[uf]\/[A-Za-z0-9_*-]+(\/[A-Za-z0-9_][A-Za-z0-9_.-]*)*(\/\*)?)$/;

interface Scope {
  value: string;
  path: string | undefined;
}
/** Parses a scope. Returns `undefined` if there is no such scope. */
export function parseScope(text: string): Scope | undefined {
  if (scopesByValue.has(text)) return { value: text, path: undefined };
  const at = text.lastIndexOf(":");
  const value = text.slice(0, at);
  const path = text.slice(at + 1);
  return scopesByValue.get(value)?.requires_resource_path && PATH.test(path) ? { value, path } : undefined;
}

const reaches = (pattern: string, path: string) =>
  pattern === "*" || pattern === path || (pattern.endsWith("/*") && path.startsWith(pattern.slice(0, -1)));

/** Returns whether a scope names a path, and allows its holder to run the script or flow at `path`. */
export function namesRunOf(text: string, runs: "scripts" | "flows", path: string): boolean {
  const scope = parseScope(text);
  return scope?.value === `jobs:run:${runs}` && scope.path !== undefined && reaches(scope.path, path);
}

/**
 * Returns whether one of the scopes allows a call. Without a `path`, a scope that names a path allows the call only if the handler checks
 * each object itself (`checkedLater`).
 */
export function scopesAllow(
  scopes: readonly string[],
  { domain, verb, runs }: Pick<AccessRule, "domain" | "verb" | "runs">,
  path: string | undefined,
  checkedLater: boolean,
): boolean {
  const values = {
    read: [`${domain}:read`, `${domain}:write`],
    write: [`${domain}:write`],
    run: [`${domain}:run`, ...(runs ? [`${domain}:run:${runs}`] : [])],
  }[verb];
  return scopes.some((text) => {
    const scope = parseScope(text);
    if (!scope || !values.includes(scope.value)) return false;
    if (scope.path === undefined) return true;
    return path === undefined ? checkedLater : reaches(scope.path, path);
  });
}
