import { isSvcError } from "../../../contract/errors.ts";
import type { CookieScope } from "../../../core/reply/cookie.ts";
import { removeStacks } from "../../../core/reply/remove-stacks.ts";
import { buildReply } from "../../../core/reply/reply.ts";
import type { SyncResult } from "../../../services/execution/requests/run-sync.ts";
import { toErrorReply } from "../edge/edge.ts";
import { jsonText, type Reply } from "./reply.ts";

interface ReplyOptions {
  /** The status, unless the result chooses it. */
  status: number;
  /** The caller may not read the run, so it receives no stack traces. */
  isStranger?: boolean;
  /** The scope of the script's cookies. */
  cookies: CookieScope;
}

/** Returns the reply of a synchronous run: its result, or the reply that the script describes in it. */
export function buildResultReply({ id, state, resultJson, stored, cached }: SyncResult, options: ReplyOptions): Reply {
  const ours = { "x-svc-job-id": id, "x-svc-job-state": state, ...(cached ? { "x-svc-cached": "true" } : {}) };
  if (resultJson === undefined) return jsonText(options.status, JSON.stringify(stored), ours);
  try {
    const { status, headers, body, base64 } = buildReply(id, options.isStranger ? removeStacks(resultJson) : resultJson, options);
    return { statusCode: status, headers: { ...headers, ...ours }, body, isBase64Encoded: base64 };
  } catch (error) {
    // The run itself is unaffected: only its reply cannot be built.
    if (isSvcError(error)) return toErrorReply(error, ours);
    throw error;
  }
}
