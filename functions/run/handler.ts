import { jobTable } from "../../aws/job-table.ts";
import { publicKey } from "../../aws/keys.ts";
import { objectTable } from "../../aws/object-table.ts";
import { limits } from "../../contract/limits.ts";
import { type Preview, type RunQuery, runRoutes as routes } from "../../contract/routes/runs.ts";
import { keys } from "../../core/objects/keys.ts";
import type { StoredObject } from "../../core/objects/write.ts";
import type { Actor } from "../../core/people/actor.ts";
import type { Runnable } from "../../core/scripts/version.ts";
import { authenticate } from "../../services/identity/authenticate.ts";
import { enqueue, type NewJob } from "../../services/jobs/accept.ts";
import { runSync, type SyncAnswer } from "../../services/jobs/run-sync.ts";
import { newestAt, runnableOf, versionOf } from "../../services/scripts/load.ts";
import { apiHandler, on } from "../shared/edge.ts";
import { executor } from "../shared/executor.ts";
import { guard } from "../shared/guard.ts";
import { jsonText, type Reply, text } from "../shared/reply.ts";

const nowMs = Date.now;
const collaborators = executor("run");

/** Token and script head are read in one round trip: the run path has no other read. */
interface Auth {
  actor: Actor;
  head: StoredObject | undefined;
}

/** The job that a call asks for. */
function asked(auth: Auth, workspace: string, query: RunQuery, rest: Pick<NewJob, "kind" | "args"> & Partial<NewJob>): NewJob {
  const { job_id: id, parent_job: parent, root_job: root, scheduled_in_secs: delayS, tag } = query;
  return { actor: auth.actor, workspace, id, parent, root, delayS, ...rest, tag: tag ?? rest.tag };
}

function ofScript(auth: Auth, query: RunQuery, runnable: Runnable, args: Record<string, unknown>): NewJob {
  const { workspace, path, hash, language, timeoutS, tag, onBehalfOf } = runnable;
  return asked(auth, workspace, query, { kind: "script", path, hash, language, timeoutS, tag, args, onBehalfOf });
}

function ofPreview(auth: Auth, workspace: string, query: RunQuery & { timeout?: number | undefined }, preview: Preview): NewJob {
  const { content, language, path, args = {}, lock, tag } = preview;
  const code = { content, ...(lock === undefined ? {} : { lock }) };
  return asked(auth, workspace, query, { kind: "preview", path, language, code, args, tag: tag ?? language, timeoutS: query.timeout });
}

async function accept(job: NewJob): Promise<Reply> {
  const { id } = await enqueue(collaborators, job);
  return text(201, id, { "x-svc-job-id": id });
}

async function wait(job: NewJob, runnable?: Runnable): Promise<Reply> {
  return shape(await runSync(collaborators, job, runnable, nowMs() + limits.syncCallMs));
}

function shape({ id, state, resultJson, stored }: SyncAnswer): Reply {
  const headers = { "x-svc-job-id": id, "x-svc-job-state": state };
  return resultJson === undefined ? jsonText(200, JSON.stringify(stored), headers) : jsonText(200, resultJson, headers);
}

export const handler = apiHandler<Auth>(
  [
    on(routes.runScriptByPath, ({ auth, params, query, body }) => accept(ofScript(auth, query, newestAt(auth.head, params.path), body))),
    on(routes.runScriptByHash, ({ auth, params, query, body }) => accept(ofScript(auth, query, versionOf(auth.head, params.hash), body))),
    on(routes.runPreview, ({ auth, params, query, body }) => accept(ofPreview(auth, params.workspace, query, body))),
    on(routes.runWaitScriptByPath, ({ auth, params, query, body }) => {
      const runnable = newestAt(auth.head, params.path);
      return wait(ofScript(auth, query, runnable, body), runnable);
    }),
    on(routes.runWaitScriptByHash, ({ auth, params, query, body }) => {
      const runnable = versionOf(auth.head, params.hash);
      return wait(ofScript(auth, query, runnable, body), runnable);
    }),
    on(routes.runWaitPreview, ({ auth, params, query, body }) => wait(ofPreview(auth, params.workspace, query, body))),
  ],
  async (token, route, params) => {
    const { workspace = "", path, hash } = params;
    const head = path !== undefined ? keys.scriptHead(workspace, path) : hash !== undefined ? keys.version(workspace, hash) : undefined;
    const authenticator = { objects: objectTable, jobs: jobTable, publicKey, nowMs };
    const { actor, read } = await authenticate(authenticator, token, { workspace, alsoRead: head ? [head] : [] });
    // A version's path is known from its head, which is here already; one that is not there has none.
    const at = path ?? runnableOf(read[0])?.path;
    guard(actor, route, params, { workspace, ...(at === undefined ? {} : { path: at }) });
    return { actor, head: read[0] };
  },
);
