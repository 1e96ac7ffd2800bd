import type { ObjectTable } from "../../aws/dynamodb/object-table.ts";
import { actions } from "../../contract/access/actions.ts";
import { SvcError } from "../../contract/errors.ts";
import type { HttpFields } from "../../contract/routes/triggers/http-fields.ts";
import { keys } from "../../core/objects/keys.ts";
import type { WorkspaceCaller } from "../../core/people/actor.ts";
import { may } from "../../core/permissions/may.ts";
import { findCredentialType } from "../../core/routes/authentication/credential.ts";
import { findCopyFault } from "../secrets/route-credentials.ts";

/**
 * Checks that the authentication of a route can work, and that the caller may read its resource: the route would otherwise tell the caller whether a
 * guess of its secret is right. Throws `trigger.source`.
 */
export async function checkAuthenticationFields(
  objects: Pick<ObjectTable, "get">,
  { actor, workspace }: WorkspaceCaller,
  own: HttpFields,
): Promise<void> {
  const refuse = (reason: string) => new SvcError("trigger.source", { field: "authentication_resource_path", reason });
  const path = own.authentication_resource_path || undefined;
  if (path !== undefined && !may(actor, actions.readResource.access, { workspace, path }))
    throw refuse("there is no such resource, or you may not read it");
  const type = findCredentialType(own.authentication_method);
  if (type === undefined) return;
  if (path === undefined) throw refuse(`the method ${own.authentication_method} needs a resource of the type ${type}`);
  if (!(await objects.get(keys.resource(workspace, path)))) throw refuse("there is no such resource, or you may not read it");
  const fault = findCopyFault(await objects.get(keys.routeCredential(workspace, path)), type);
  if (fault !== undefined) throw refuse(fault);
}
