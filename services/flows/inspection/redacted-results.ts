import type { FlowValue } from "../../../contract/flows/flow-value.ts";
import { type Outcome, outcomeFormat, outcomeRef } from "../../../core/flows/journal.ts";
import { ROOT } from "../../../core/flows/scopes.ts";
import { parseJson } from "../../../core/records/record-format.ts";
import { loadValue } from "../../jobs/values/values.ts";
import type { Uses } from "../../uses.ts";

/** Larger results are not shown to approvers, who get a note to open the run instead. */
const MAX_RESULT_BYTES = 32 * 1024;

/** Loads the results of the modules in a flow's own list, by module id, without secrets. */
export async function loadRedactedResults(
  deps: Uses<"jobs" | "storage">,
  flow: string,
  { modules }: Pick<FlowValue, "modules">,
): Promise<Record<string, unknown>> {
  const refs = new Map(modules.map(({ id }) => [outcomeRef(id, ROOT, ""), id]));
  const { items } = await deps.jobs.getWith(flow, [...refs.keys()], { head: false });
  const shown = await Promise.all(
    [...items].flatMap(([ref, item]) => {
      const id = refs.get(ref);
      return id === undefined ? [] : [loadRedactedResult(deps, outcomeFormat.parse(item)).then((value) => [id, value] as const)];
    }),
  );
  return Object.fromEntries(shown);
}

async function loadRedactedResult(deps: Uses<"jobs" | "storage">, { result }: Outcome): Promise<unknown> {
  const location = result.redacted ?? result.location;
  if (location.in === "s3" && (location.bytes ?? 0) > MAX_RESULT_BYTES) return TOO_LARGE;
  const json = await loadValue(deps, { id: result.jobId }, location);
  return json.length > MAX_RESULT_BYTES ? TOO_LARGE : parseJson({ parent: result.jobId, ref: "result", json });
}
const TOO_LARGE = "(too large to be shown here)";
