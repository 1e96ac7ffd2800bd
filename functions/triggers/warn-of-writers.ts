import type { WorkspaceCaller } from "../../core/people/actor.ts";
import { reportFailure } from "../../core/telemetry/telemetry.ts";
import { findOtherWriters, type SavedStarter } from "../../services/triggers/other-writers.ts";
import type { Reply } from "../shared/reply.ts";
import { deps } from "./deps.ts";

/** The number of users and groups that a warning names for each script. */
const MOST_NAMED = 5;

/** Returns the reply to an admin who has saved a schedule or trigger, with a warning if others may change what runs with the admin's rights. */
export async function warnOfWriters(reply: Reply, caller: WorkspaceCaller, load: () => Promise<SavedStarter>): Promise<Reply> {
  // The object is saved, so its reply does not depend on the warning.
  const found = await findOtherWriters(deps, caller, load).catch((error: unknown) => {
    reportFailure("The writers of what a schedule or trigger runs were not read", error, {});
    return [];
  });
  if (found.length === 0) return reply;
  const named = found.map(({ path, writers }) => {
    const some = writers.slice(0, MOST_NAMED).join(", ");
    return `${path} (${some}${writers.length > MOST_NAMED ? ", ..." : ""})`;
  });
  const advice = 'To fix a version, run a flow at a path that only admins may change, whose step names the "hash" of the script.';
  return { ...reply, headers: { ...reply.headers, "x-svc-warning": `Others may change what this runs: ${named.join("; ")}. ${advice}` } };
}
