import { SvcError } from "../../contract/errors.ts";
import type { OpenapiRequest } from "../../contract/routes/triggers/openapi-documents.ts";
import { createPatternEngine } from "../patterns/pattern-engine.ts";
import { PatternError } from "../patterns/translate-pattern.ts";

type Match = (text: string) => boolean;
export type RunnableKind = "script" | "flow";

/** The routes and webhooks of a document. */
export interface Selection {
  /** Absent if the document contains no routes. */
  matchesRoute?: (path: string, routePath: string) => boolean;
  matchesWebhook?: (kind: RunnableKind, path: string) => boolean;
}

/**
 * Returns functions that apply the filters of a request: they select everything without both lists, otherwise everything that matches one of the
 * filters. They throw `body.shape` for an expression that is invalid or takes too long, with its position in the body.
 */
export function readSelection({ http_route_filters: routes, webhook_filters: webhooks }: OpenapiRequest): Selection {
  if (!routes && !webhooks) return { matchesRoute: () => true, matchesWebhook: () => true };
  const ofRoutes = (routes ?? []).map((filter, index) => {
    const [folder, path, address] = (["folder_regex", "path_regex", "route_path_regex"] as const).map((field) =>
      compile(filter[field], `http_route_filters.${index}.${field}`),
    ) as [Match, Match, Match];
    const isAnyFolder = filter.folder_regex === "*";
    return (at: string, routePath: string) => {
      const { space, owner, rest } = splitPath(at);
      return (isAnyFolder || (space === "f" && folder(owner))) && (path(rest) || path(at)) && address(routePath.replace(/^\//, ""));
    };
  });
  const ofWebhooks = (webhooks ?? []).map((filter, index) => {
    const owner = compile(filter.user_or_folder_regex_value, `webhook_filters.${index}.user_or_folder_regex_value`);
    const path = compile(filter.path, `webhook_filters.${index}.path`);
    return (kind: RunnableKind, at: string) => {
      const split = splitPath(at);
      const isInSpace = filter.user_or_folder_regex === "*" || filter.user_or_folder_regex === split.space;
      return kind === filter.runnable_kind && isInSpace && owner(split.owner) && (path(split.rest) || path(at));
    };
  });
  return {
    ...(ofRoutes.length > 0 ? { matchesRoute: (path, routePath) => ofRoutes.some((matches) => matches(path, routePath)) } : {}),
    ...(ofWebhooks.length > 0 ? { matchesWebhook: (kind, path) => ofWebhooks.some((matches) => matches(kind, path)) } : {}),
  };
}

function splitPath(path: string): { space: string; owner: string; rest: string } {
  const [space = "", owner = "", ...rest] = path.split("/");
  return { space, owner, rest: rest.join("/") };
}

function compile(expression: string, path: string): Match {
  if (expression === "*") return () => true;
  const orRefuse = <T>(action: () => T): T => {
    try {
      return action();
    } catch (error) {
      if (!(error instanceof PatternError)) throw error;
      throw new SvcError("body.shape", { issues: [{ path, reason: `the expression ${error.reason}` }] });
    }
  };
  // Compiled alone first, because the group around it could turn an invalid expression such as `a)(b` into a valid one.
  orRefuse(() => createPatternEngine()(expression));
  const whole = orRefuse(() => createPatternEngine()(`^(?:${expression})$`));
  const results = new Map<string, boolean>();
  return (text) => {
    const matches = results.get(text) ?? orRefuse(() => whole.test(text));
    results.set(text, matches);
    return matches;
  };
}
