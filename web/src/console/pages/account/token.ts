import type { TokenBadge } from "../../../../../contract/routes/people/tokens.ts";
import { tokensText } from "../../messages/account.ts";

const DAY_MS = 24 * 3600_000;

export interface Mark {
  tone: "red" | "amber";
  text: string;
}

/** Returns the mark of a token that has expired or expires soon. */
export function markOf({ badge, expiration }: { badge: TokenBadge; expiration?: string | undefined }, nowMs: number): Mark | undefined {
  if (badge === "none" || expiration === undefined) return undefined;
  const leftMs = Date.parse(expiration) - nowMs;
  if (badge === "expired" || leftMs <= 0) return { tone: "red", text: tokensText.expired };
  return { tone: badge === "critical" ? "red" : "amber", text: tokensText.expiresIn(Math.ceil(leftMs / DAY_MS)) };
}

const RUN_SCOPE = /^jobs:run:(scripts|flows):([^*]+)$/;

/** Returns the script or flow that a token runs, if it can do nothing else. */
export function targetOf(scopes: readonly string[] | undefined): { kind: "scripts" | "flows"; path: string } | undefined {
  const [scope = "", ...others] = scopes ?? [];
  const [, kind, path] = RUN_SCOPE.exec(scope) ?? [];
  if (others.length > 0 || path === undefined) return undefined;
  return { kind: kind === "flows" ? "flows" : "scripts", path };
}

/** Returns the scopes of a new token from the chosen ones and the paths typed for each. Without any, the token is not limited. */
export function toScopes(chosen: readonly string[], paths: Readonly<Record<string, string>>): string[] | undefined {
  if (chosen.length === 0) return undefined;
  return chosen.flatMap((scope) => {
    const named = (paths[scope] ?? "").split(/[\s,]+/).filter((path) => path !== "");
    return named.length === 0 ? [scope] : named.map((path) => `${scope}:${path}`);
  });
}
