import * as z from "zod";
import type { AccessDomain } from "../../access/access-rule.ts";
import { atPath, extraPerms, inWorkspace, page, runnablePath, timestamp } from "../../common.ts";
import { simpleKinds } from "../../kinds/kinds.ts";
import type { SimpleKind } from "../../kinds/simple-kind.ts";
import { defineRoute } from "../../route.ts";

const read = { method: "GET", fn: "objects", auth: "token", status: 200 } as const;
const post = { method: "POST", fn: "objects", auth: "token", status: 200 } as const;
const done = { text: "A confirmation." };
const saveErrors = ["object.exists", "object.changedMeanwhile", "path.noFolder", "workspace.notFound", "access.tooMuch"] as const;

/** The request that creates an object of a simple kind. */
export const newSimpleSchema = ({ fields }: SimpleKind) => fields.extend({ path: runnablePath });

/** The routes of a simple kind. */
export function buildSimpleRoutes(kind: string, definition: SimpleKind) {
  const domain = `${kind}s` as AccessDomain;
  const prefix = `/api/w/{workspace}/${kind}s` as const;
  const ofPath = { target: "path", hiddenAs: "object.notFound" } as const;
  const [readPath, writePath] = [
    { domain, verb: "read", need: "read", ...ofPath } as const,
    { domain, verb: "write", need: "write", ...ofPath } as const,
  ];
  const schema = definition.fields.extend({
    workspace_id: z.string(),
    path: z.string(),
    extra_perms: extraPerms,
    created_by: z.string(),
    edited_by: z.string(),
    edited_at: timestamp,
  });
  const created = newSimpleSchema(definition);
  return {
    list: defineRoute({
      ...read,
      name: `${kind}s.list`,
      summary: `List the ${kind}s of the workspace.`,
      path: `${prefix}/list`,
      access: { domain, verb: "read", need: "read", target: "list" },
      params: inWorkspace,
      query: z.object({ ...page, path_start: z.string().optional() }),
      reply: { json: z.array(schema) },
      errors: [],
    }),
    get: defineRoute({
      ...read,
      name: `${kind}s.get`,
      summary: `Get a ${kind}.`,
      path: `${prefix}/get/{path+}`,
      version: "shown",
      access: readPath,
      params: atPath,
      reply: { json: schema },
      errors: ["object.notFound"],
    }),
    exists: defineRoute({
      ...read,
      name: `${kind}s.exists`,
      summary: `Check whether there is a ${kind} at this path.`,
      path: `${prefix}/exists/{path+}`,
      access: { ...readPath, hiddenAs: false },
      params: atPath,
      reply: { json: z.boolean() },
      errors: [],
    }),
    create: defineRoute({
      ...post,
      status: 201,
      name: `${kind}s.create`,
      summary: `Save a new ${kind}.`,
      path: `${prefix}/create`,
      access: { domain, verb: "write", need: "write", target: "request" },
      audits: { kind: "Created", resource: { body: "path" } },
      params: inWorkspace,
      body: created,
      reply: done,
      errors: saveErrors,
    }),
    update: defineRoute({
      ...post,
      name: `${kind}s.update`,
      summary: `Change a ${kind}. Omitted fields remain unchanged. Another path renames it.`,
      path: `${prefix}/update/{path+}`,
      version: "expected",
      access: writePath,
      audits: { kind: "Updated", resource: { param: "path" } },
      params: atPath,
      body: created.partial(),
      reply: done,
      errors: [...saveErrors, "object.notFound", "object.versionChanged"],
    }),
    delete: defineRoute({
      ...post,
      method: "DELETE",
      name: `${kind}s.delete`,
      summary: `Delete a ${kind}.`,
      path: `${prefix}/delete/{path+}`,
      version: "expected",
      access: writePath,
      audits: { kind: "Delete", resource: { param: "path" } },
      params: atPath,
      reply: done,
      errors: ["object.notFound", "object.changedMeanwhile", "object.versionChanged"],
    }),
  };
}

/** The routes of every simple kind. */
export const routesOfSimpleKinds = [...simpleKinds].map(([kind, definition]) => ({ kind, routes: buildSimpleRoutes(kind, definition) }));

/** The same by name. The type has none, because no code calls the routes of one simple kind. */
export const simpleRoutesByName = Object.fromEntries(
  routesOfSimpleKinds.flatMap(({ kind, routes }) => Object.entries(routes).map(([verb, route]) => [`${kind}.${verb}`, route])),
) as Record<never, never>;
