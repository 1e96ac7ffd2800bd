import { people } from "../../aws/cognito/people.ts";
import { peopleRoutes as routes } from "../../contract/routes/people/people.ts";
import {
  addToInstanceGroup,
  createInstanceGroup,
  deleteInstanceGroup,
  getInstanceGroup,
  listInstanceGroups,
  removeFromInstanceGroup,
  setInstanceGroupRole,
  updateInstanceGroup,
} from "../../services/identity/instance-groups.ts";
import { createUser, deleteUser, getOwnUser, listUsers, personExists, updateUser } from "../../services/identity/users.ts";
import type { ApiRoutes } from "../shared/edge/domain-api.ts";
import { on } from "../shared/edge/edge.ts";
import { json, text } from "../shared/reply/reply.ts";
import { deps as peopleDeps } from "./deps.ts";

const deps = { ...peopleDeps, people };

/** Loaded on first use, so that the function starts faster. */
const importOverwrite = () => import("../../services/identity/overwrite.ts");

export const instancePeople: ApiRoutes = [
  on(routes.globalWhoami, async ({ auth: { actor } }) => json(200, await getOwnUser(deps, actor))),
  on(routes.email, async ({ auth }) => text(200, auth.actor.email)),
  on(routes.listUsers, async ({ query }) => json(200, await listUsers(deps, query))),
  on(routes.createUser, async ({ body }) => {
    await createUser(deps, body);
    return text(201, `The user ${body.email} was created.`);
  }),
  on(routes.updateUser, async ({ params: { email }, body }) => {
    await updateUser(deps, email, body);
    return text(200, `The user ${email} was changed.`);
  }),
  on(routes.deleteUser, async ({ params: { email } }) => {
    await deleteUser(deps, email);
    return text(200, `The user ${email} was deleted.`);
  }),
  on(routes.existsUser, async ({ params: { email } }) => json(200, await personExists(deps, email))),
  on(routes.exportUsers, async () => {
    const { exportUsers } = await importOverwrite();
    return json(200, await exportUsers(deps));
  }),
  on(routes.overwriteUsers, async ({ body }) => {
    const { overwriteUsers } = await importOverwrite();
    await overwriteUsers(deps, body);
    return text(200, `The instance now has ${body.length} users.`);
  }),
  on(routes.exportInstanceGroups, async ({ auth: { actor } }) => json(200, await listInstanceGroups(deps, actor))),
  on(routes.overwriteInstanceGroups, async ({ body }) => {
    const { overwriteInstanceGroups } = await importOverwrite();
    await overwriteInstanceGroups(deps, body);
    return text(200, `The instance now has ${body.length} groups.`);
  }),
  on(routes.listInstanceGroups, async ({ auth: { actor } }) => json(200, await listInstanceGroups(deps, actor))),
  on(routes.getInstanceGroup, async ({ auth: { actor }, params: { name } }) => json(200, await getInstanceGroup(deps, actor, name))),
  on(routes.createInstanceGroup, async ({ body }) => {
    await createInstanceGroup(deps, body);
    if (body.instance_role) await setInstanceGroupRole(deps, body.name, body.instance_role);
    return text(201, `The group ${body.name} was created.`);
  }),
  on(routes.updateInstanceGroup, async ({ params: { name }, body }) => {
    await updateInstanceGroup(deps, name, body.summary);
    if (body.instance_role) await setInstanceGroupRole(deps, name, body.instance_role);
    return text(200, `The group ${name} was changed.`);
  }),
  on(routes.deleteInstanceGroup, async ({ params: { name } }) => {
    await deleteInstanceGroup(deps, name);
    return text(200, `The group ${name} was deleted.`);
  }),
  on(routes.addToInstanceGroup, async ({ params: { name }, body }) => {
    await addToInstanceGroup(deps, name, body.email);
    return text(200, `${body.email} is now in the group ${name}.`);
  }),
  on(routes.removeFromInstanceGroup, async ({ params: { name }, body }) => {
    await removeFromInstanceGroup(deps, name, body.email);
    return text(200, `${body.email} is no longer in the group ${name}.`);
  }),
];
