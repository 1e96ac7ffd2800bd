import { randomUUID } from "node:crypto";
import { httpFieldsSchema } from "../../../contract/routes/triggers/http-fields.ts";
import type { FoundHttpRoute } from "../../../core/http-routes/http-route.ts";
import type { Runnable } from "../../../core/scripts/version.ts";
import { scriptHeadObject } from "../../../core/scripts/version.ts";
import type { StoredTrigger } from "../../../core/triggers/trigger.ts";
import { triggerObject } from "../../../core/triggers/trigger.ts";
import type { HttpRouteRequest } from "../../../services/http-routes/run-http-route.ts";
import type { World } from "./world.ts";
import { addScript } from "./world-jobs.ts";
import { anAdmin } from "./world-people.ts";

export type HttpRouteFields = { own?: object; trigger?: Partial<StoredTrigger>; params?: FoundHttpRoute["params"] };

/** Adds a route whose script is built. It is found without the search for its address. */
export async function addHttpRoute(
  world: World,
  { own = {}, trigger = {}, params = {} }: HttpRouteFields,
  script: Partial<Runnable>,
): Promise<FoundHttpRoute> {
  const { build, ...version } = await addScript(world, { path: `f/t/${randomUUID()}`, params: null, ...script });
  const stored = {
    ...triggerObject.key(world.workspace, "http" as StoredTrigger["kind"], `f/t/${randomUUID()}`),
    version: randomUUID(),
    value: { at: "route" },
  };
  await world.deps.objects.put(stored);
  return {
    workspace: world.workspace,
    trigger: {
      id: randomUUID(),
      kind: "http" as StoredTrigger["kind"],
      path: "f/t/route",
      scriptPath: version.path,
      isFlow: false,
      mode: "enabled",
      email: "ann@example.com",
      permissionedAs: "u/ann",
      superAdmin: false,
      own: {},
      editedBy: "ann",
      editedAtMs: 0,
      ...trigger,
    },
    stored,
    fields: httpFieldsSchema.parse({ route_path: "shop/orders/:id", http_method: "post", ...own }),
    params,
    below: [],
    actor: anAdmin,
    head: { ...scriptHeadObject.key(world.workspace, version.path), value: version, build },
    credential: undefined,
  };
}

export interface SentToHttpRoute {
  body?: unknown;
  text?: string;
  headers?: Record<string, string>;
  query?: Record<string, string[]>;
  method?: string;
}
export const anHttpRouteRequest = ({
  body = {},
  text = JSON.stringify(body),
  headers = {},
  query = {},
  method = "POST",
}: SentToHttpRoute = {}): HttpRouteRequest => ({
  method,
  path: "shop/orders/7",
  payload: { method, headers: { "content-type": "application/json", ...headers }, query, bytes: Buffer.from(text) },
  includedHeaders: ["x-kind"],
});
