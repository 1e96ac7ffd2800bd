import { routesOfSimpleKinds } from "../../contract/routes/simple/simple-routes.ts";
import { createPathFilter } from "../../services/identity/permit.ts";
import { createSimple, deleteSimple, getSimple, listSimple, simpleExists, updateSimple } from "../../services/objects/simple-objects.ts";
import type { ApiRoutes } from "../shared/edge/domain-api.ts";
import { on } from "../shared/edge/edge.ts";
import { json, text, versioned } from "../shared/reply/reply.ts";
import { deps } from "./deps.ts";

/** The routes of the simple kinds. */
export const simpleObjects: ApiRoutes = routesOfSimpleKinds.flatMap(
  ({ kind, routes }): ApiRoutes => [
    on(routes.list, async ({ auth: { actor }, params: { workspace }, query }) =>
      json(200, await listSimple(deps, kind, { workspace, query }, createPathFilter({ actor, workspace }, routes.get.access))),
    ),
    on(routes.get, async ({ params: { workspace, path } }) => versioned(await getSimple(deps, kind, workspace, path))),
    on(routes.exists, async ({ params: { workspace, path } }) => json(200, await simpleExists(deps, kind, workspace, path))),
    on(routes.create, async ({ auth: { actor }, params: { workspace }, body }) => {
      // The fields of a kind are any, so the type of the body does not show its path.
      const path = String(body["path"]);
      await createSimple(deps, kind, { actor, workspace, path }, body);
      return text(201, `The ${kind} ${path} was saved.`);
    }),
    on(routes.update, async ({ auth: { actor }, params: { workspace, path }, body, expected }) => {
      await updateSimple(deps, kind, { actor, workspace, path, expected }, body);
      return text(200, `The ${kind} ${body.path ?? path} was saved.`);
    }),
    on(routes.delete, async ({ auth: { actor }, params: { workspace, path }, expected }) => {
      await deleteSimple(deps, kind, { actor, workspace, path, expected });
      return text(200, `The ${kind} ${path} was deleted.`);
    }),
  ],
);
