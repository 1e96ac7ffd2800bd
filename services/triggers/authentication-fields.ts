import { actions } from "../../contract/access/actions.ts";
import { SvcError } from "../../contract/errors.ts";
import type { HttpFields } from "../../contract/routes/triggers/http-fields.ts";
import { findCredentialType } from "../../core/http-routes/authentication/credential.ts";
import type { WorkspaceCaller } from "../../core/people/actor.ts";
import { may } from "../../core/permissions/may.ts";
import { resourceObject } from "../../core/resources/resource.ts";
import { routeCredentialObject } from "../../core/secrets/sealed-copy.ts";
import type { ObjectStore } from "../../ports/object-store.ts";
import { findCopyFault } from "../secrets/open-copy.ts";

/** The reason for refusing a route whose requests a script must check. */
const UNCHECKED = "has no preprocessor, which would check the requests with the method custom_script";

/** Checks that a script checks the requests of a route with the method `custom_script`. Throws `trigger.source`. */
export function checkCustomScript(
  { authentication_method: method, static_asset_config: files }: Readonly<Record<string, unknown>>,
  { path, isFlow, preprocessor }: { path: string; isFlow: boolean; preprocessor: unknown },
): void {
  if (method !== "custom_script") return;
  const refuse = (reason: string) => new SvcError("trigger.source", { field: "authentication_method", reason });
  if (files) throw refuse("a route that serves files runs no script that could check its requests");
  if (!preprocessor) throw refuse(`the ${isFlow ? "flow" : "script"} ${path} ${UNCHECKED}`);
}

/** One reason for both cases, because the existence of a resource is secret. */
export const UNREADABLE_RESOURCE = "there is no such resource, or you may not read it";

/**
 * Checks that the authentication of a route can work, and that the caller may read its resource: the route would otherwise tell the caller whether a
 * guess of its secret is right. Throws `trigger.source`.
 */
export async function checkAuthenticationFields(
  objects: Pick<ObjectStore, "get">,
  { actor, workspace }: WorkspaceCaller,
  fields: HttpFields,
): Promise<void> {
  const refuse = (reason: string) => new SvcError("trigger.source", { field: "authentication_resource_path", reason });
  const path = fields.authentication_resource_path || undefined;
  if (path !== undefined && !may(actor, actions.readResource.access, { workspace, path })) throw refuse(UNREADABLE_RESOURCE);
  const type = findCredentialType(fields.authentication_method);
  if (type === undefined) return;
  if (path === undefined) throw refuse(`the method ${fields.authentication_method} needs a resource of the type ${type}`);
  if (!(await objects.get(resourceObject.key(workspace, path)))) throw refuse(UNREADABLE_RESOURCE);
  const fault = findCopyFault(await objects.get(routeCredentialObject.key(workspace, path)), type);
  if (fault !== undefined) throw refuse(fault);
}
