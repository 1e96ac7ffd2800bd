import { type TriggerKind, triggerKinds } from "../../contract/routes/triggers/trigger-kind.ts";
import type { NewTrigger } from "../../contract/routes/triggers/trigger-kinds.ts";
import { httpRoutes, routesOfTriggerKinds, setupRoutes } from "../../contract/routes/triggers/triggers.ts";
import { createPathFilter } from "../../services/identity/permit.ts";
import { httpRouteExists } from "../../services/triggers/http-route-entries.ts";
import { getTrigger, listTriggers, triggerExists } from "../../services/triggers/read.ts";
import { createTrigger, deleteTrigger, setTriggerMode, updateTrigger } from "../../services/triggers/save.ts";
import { describeTriggerSetup } from "../../services/triggers/setup/describe-trigger-setup.ts";
import type { ApiRoutes } from "../shared/edge/domain-api.ts";
import { on } from "../shared/edge/edge.ts";
import { json, text, versioned } from "../shared/reply/reply.ts";
import { deps } from "./deps.ts";
import { warnOfWriters } from "./warn-of-writers.ts";

function routesOf(kind: TriggerKind): ApiRoutes {
  const routes = routesOfTriggerKinds[kind];
  return [
    on(routes.list, async ({ auth, params: { workspace }, query }) =>
      json(
        200,
        await listTriggers(deps, { workspace, kind }, query, createPathFilter({ actor: auth.actor, workspace }, routes.get.access)),
      ),
    ),
    on(routes.get, async ({ params: { workspace, path } }) => versioned(await getTrigger(deps, { workspace, kind, path }))),
    on(routes.exists, async ({ params: { workspace, path } }) => json(200, await triggerExists(deps, { workspace, kind, path }))),
    on(routes.create, async ({ auth, params: { workspace }, body }) => {
      const trigger = body as NewTrigger;
      const caller = { actor: auth.actor, workspace };
      await createTrigger(deps, { ...caller, kind, path: trigger.path }, trigger);
      return warnOfWriters(
        text(201, trigger.path),
        caller,
        async () => (await getTrigger(deps, { workspace, kind, path: trigger.path })).json,
      );
    }),
    on(routes.update, async ({ auth, params: { workspace, path }, body, expected }) => {
      const trigger = body as NewTrigger;
      const caller = { actor: auth.actor, workspace };
      await updateTrigger(deps, { ...caller, kind, path, expected }, trigger);
      return warnOfWriters(
        text(200, trigger.path),
        caller,
        async () => (await getTrigger(deps, { workspace, kind, path: trigger.path })).json,
      );
    }),
    on(routes.setMode, async ({ auth, params: { workspace, path }, body: { mode }, expected }) => {
      await setTriggerMode(deps, { actor: auth.actor, workspace, kind, path, expected }, mode);
      return text(200, `The trigger ${path} is now ${mode}.`);
    }),
    on(routes.delete, async ({ auth, params: { workspace, path }, expected }) => {
      await deleteTrigger(deps, { actor: auth.actor, workspace, kind, path, expected });
      return text(200, `The trigger ${path} was deleted.`);
    }),
  ];
}

export const triggers: ApiRoutes = [
  on(httpRoutes.httpRouteExists, async ({ params: { workspace }, body }) =>
    json(200, await httpRouteExists(deps.objects, workspace, body)),
  ),
  on(setupRoutes.triggerSetup, async ({ params: { workspace } }) => json(200, await describeTriggerSetup(deps, workspace))),
  ...triggerKinds.flatMap(routesOf),
];
