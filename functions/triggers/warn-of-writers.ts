import type { WorkspaceCaller } from "../../core/people/actor.ts";
import { findOtherWriters, type SavedStarter } from "../../services/triggers/other-writers.ts";
import type { Reply } from "../shared/reply/reply.ts";
import { addWarning, nameSome } from "../shared/warning.ts";
import { deps } from "./deps.ts";

const ADVICE = 'To fix a version, run a flow at a path that only admins may change, whose step names the "hash" of the script.';

/**
 * Returns the reply to an admin who has saved a schedule or trigger, with a warning if others may change code that runs with the admin's rights.
 */
export const warnOfWriters = (reply: Reply, caller: WorkspaceCaller, load: () => Promise<SavedStarter>): Promise<Reply> =>
  addWarning(reply, "The writers of what a schedule or trigger runs were not read", async () => {
    const found = await findOtherWriters(deps, caller, load);
    const named = found.map(({ path, writers }) => `${path} (${nameSome(writers)})`);
    return named.length === 0 ? undefined : `Others may change what this runs: ${named.join("; ")}. ${ADVICE}`;
  });
