import { resourceRoutes as routes } from "../../contract/routes/stored/resources.ts";
import { listChatResources } from "../../services/chats/resources/list-chat-resources.ts";
import { createPathFilter } from "../../services/identity/permit.ts";
import {
  findResource,
  getResource,
  listResourceNames,
  listResources,
  resourceExists,
  searchResources,
} from "../../services/resources/read.ts";
import { getInterpolatedResource } from "../../services/resources/resolve.ts";
import { createResource, deleteResource, updateResource } from "../../services/resources/save.ts";
import {
  createResourceType,
  deleteResourceType,
  getResourceType,
  listFileTypes,
  listResourceTypeNames,
  listResourceTypes,
  resourceTypeExists,
  updateResourceType,
} from "../../services/resources/types.ts";
import { type ApiRoutes, secretReader } from "../shared/edge/domain-api.ts";
import { on } from "../shared/edge/edge.ts";
import { json, jsonText, text, versioned } from "../shared/reply/reply.ts";
import { deps } from "./deps.ts";

const read = routes.getResource.access;

export const resources: ApiRoutes = [
  on(routes.listResources, async ({ auth, params: { workspace }, query }) =>
    json(200, await listResources(deps, workspace, query, createPathFilter({ actor: auth.actor, workspace }, read))),
  ),
  on(routes.getResource, async ({ params: { workspace, path } }) => versioned(await getResource(deps, workspace, path))),
  on(routes.getResourceValue, async ({ params: { workspace, path } }) => jsonText(200, (await findResource(deps, workspace, path)).json)),
  on(routes.getResourceValueInterpolated, async ({ auth, params: { workspace, path } }) =>
    json(200, await getInterpolatedResource(deps, secretReader(auth, workspace, routes.getResourceValueInterpolated), path)),
  ),
  on(routes.existsResource, async ({ params: { workspace, path } }) => json(200, await resourceExists(deps, workspace, path))),
  on(routes.createResource, async ({ auth, params: { workspace }, query, body }) => {
    await createResource(deps, { actor: auth.actor, workspace }, body, { updateIfExists: query.update_if_exists ?? false });
    return text(201, `The resource ${body.path} was saved.`);
  }),
  on(routes.updateResource, async ({ auth, params: { workspace, path }, body, expected }) => {
    await updateResource(deps, { actor: auth.actor, workspace, path, expected }, body);
    return text(200, `The resource ${body.path ?? path} was saved.`);
  }),
  on(routes.updateResourceValue, async ({ auth, params: { workspace, path }, body, expected }) => {
    await updateResource(deps, { actor: auth.actor, workspace, path, expected }, { value: body.value });
    return text(200, `The value of ${path} was saved.`);
  }),
  on(routes.deleteResource, async ({ auth, params: { workspace, path }, expected }) => {
    await deleteResource(deps, { actor: auth.actor, workspace, path, expected });
    return text(200, `The resource ${path} was deleted.`);
  }),
  on(routes.listResourceNames, async ({ auth, params: { workspace, name } }) =>
    json(200, await listResourceNames(deps, workspace, name, createPathFilter({ actor: auth.actor, workspace }, read))),
  ),
  on(routes.listChatResources, async ({ auth, params: { workspace } }) =>
    json(200, await listChatResources(deps, workspace, createPathFilter({ actor: auth.actor, workspace }, read))),
  ),
  on(routes.searchResources, async ({ auth, params: { workspace } }) =>
    json(200, await searchResources(deps, workspace, createPathFilter({ actor: auth.actor, workspace }, read))),
  ),
  on(routes.fileResourceTypes, async ({ params: { workspace } }) => json(200, await listFileTypes(deps, workspace))),
  on(routes.listResourceTypes, async ({ params: { workspace } }) => json(200, await listResourceTypes(deps, workspace))),
  on(routes.listResourceTypeNames, async ({ params: { workspace } }) => json(200, await listResourceTypeNames(deps, workspace))),
  on(routes.getResourceType, async ({ params: { workspace, name } }) => versioned(await getResourceType(deps, workspace, name))),
  on(routes.existsResourceType, async ({ params: { workspace, name } }) => json(200, await resourceTypeExists(deps, workspace, name))),
  on(routes.createResourceType, async ({ auth, params: { workspace }, body }) => {
    await createResourceType(deps, { actor: auth.actor, workspace }, body);
    return text(201, `The resource type ${body.name} was saved.`);
  }),
  on(routes.updateResourceType, async ({ auth, params: { workspace, name }, body, expected }) => {
    await updateResourceType(deps, { actor: auth.actor, workspace, path: name, expected }, body);
    return text(200, `The resource type ${name} was saved.`);
  }),
  on(routes.deleteResourceType, async ({ auth, params: { workspace, name }, expected }) => {
    await deleteResourceType(deps, { actor: auth.actor, workspace, path: name, expected });
    return text(200, `The resource type ${name} was deleted.`);
  }),
];
