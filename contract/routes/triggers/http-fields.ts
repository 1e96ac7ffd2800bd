import * as z from "zod";
import { runnablePath } from "../../common.ts";
import { failedStatus } from "../workspaces/setting-schemas.ts";
import { deliveryRuleSchema } from "./delivery-rule.ts";
import { parseRoutePath } from "./route-path.ts";

/** The methods of HTTP triggers. `HEAD` is answered as `GET`. */
export const httpMethodSchema = z.enum(["get", "post", "put", "delete", "patch"]);
export type HttpMethod = z.output<typeof httpMethodSchema>;

/** `svc`: a token of this service. Clients of other servers send the name of their product for it. */
export const authenticationMethodSchema = z.enum(["none", "api_key", "basic_http", "custom_script", "signature", "jwt", "svc", "windmill"]);
export type AuthenticationMethod = z.output<typeof authenticationMethodSchema>;

export const requestTypeSchema = z.enum(["sync", "async", "sync_sse"]);

const routePath = z
  .string()
  .min(1)
  .max(255)
  .superRefine((path, context) => {
    const parsed = parseRoutePath(path);
    if (typeof parsed === "string") context.addIssue({ code: "custom", message: parsed });
  });

const resourcePath = z
  .string()
  .transform((path) => path.replace(/^\$res:/, ""))
  .pipe(z.union([z.literal(""), runnablePath]));

/** The fields that only HTTP triggers have (api.md §3.8). */
export const httpFields = {
  /** Parts are texts, `:name`, and a last `*name`. */
  route_path: routePath,
  http_method: httpMethodSchema,
  request_type: requestTypeSchema.default("sync"),
  authentication_method: authenticationMethodSchema.default("none"),
  /** The resource with the key, password or secret of the callers. */
  authentication_resource_path: resourcePath.nullish(),
  is_static_website: z.boolean().default(false),
  static_asset_config: z
    .object({ s3: z.string().min(1).max(900), storage: z.string().max(100).nullish(), filename: z.string().max(255).nullish() })
    .nullish(),
  /** The address begins with the id of the workspace: `/api/r/<workspace>/<route_path>`. */
  workspaced_route: z.boolean().default(false),
  wrap_body: z.boolean().default(false),
  raw_string: z.boolean().default(false),
  /** The status of a failed run's reply, instead of that of the workspace. */
  failed_status: failedStatus.nullish(),
  /** The field that identifies a delivery. A repeated one starts nothing and gets the first answer. */
  idempotency: deliveryRuleSchema.nullish(),
  /** Origins whose pages may call the route, or `*`. */
  allowed_origins: z.array(z.string().max(300)).max(50).nullish(),
  summary: z.string().max(1000).nullish(),
  description: z.string().max(10_000).nullish(),
};
export const httpFieldsSchema = z.object(httpFields);
export type HttpFields = z.output<typeof httpFieldsSchema>;
