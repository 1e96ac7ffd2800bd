import { workspaceDependencyRoutes as routes } from "../../contract/routes/stored/workspace-dependencies.ts";
import {
  archiveDependencies,
  deleteDependencies,
  getDependencies,
  listDependencies,
  saveDependencies,
} from "../../services/workspaces/dependencies.ts";
import type { ApiRoutes } from "../shared/edge/domain-api.ts";
import { on } from "../shared/edge/edge.ts";
import { json, nameAuditedResource, text } from "../shared/reply/reply.ts";
import { deps } from "./deps.ts";

/** The default list of a language has no name, so its language names it in the audit log. */
const nameOf = ({ language, name }: { language: string; name?: string | null | undefined }) => (name ? `${language}/${name}` : language);

export const dependencies: ApiRoutes = [
  on(routes.listDependencies, async ({ params: { workspace } }) => json(200, await listDependencies(deps, workspace))),
  on(routes.getLatestDependencies, async ({ params, query }) => json(200, await getDependencies(deps, { ...params, ...query }))),
  on(routes.createDependencies, async ({ params: { workspace }, body }) =>
    nameAuditedResource(text(201, String(await saveDependencies(deps, workspace, body))), nameOf(body)),
  ),
  on(routes.archiveDependencies, async ({ params, query }) => {
    await archiveDependencies(deps, { ...params, ...query });
    return nameAuditedResource(text(200, "The list was archived."), nameOf({ ...params, ...query }));
  }),
  on(routes.deleteDependencies, async ({ params, query }) => {
    await deleteDependencies(deps, { ...params, ...query });
    return nameAuditedResource(text(200, "The list was deleted."), nameOf({ ...params, ...query }));
  }),
];
