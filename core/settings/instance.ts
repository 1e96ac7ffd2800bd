import * as z from "zod";
import { limits } from "../../contract/limits.ts";
import { webhookUrl } from "../../contract/routes/events/webhook-url.ts";
import { AWS_TRIGGER_SOURCES, awsTriggerSourcesSchema } from "../triggers/sources.ts";

/** Whether sign-in through a provider requires an existing user or an invitation. Default: true. */
export const REQUIRE_KNOWN_USER = "require_preexisting_user_for_oauth";

/** The time in seconds after which a synchronous call returns 504. */
export const SYNC_LIMIT = "timeout_wait_result";
const maxWaitS = limits.syncCallMs / 1000;
export const syncLimitSchema = z
  .number()
  .int()
  .min(1)
  .max(maxWaitS, `API Gateway ends a request after 29 s, so the maximum is ${maxWaitS}`);

/** The URL that receives the events of the instance. An empty text turns them off, even if the deployment names a receiver. */
export const INSTANCE_EVENTS_URL = "instance_events_webhook";
const instanceEventsUrlSchema = z.preprocess((value) => (value === "" ? undefined : value), webhookUrl.optional());

/** Whether every route has an address that begins with its workspace. Default: false. */
export const ONLY_WORKSPACED_ROUTES = "http_route_workspaced_route";

/**
 * Settings that this service reads. Their values are checked. All others are stored unchecked, apart from the connect clients
 * (services/accounts/clients.ts).
 */
const settingSchemas = {
  [REQUIRE_KNOWN_USER]: z.boolean(),
  [SYNC_LIMIT]: syncLimitSchema,
  [INSTANCE_EVENTS_URL]: instanceEventsUrlSchema,
  [AWS_TRIGGER_SOURCES]: awsTriggerSourcesSchema,
  [ONLY_WORKSPACED_ROUTES]: z.boolean(),
  // Usernames are chosen in each workspace, so only `false` is valid.
  automate_username_creation: z.literal(false),
} as const satisfies Readonly<Record<string, z.ZodType>>;
export type KnownSetting = keyof typeof settingSchemas;

/** Returns the fault of a value, or `undefined` if it is valid. */
export function describeSettingIssue(key: string, value: unknown): string | undefined {
  const schema: z.ZodType | undefined = Object.hasOwn(settingSchemas, key) ? settingSchemas[key as KnownSetting] : undefined;
  if (schema) return schema.safeParse(value).error?.issues[0]?.message;
  return hasUnstorableNumber(value) ? `its numbers must be within ±${Number.MAX_SAFE_INTEGER}, and 0 or at least ${MIN_NUMBER}` : undefined;
}

/** DynamoDB stores no smaller number. */
const MIN_NUMBER = 1e-129;

function hasUnstorableNumber(value: unknown): boolean {
  if (typeof value === "bigint") return true;
  if (typeof value === "number") return Math.abs(value) > Number.MAX_SAFE_INTEGER || (value !== 0 && Math.abs(value) < MIN_NUMBER);
  return typeof value === "object" && value !== null && Object.values(value).some(hasUnstorableNumber);
}

/** Settings that every user may read, with their default values. */
const shown: Readonly<Record<string, unknown>> = { automate_username_creation: false };
/** Returns whether every user may read a setting. */
export const isPublicSetting = (key: string) => Object.hasOwn(shown, key);
/** Returns the default value of a setting, or null. */
export const defaultSetting = (key: string): unknown => (isPublicSetting(key) ? shown[key] : null);
