import { jobTable } from "../../aws/dynamodb/job-table.ts";
import { objectTable } from "../../aws/dynamodb/object-table.ts";
import { dataKeys } from "../../aws/kms/data-keys.ts";
import { storage } from "../../aws/s3/storage.ts";
import { limits } from "../../contract/limits.ts";
import { syncRoutes as routes } from "../../contract/routes/sync/sync.ts";
import { matchesEtag } from "../../core/reply/etag.ts";
import { createWorkspaceArchive, storeArchive, type WorkspaceArchive } from "../../services/sync/create-archive.ts";
import { domainApi, secretReader } from "../shared/edge/domain-api.ts";
import { on } from "../shared/edge/edge.ts";
import type { Reply } from "../shared/reply/reply.ts";

const deps = { objects: objectTable, jobs: jobTable, storage, dataKeys, nowMs: Date.now };

/** Archives of workspaces. */
export const handler = domainApi([
  on(routes.archive, async ({ auth, params: { workspace }, query, headers }) => {
    const archive = await createWorkspaceArchive(deps, secretReader(auth, workspace, routes.archive), query);
    // The archive may contain secrets, so no cache may store it.
    const shared = { etag: archive.etag, "cache-control": "no-store", "x-content-type-options": "nosniff" };
    if (matchesEtag(headers["if-none-match"], archive.etag)) return { statusCode: 304, headers: shared, body: "" };
    return sendArchive(workspace, archive, shared);
  }),
]);

async function sendArchive(workspace: string, archive: WorkspaceArchive, shared: Record<string, string>): Promise<Reply> {
  const { contentType } = archive;
  const bytes = await archive.pack();
  if (bytes.length > limits.archiveReplyBytes) {
    return { statusCode: 302, headers: { ...shared, location: await storeArchive(deps, workspace, archive, bytes) }, body: "" };
  }
  return {
    statusCode: 200,
    headers: { ...shared, "content-type": contentType, "content-disposition": `attachment; filename="${workspace}"` },
    body: Buffer.from(bytes).toString("base64"),
    isBase64Encoded: true,
  };
}
