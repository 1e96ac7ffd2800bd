import * as z from "zod";
import { jsonObject } from "../common.ts";
import { defineRoute } from "../route.ts";

const open = { method: "GET", fn: "api", auth: "none", status: 200, errors: [] } as const;

export const instanceRoutes = {
  version: defineRoute({
    ...open,
    name: "instance.version",
    summary: "The version.",
    path: "/api/version",
    reply: { text: "`CE v<major>.<minor>.<patch>`" },
  }),
  health: defineRoute({
    ...open,
    name: "instance.health",
    summary: "Whether the service can do its work.",
    path: "/api/health/status",
    reply: { json: z.object({ status: z.enum(["healthy", "degraded", "unhealthy"]), checked_at: z.string() }) },
  }),
  openapi: defineRoute({
    ...open,
    name: "instance.openapi",
    summary: "This API as an OpenAPI 3.1 document.",
    path: "/api/openapi.json",
    reply: { json: jsonObject },
  }),
};
