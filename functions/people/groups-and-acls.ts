import { accessRoutes as routes } from "../../contract/routes/people/access.ts";
import { paginate } from "../../core/objects/page.ts";
import { explainUserAccess } from "../../services/identity/explain-access.ts";
import { changeAcl, getAcl } from "../../services/workspaces/acls.ts";
import {
  addToGroup,
  createGroup,
  deleteGroup,
  getVersionedGroup,
  listGroupNames,
  listGroups,
  removeFromGroup,
  setGroupSummary,
} from "../../services/workspaces/groups.ts";
import type { ApiRoutes } from "../shared/edge/domain-api.ts";
import { on } from "../shared/edge/edge.ts";
import { namePrefixes } from "../shared/edge/guard.ts";
import { json, text, versioned } from "../shared/reply/reply.ts";
import { deps } from "./deps.ts";

export const access: ApiRoutes = [
  on(routes.listGroups, async ({ params: { workspace }, query }) => json(200, paginate(await listGroups(deps, workspace), query))),
  on(routes.listGroupNames, async ({ auth: { actor }, params: { workspace }, query }) =>
    json(200, await listGroupNames(deps, { actor, workspace }, { onlyOwn: query.only_member_of === "true" })),
  ),
  on(routes.getGroup, async ({ params: { workspace, name } }) => versioned(await getVersionedGroup(deps, workspace, name))),
  on(routes.createGroup, async ({ auth, params: { workspace }, body: { name, summary } }) => {
    await createGroup(deps, { actor: auth.actor, workspace }, { name, summary });
    return text(201, `The group ${name} was created.`);
  }),
  on(routes.updateGroup, async ({ auth: { actor }, params: { workspace, name }, body: { summary }, expected }) => {
    await setGroupSummary(deps, { actor, workspace }, { name, summary, expected });
    return text(200, `The group ${name} was changed.`);
  }),
  on(routes.deleteGroup, async ({ params: { workspace, name } }) => {
    await deleteGroup(deps, workspace, name);
    return text(200, `The group ${name} was deleted.`);
  }),
  on(routes.addToGroup, async ({ auth: { actor }, params: { workspace, name }, body: { username } }) => {
    await addToGroup(deps, { actor, workspace }, name, username);
    return text(200, `${username} is now in the group ${name}.`);
  }),
  on(routes.removeFromGroup, async ({ params: { workspace, name }, body: { username } }) => {
    await removeFromGroup(deps, workspace, name, username);
    return text(200, `${username} is no longer in the group ${name}.`);
  }),
  on(routes.getAcl, async ({ params }) => json(200, await getAcl(deps, params))),
  on(routes.explainAcl, async ({ auth: { actor }, params: { workspace, kind, path }, query: { user } }) => {
    const explained = { kind, path: `${namePrefixes[kind] ?? ""}${path}`, user };
    return json(200, await explainUserAccess(deps, { actor, workspace }, explained));
  }),
  on(routes.addAcl, async ({ auth, params, body: { owner, write } }) => {
    await changeAcl(deps, auth.actor, params, { owner, right: write ?? false });
    return text(200, `${owner} may now ${write ? "write" : "read"} ${params.path}.`);
  }),
  on(routes.removeAcl, async ({ auth, params, body: { owner } }) => {
    await changeAcl(deps, auth.actor, params, { owner, right: undefined });
    return text(200, `${owner} no longer has extra permissions on ${params.path}.`);
  }),
];
