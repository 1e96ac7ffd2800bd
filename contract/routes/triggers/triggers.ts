import * as z from "zod";
import { atPath, inWorkspace } from "../../common.ts";
import { defineRoute } from "../../route.ts";
import { httpFields } from "./http-fields.ts";
import { missingTriggerRoutes } from "./missing-kinds.ts";
import { type TriggerKind, triggerKinds, triggerModeSchema } from "./trigger-kind.ts";
import { changedTriggerSchemas, newTriggerSchemas, triggerSchemas } from "./trigger-kinds.ts";
import { triggerListQuery } from "./trigger-list.ts";
import { triggerSetupSchema } from "./trigger-setup.ts";

const read = { method: "GET", fn: "triggers", auth: "token", status: 200 } as const;
const post = { method: "POST", fn: "triggers", auth: "token", status: 200 } as const;

const prefixOf = (kind: string) => `/api/w/{workspace}/${kind}_triggers` as const;
const saveErrors = [
  "trigger.changedMeanwhile",
  "trigger.source",
  "trigger.sourceTaken",
  "trigger.notPermittedAs",
  "trigger.needsAdmin",
  "trigger.needsSuperadmin",
  "trigger.routeTaken",
  "trigger.tooManyRoutes",
  "user.notFound",
  "script.notFound",
  "flow.notFound",
  "path.noFolder",
  "workspace.notFound",
  "access.tooMuch",
  "reference.refused",
] as const;
const done = { text: "A confirmation." };
const names = { http: "HTTP", sqs: "SQS", aws: "AWS", email: "email" } as const satisfies Record<TriggerKind, string>;

/** The routes of one kind of trigger. */
function routesOf<K extends TriggerKind>(kind: K) {
  const domain = `${kind}_triggers` as const;
  const prefix = prefixOf(kind);
  const [named, ofKind] = [names[kind], { hiddenAs: "trigger.notFound", target: "path" } as const];
  const readPath = { domain, verb: "read", need: "read", ...ofKind } as const;
  const writePath = { domain, verb: "write", need: "write", ...ofKind } as const;
  return {
    list: defineRoute({
      ...read,
      name: `${domain}.list`,
      summary: `List the ${named} triggers of the workspace.`,
      path: `${prefix}/list`,
      access: { domain, verb: "read", need: "read", target: "list" },
      params: inWorkspace,
      query: triggerListQuery,
      reply: { json: z.array(triggerSchemas[kind]) },
      errors: [],
    }),
    get: defineRoute({
      ...read,
      name: `${domain}.get`,
      summary: `Get an ${named} trigger.`,
      path: `${prefix}/get/{path+}`,
      version: "shown",
      access: readPath,
      params: atPath,
      reply: { json: triggerSchemas[kind] },
      errors: ["trigger.notFound"],
    }),
    exists: defineRoute({
      ...read,
      name: `${domain}.exists`,
      summary: `Check whether an ${named} trigger exists at a path.`,
      path: `${prefix}/exists/{path+}`,
      access: { ...readPath, hiddenAs: false },
      params: atPath,
      reply: { json: z.boolean() },
      errors: [],
    }),
    create: defineRoute({
      ...post,
      status: 201,
      name: `${domain}.create`,
      summary: `Create an ${named} trigger. Its jobs run with your permissions.`,
      path: `${prefix}/create`,
      access: { domain, verb: "write", need: "write", target: "request" },
      audits: { kind: "Created", resource: { body: "path" } },
      params: inWorkspace,
      body: newTriggerSchemas[kind],
      reply: { text: "The path." },
      errors: ["trigger.exists", ...saveErrors],
    }),
    update: defineRoute({
      ...post,
      name: `${domain}.update`,
      summary: `Change an ${named} trigger. Another path renames it. Its jobs then run with your permissions.`,
      path: `${prefix}/update/{path+}`,
      version: "expected",
      access: writePath,
      audits: { kind: "Updated", resource: { param: "path" } },
      params: atPath,
      body: changedTriggerSchemas[kind],
      reply: { text: "The path." },
      errors: ["trigger.notFound", "trigger.exists", "identity.fieldsMissing", ...saveErrors],
    }),
    setMode: defineRoute({
      ...post,
      name: `${domain}.setMode`,
      summary: `Enable, disable or suspend an ${named} trigger. Enabling it releases the jobs that wait since it was suspended.`,
      path: `${prefix}/setmode/{path+}`,
      version: "expected",
      access: writePath,
      audits: { kind: "Updated", resource: { param: "path" } },
      params: atPath,
      body: z.object({ mode: triggerModeSchema }),
      reply: done,
      errors: ["trigger.notFound", "trigger.changedMeanwhile", "script.notFound", "flow.notFound"],
    }),
    delete: defineRoute({
      ...read,
      method: "DELETE",
      name: `${domain}.delete`,
      summary: `Delete an ${named} trigger.`,
      path: `${prefix}/delete/{path+}`,
      version: "expected",
      access: writePath,
      audits: { kind: "Delete", resource: { param: "path" } },
      params: atPath,
      reply: done,
      errors: ["trigger.notFound", "trigger.changedMeanwhile"],
    }),
  };
}

/** The routes of the kinds that svc implements. */
export const routesOfTriggerKinds = { http: routesOf("http"), sqs: routesOf("sqs"), aws: routesOf("aws"), email: routesOf("email") };
/** Checks an address before a route is saved. */
const httpRouteExists = defineRoute({
  ...post,
  name: "http_triggers.routeExists",
  summary: "Check whether a route has an address already.",
  path: `${prefixOf("http")}/route_exists`,
  access: { domain: "http_triggers", verb: "read", need: "member", target: "none" },
  params: inWorkspace,
  body: z.object({
    route_path: httpFields.route_path,
    http_method: httpFields.http_method,
    workspaced_route: z.boolean().nullish(),
    /** The path of a route of this workspace that is ignored. */
    trigger_path: z.string().nullish(),
  }),
  reply: { json: z.boolean() },
  errors: [],
});
export const httpRoutes = { httpRouteExists };
/** Returns the names in commands that prepare a queue, a topic or an event bus of AWS for a trigger. */
const triggerSetup = defineRoute({
  ...read,
  name: "aws_triggers.getSetup",
  summary: "Get the account, the region and the names that commands need to prepare the sources of triggers.",
  path: `${prefixOf("aws")}/setup`,
  access: { domain: "aws_triggers", verb: "read", need: "write", target: "none" },
  params: inWorkspace,
  reply: { json: triggerSetupSchema },
  errors: [],
});
export const setupRoutes = { triggerSetup };
type KindRoutes = typeof routesOfTriggerKinds;
type AnyTriggerRoute =
  | typeof httpRouteExists
  | typeof triggerSetup
  | { [K in TriggerKind]: KindRoutes[K][keyof KindRoutes[K]] }[TriggerKind]
  | (typeof missingTriggerRoutes)[number];
/** All routes of triggers by their names. */
export const triggerRoutes = Object.fromEntries(
  [
    httpRouteExists,
    triggerSetup,
    ...triggerKinds.flatMap((kind) => Object.values<AnyTriggerRoute>(routesOfTriggerKinds[kind])),
    ...missingTriggerRoutes,
  ].map((route) => [route.name, route]),
) as { [R in AnyTriggerRoute as R["name"]]: R };
