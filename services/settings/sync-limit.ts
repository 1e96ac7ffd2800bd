import { limits } from "../../contract/limits.ts";
import { instanceSettingObject } from "../../core/objects/setting.ts";
import { SYNC_LIMIT, syncLimitSchema } from "../../core/settings/instance.ts";
import type { Uses } from "../uses.ts";

/**
 * Creates a reader of the instance's limit for synchronous calls, in milliseconds. The limit is cached for `limits.settingAgeMs`, so that
 * calls need no further read.
 */
export function createSyncLimitReader({ objects, nowMs }: Uses<"objects" | "nowMs">): () => Promise<number> {
  let last: { ms: number; untilMs: number } | undefined;
  return async () => {
    if (last && last.untilMs > nowMs()) return last.ms;
    const stored = syncLimitSchema.safeParse((await objects.get(instanceSettingObject.key(SYNC_LIMIT)))?.value);
    last = { ms: stored.success ? stored.data * 1000 : limits.syncCallMs, untilMs: nowMs() + limits.settingAgeMs };
    return last.ms;
  };
}
