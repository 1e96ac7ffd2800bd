import * as z from "zod";
import { limits } from "../../contract/limits.ts";

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

/** Settings that this service reads. Their values are checked. All others are stored unchecked. */
const known: Readonly<Record<string, z.ZodType>> = {
  [REQUIRE_KNOWN_USER]: z.boolean(),
  [SYNC_LIMIT]: syncLimitSchema,
  // Usernames are chosen in each workspace, so only `false` is valid.
  automate_username_creation: z.literal(false),
};

/** Returns the fault of a value, or `undefined` if it is valid. */
export function describeSettingIssue(key: string, value: unknown): string | undefined {
  const schema = Object.hasOwn(known, key) ? known[key] : undefined;
  return schema?.safeParse(value).error?.issues[0]?.message;
}

/** Settings that every user may read, with their default values. */
const shown: Readonly<Record<string, unknown>> = { automate_username_creation: false };
/** Returns whether every user may read a setting. */
export const isPublicSetting = (key: string) => Object.hasOwn(shown, key);
/** Returns the default value of a setting, or null. */
export const defaultSetting = (key: string): unknown => (isPublicSetting(key) ? shown[key] : null);
