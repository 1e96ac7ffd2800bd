import { isJsonObject } from "../../../../../../contract/json/json-object.ts";
import { Refused } from "../../../../shared/service.ts";
import { call } from "../../../data/api.ts";

interface Tested {
  /** Empty: a new flow, which has not run. */
  path: string;
  /** The last test of the flow on this page. */
  job: string | undefined;
}

/** A test of one step is a run at the path of the flow too, and has no inputs. */
const LOOKED_AT = 10;

/** Finds the last run of a flow, also a test, that had inputs. */
async function findRunWithInputs(workspace: string, path: string, signal: AbortSignal): Promise<string | undefined> {
  if (path === "") return undefined;
  const query = { script_path_exact: path, job_kinds: "flow,flowpreview", include_preview: true, per_page: LOOKED_AT };
  const jobs = await call.jobs.list({ workspace, query, signal });
  return jobs.find(({ args_preview: inputs }) => inputs !== undefined && inputs !== "{}")?.id;
}

/** Returns the inputs with which a flow ran last. Empty: it has not run, or the person may not see its last run, and the defaults count. */
export async function loadLastInputs(workspace: string, { path, job }: Tested, signal: AbortSignal): Promise<Record<string, unknown>> {
  try {
    const id = job ?? (await findRunWithInputs(workspace, path, signal));
    const inputs = id === undefined ? {} : await call.inputs.getArgs({ workspace, id, signal });
    return isJsonObject(inputs) ? inputs : {};
  } catch (error) {
    if (error instanceof Refused && [403, 404].includes(error.status)) return {};
    throw error;
  }
}
