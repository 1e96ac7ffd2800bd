import * as z from "zod";
import { inWorkspace } from "../../common.ts";
import { defineRoute } from "../../route.ts";

const expression = z
  .string()
  .min(1)
  .max(1000)
  .default("*")
  .describe("`*`, which matches every text, or a regular expression that must match the whole text.");
const webUrl = z.url({ protocol: /^https?$/ }).max(2000);
const line = z.string().min(1).max(300);

export const openapiRequestSchema = z.object({
  info: z
    .object({
      title: line.optional(),
      version: line.optional(),
      description: z.string().max(10_000).optional(),
      termsOfService: webUrl.optional(),
      contact: z.object({ name: line.optional(), url: webUrl.optional(), email: z.email().optional() }).optional(),
      license: z.object({ name: line, url: webUrl.optional() }).optional(),
    })
    .nullish(),
  url: webUrl.nullish().describe("The server of the document. Default: the address of this service."),
  openapi_spec_format: z.enum(["yaml", "json"]).default("yaml"),
  /** A route is listed if it matches one of the filters. Without both lists of filters, everything is listed. */
  http_route_filters: z
    .array(z.object({ folder_regex: expression, path_regex: expression, route_path_regex: expression }))
    .max(20)
    .nullish(),
  webhook_filters: z
    .array(
      z.object({
        /** `u`: scripts and flows of users. `f`: those in folders. */
        user_or_folder_regex: z.enum(["*", "u", "f"]).default("*"),
        user_or_folder_regex_value: expression,
        path: expression,
        runnable_kind: z.enum(["script", "flow"]),
      }),
    )
    .max(20)
    .nullish(),
  tags: z
    .array(z.string().min(1).max(100))
    .max(50)
    .nullish()
    .describe("Only the operations with one of these tags: the labels of a route and its script or flow, or its folder if there are none."),
});
export type OpenapiRequest = z.output<typeof openapiRequestSchema>;

const generates = {
  method: "POST",
  fn: "people",
  auth: "token",
  status: 200,
  access: { domain: "http_triggers", verb: "read", need: "read", target: "list" },
  params: inWorkspace,
  body: openapiRequestSchema,
  errors: ["openapi.tooLarge"],
} as const;

export const openapiDocumentRoutes = {
  generateOpenapi: defineRoute({
    ...generates,
    name: "openapi.generate",
    summary: "Generate an OpenAPI document of HTTP routes and webhooks that you may read.",
    path: "/api/w/{workspace}/openapi/generate",
    reply: { text: "The document, as YAML or JSON." },
  }),
  downloadOpenapi: defineRoute({
    ...generates,
    name: "openapi.download",
    summary: "Download an OpenAPI document of HTTP routes and webhooks that you may read.",
    path: "/api/w/{workspace}/openapi/download",
    reply: { text: "The document as a file, as YAML or JSON." },
  }),
};
