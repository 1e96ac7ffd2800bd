import { jobTable } from "../../aws/dynamodb/job-table.ts";
import { objectTable } from "../../aws/dynamodb/object-table.ts";
import { findPublicKey } from "../../aws/kms/signing-keys.ts";
import { storage } from "../../aws/s3/storage.ts";
import { SvcError } from "../../contract/errors.ts";
import { internalRoutes as routes } from "../../contract/routes/jobs/internal.ts";
import { isJobToken, type JobClaims } from "../../core/people/token.ts";
import { checkPreprocessed } from "../../services/execution/arguments/check-preprocessed.ts";
import { recordHeartbeat, recordReport } from "../../services/execution/heartbeat.ts";
import { connectHandlers } from "../../services/handlers/follow-ups.ts";
import { verifyJobToken } from "../../services/identity/job-token.ts";
import { apiHandler, on } from "../shared/edge.ts";
import { json, text } from "../shared/reply.ts";

const nowMs = Date.now;
// The function that called the runner asks for the handlers of the job, or housekeeping does.
const followUps = connectHandlers({ objects: objectTable, queue: { sendFollowUp: async () => {} }, nowMs });
const deps = { jobs: jobTable, storage, followUps, nowMs };
interface Auth {
  claims: JobClaims;
  token: string;
}
const toAttempt = ({ claims, token }: Auth) => ({ id: claims.job, workspace: claims.ws, token });

export const handler = apiHandler<Auth>(
  [
    on(routes.beat, async ({ auth, body }) => json(200, await recordHeartbeat(deps, toAttempt(auth), body))),
    on(routes.check, async ({ params: { id }, body }) => json(200, await checkPreprocessed({ ...deps, objects: objectTable }, id, body))),
    on(routes.report, async ({ auth, body }) => text(200, await recordReport(deps, toAttempt(auth), body))),
  ],
  async (token, _route, { id }) => {
    if (!token) throw new SvcError("auth.missing", {});
    if (!isJobToken(token)) throw new SvcError("auth.invalid", {});
    const claims = await verifyJobToken(findPublicKey, token, nowMs());
    // A job may report only for itself. The write that follows is conditional on the job still running.
    if (claims.job !== id) throw new SvcError("auth.invalid", {});
    return { claims, token };
  },
);
