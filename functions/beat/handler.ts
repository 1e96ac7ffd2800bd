import type { APIGatewayProxyEvent, Context, LambdaFunctionURLEvent } from "aws-lambda";
import { jobTable } from "../../aws/dynamodb/job-table.ts";
import { objectTable } from "../../aws/dynamodb/object-table.ts";
import { findListedKey } from "../../aws/kms/signing-keys.ts";
import { storage } from "../../aws/s3/storage.ts";
import { SvcError } from "../../contract/errors.ts";
import { internalRoutes as routes } from "../../contract/routes/jobs/internal.ts";
import { isJobToken, type JobClaims } from "../../core/people/token.ts";
import { checkPreprocessed } from "../../services/execution/arguments/check-preprocessed.ts";
import { recordHeartbeat, recordReport } from "../../services/execution/heartbeat.ts";
import { verifyJobToken } from "../../services/identity/tokens/job-token.ts";
import { connectOutcomeHandlers } from "../../services/outcome-handlers/follow-ups.ts";
import { apiHandler, on } from "../shared/edge/edge.ts";
import { toGatewayEvent } from "../shared/function-url.ts";
import { json, type Reply, text } from "../shared/reply/reply.ts";

const nowMs = Date.now;
// The function that called the runner queues the follow-ups of the job, or housekeeping does.
const followUps = connectOutcomeHandlers({ objects: objectTable, queue: { sendFollowUp: async () => {} }, nowMs });
const deps = { jobs: jobTable, storage, followUps, nowMs };
interface Auth {
  claims: JobClaims;
  token: string;
}
const toAttempt = ({ claims, token }: Auth) => ({ id: claims.job, workspace: claims.ws, token });

const answer = apiHandler<Auth>(
  [
    on(routes.beat, async ({ auth, body }) => json(200, await recordHeartbeat(deps, toAttempt(auth), body))),
    on(routes.check, async ({ params: { id }, body }) => json(200, await checkPreprocessed({ ...deps, objects: objectTable }, id, body))),
    on(routes.report, async ({ auth, body }) => text(200, await recordReport(deps, toAttempt(auth), body))),
  ],
  // Called before the body is read: a request without a valid signature costs no call of AWS.
  async (token, _route, { id }) => {
    if (!token) throw new SvcError("auth.missing", {});
    if (!isJobToken(token)) throw new SvcError("auth.invalid", {});
    const claims = await verifyJobToken(findListedKey, token, nowMs());
    // A job may report only for itself. The write that follows is conditional on the job still running.
    if (claims.job !== id) throw new SvcError("auth.invalid", {});
    return { claims, token };
  },
);

/** On AWS requests arrive at the URL of the function, and on the local engine through its API Gateway. */
export const handler = (event: APIGatewayProxyEvent | LambdaFunctionURLEvent, context: Context): Promise<Reply> =>
  answer("httpMethod" in event ? event : toGatewayEvent(event), context);
