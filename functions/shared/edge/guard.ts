import type { AccessRule, HiddenCode } from "../../../contract/access/access-rule.ts";
import { SvcError } from "../../../contract/errors.ts";
import type { Route } from "../../../contract/route.ts";
import { assertNever } from "../../../contract/utilities/assert-never.ts";
import type { Actor } from "../../../core/people/actor.ts";
import type { Target } from "../../../core/permissions/may.ts";
import { findKind } from "../../../core/permissions/object-kinds.ts";
import { permit, toForbidden } from "../../../services/identity/permit.ts";

type PathParts = Readonly<Record<string, string>>;

/** Open routes and the runners' internal routes have no access rule to check. */
function requireAccessRule({ name, access }: Route): AccessRule {
  if (access === "open" || access === "job") throw new Error(`The route ${name} has no access rule.`);
  return access;
}

/** Returns the object that the path parts of a call name, as the route's access declares it. */
export function toTarget(route: Route, { workspace, path = "", name = "", kind = "" }: PathParts): Target {
  const access = requireAccessRule(route);
  switch (access.target) {
    case "path":
      return { workspace, path };
    case "folder":
      return { workspace, path: `f/${name}` };
    case "group":
      return { workspace, path: `g/${name}` };
    case "object":
      return { workspace, path: `${namePrefixes[kind] ?? ""}${path}`, kind };
    case "version":
    case "job":
    case "request":
    case "list":
    case "none":
      return { workspace };
    default:
      return assertNever(access);
  }
}

/** Addresses name folders and groups without `f/` and `g/`. */
export const namePrefixes: Readonly<Record<string, string>> = { folder: "f/", group_: "g/" };

/**
 * Checks a call against the access of its route, before the handler runs. Throws `auth.forbidden`, `workspace.notFound`, `workspace.archived`,
 * and the route's own 404 for an object that the caller may not see. A route with `hiddenAs: false` is checked without its path: its handler
 * replies false.
 */
export function checkAccess(actor: Actor, route: Route, params: PathParts, target = toTarget(route, params)): void {
  const { path, ...pathless } = target;
  const { name } = route;
  const access = requireAccessRule(route);
  const { hiddenAs } = access;
  permit(actor, { name, access }, hiddenAs === false ? pathless : target, () =>
    hiddenAs ? hiddenErrors[hiddenAs]({ kind: findKind(access.domain) ?? "", ...params }) : toForbidden(actor, { name, access }, target),
  );
  checkWorkspaceState(actor, access, target.workspace);
}

/** Checked after the rights, so that the reply does not reveal whether a workspace exists. */
function checkWorkspaceState({ workspaceState }: Actor, { verb, inArchive }: AccessRule, workspace = ""): void {
  if (workspaceState === "deleted") throw new SvcError("workspace.notFound", { workspace });
  if (workspaceState === undefined || verb === "read" || inArchive) return;
  throw new SvcError("workspace.archived", { workspace });
}

/** The same errors that the handlers throw for an absent object. */
const hiddenErrors: { readonly [C in HiddenCode]: (parts: PathParts) => SvcError<C> } = {
  "script.notFound": ({ path = "" }) => new SvcError("script.notFound", { path }),
  "script.versionNotFound": ({ hash = "" }) => new SvcError("script.versionNotFound", { hash }),
  "flow.notFound": ({ path = "" }) => new SvcError("flow.notFound", { path }),
  "flow.versionNotFound": ({ version = "" }) => new SvcError("flow.versionNotFound", { version }),
  "variable.notFound": ({ path = "" }) => new SvcError("variable.notFound", { path }),
  "resource.notFound": ({ path = "" }) => new SvcError("resource.notFound", { path }),
  "app.notFound": ({ path = "" }) => new SvcError("app.notFound", { path }),
  "app.versionNotFound": ({ version = "" }) => new SvcError("app.versionNotFound", { version: String(version) }),
  "schedule.notFound": ({ path = "" }) => new SvcError("schedule.notFound", { path }),
  "folder.notFound": ({ name = "" }) => new SvcError("folder.notFound", { name }),
  "group.notFound": ({ name = "" }) => new SvcError("group.notFound", { name }),
  "trigger.notFound": ({ path = "" }) => new SvcError("trigger.notFound", { path }),
  "object.notFound": ({ kind = "", path = "" }) => new SvcError("object.notFound", { kind, path }),
  "access.notFound": ({ kind = "", path = "" }) => new SvcError("access.notFound", { kind, path }),
};
