import { isSvcError } from "../../contract/errors.ts";
import { buildReply } from "../../core/reply/reply.ts";
import type { SyncResult } from "../../services/execution/requests/run-sync.ts";
import { toErrorReply } from "./edge.ts";
import { jsonText, type Reply } from "./reply.ts";

/** Returns the reply of a synchronous run: its result, or the reply that the script describes in it. */
export function buildResultReply({ id, state, resultJson, stored, cached }: SyncResult): Reply {
  const ours = { "x-svc-job-id": id, "x-svc-job-state": state, ...(cached ? { "x-svc-cached": "true" } : {}) };
  if (resultJson === undefined) return jsonText(200, JSON.stringify(stored), ours);
  try {
    const { status, headers, body, base64 } = buildReply(id, resultJson);
    return { statusCode: status, headers: { ...headers, ...ours }, body, isBase64Encoded: base64 };
  } catch (error) {
    // The run itself is unaffected: only its reply cannot be made.
    if (isSvcError(error)) return toErrorReply(error, ours);
    throw error;
  }
}
