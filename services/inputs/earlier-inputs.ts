import { actions } from "../../contract/access/actions.ts";
import type { InputJson, RunnableQuery } from "../../contract/routes/jobs/inputs.ts";
import { removeMarkedSecrets } from "../../core/inputs/marked-secrets.ts";
import { argsVisibleTo } from "../../core/jobs/record/job.ts";
import type { WorkspaceCaller } from "../../core/people/actor.ts";
import { escapeReferences } from "../../core/resources/references.ts";
import type { ObjectCaller } from "../identity/permit.ts";
import { type ListPage, listJobJsons } from "../jobs/read/lists/list.ts";
import { findJob } from "../jobs/read/read.ts";
import { loadJson } from "../jobs/values/values.ts";
import { loadReferenceFilter } from "../resources/inherited-references.ts";
import type { Uses } from "../uses.ts";
import { findRunnable, loadJobSchema } from "./runnable.ts";

interface HistoryQuery extends RunnableQuery {
  page?: number | undefined;
  per_page?: number | undefined;
  cursor?: string | undefined;
  args?: string | undefined;
  include_preview?: boolean | undefined;
}

/** Lists the ended runs of a script or flow that the caller may see, newest first. Throws as `findRunnable` does, and `query.invalid`. */
export async function listEarlierInputs(
  deps: Uses<"jobs" | "objects" | "storage" | "nowMs">,
  caller: ObjectCaller,
  { runnable_id, runnable_type, include_preview: previews, ...query }: HistoryQuery,
): Promise<ListPage<InputJson>> {
  const { actor, workspace } = caller;
  const { kind, path, hash } = await findRunnable(deps, caller, { runnable_id, runnable_type });
  const kinds =
    kind === "flow" ? ["flow", ...(previews ? ["flowpreview"] : [])] : ["script", "singlestepflow", ...(previews ? ["preview"] : [])];
  const search = { ...query, script_path_exact: path, script_hash: hash, job_kinds: kinds.join(",") };
  const { entries, ...page } = await listJobJsons(
    deps,
    { actor, action: actions.readJob },
    { workspace, query: search, scope: "completed" },
  );
  const inputs = entries.map(
    ({ id, created_by, created_at, ...job }): InputJson => ({
      ...{ id, name: `${created_at} ${created_by}`, created_by, created_at, is_public: true },
      ...("success" in job ? { success: job.success } : {}),
    }),
  );
  return { entries: inputs, ...page };
}

/**
 * Returns the arguments of a run that the caller may see, as values for a new one: without the values that the schema of its version marks as secrets, and
 * without references that count for the caller but not for the people of that run. Throws `job.notFound`.
 */
export async function getEarlierArgs(
  deps: Uses<"jobs" | "objects" | "storage">,
  { actor, workspace }: WorkspaceCaller,
  id: string,
): Promise<Record<string, unknown>> {
  const job = await findJob(deps, { actor, action: actions.readJob }, { workspace, id });
  const [args, schema] = await Promise.all([
    loadJson(deps, job, argsVisibleTo(actor, job)) as Promise<Record<string, unknown>>,
    loadJobSchema(deps, job),
  ]);
  const kept = removeMarkedSecrets(args, schema);
  return escapeReferences(kept, await loadReferenceFilter(deps, actor, job, kept)) as Record<string, unknown>;
}
