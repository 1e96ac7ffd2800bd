import * as z from "zod";
import { jsonObject } from "../../common.ts";
import { defineRoute } from "../../route.ts";

const open = { method: "GET", fn: "api", auth: "none", status: 200, errors: [] } as const;

export const instanceRoutes = {
  home: defineRoute({
    ...open,
    name: "instance.home",
    summary: "Redirect to the console.",
    path: "/",
    access: "open",
    status: 303,
    reply: { text: "A redirect to /login." },
  }),
  version: defineRoute({
    ...open,
    // The function that answers most addresses, because each one that another function answers costs resources.
    fn: "people",
    name: "instance.version",
    summary: "The version.",
    path: "/api/version",
    access: "open",
    reply: { text: "`CE v<major>.<minor>.<patch>`" },
  }),
  health: defineRoute({
    ...open,
    name: "instance.health",
    summary: "Check the health of the service.",
    path: "/api/health/status",
    access: "open",
    reply: { json: z.object({ status: z.enum(["healthy", "degraded", "unhealthy"]), checked_at: z.string() }) },
  }),
  healthInDetail: defineRoute({
    ...open,
    name: "instance.healthInDetail",
    summary: "Check the health of the service, part by part.",
    path: "/api/health/detailed",
    access: "open",
    reply: {
      json: z.object({
        status: z.enum(["healthy", "degraded", "unhealthy"]),
        checked_at: z.string(),
        version: z.string(),
        checks: z.object({ database: z.object({ healthy: z.boolean(), latency_ms: z.number() }) }),
      }),
    },
  }),
  openapi: defineRoute({
    ...open,
    name: "instance.openapi",
    summary: "Get this API as an OpenAPI 3.1 document.",
    path: "/api/openapi.json",
    access: "open",
    reply: { json: jsonObject },
  }),
  reference: defineRoute({
    ...open,
    name: "instance.reference",
    summary: "Get the interactive reference page of this API.",
    path: "/docs",
    access: "open",
    reply: { bytes: "The page." },
    errors: ["route.unknown"],
  }),
  cliPackage: defineRoute({
    ...open,
    fn: "web",
    name: "instance.cliPackage",
    summary: "Get the package of the command line: npm install -g <origin>/cli/svc-cli.tgz.",
    path: "/cli/svc-cli.tgz",
    access: "open",
    reply: { bytes: "A package for npm." },
    errors: ["route.unknown"],
  }),
  clientPackage: defineRoute({
    ...open,
    fn: "web",
    name: "instance.clientPackage",
    summary:
      "Get a package of a client library: <origin>/clients/ has one for npm and one for pip, and <origin>/clients/go is a proxy of Go modules.",
    path: "/clients/{path+}",
    access: "open",
    params: z.object({ path: z.string().max(300) }),
    reply: { bytes: "The package." },
    errors: ["route.unknown"],
  }),
  configSchema: defineRoute({
    ...open,
    fn: "web",
    name: "instance.configSchema",
    summary: "Get the JSON Schema of svc.yaml, for editors.",
    path: "/svc.schema.json",
    access: "open",
    reply: { bytes: "The schema." },
    errors: ["route.unknown"],
  }),
  referenceFile: defineRoute({
    ...open,
    name: "instance.referenceFile",
    summary: "Get an asset of the page.",
    path: "/docs/{file}",
    access: "open",
    params: z.object({ file: z.string().max(200) }),
    reply: { bytes: "The file." },
    errors: ["route.unknown"],
  }),
};
