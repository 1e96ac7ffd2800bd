import { hasEnded } from "../../core/jobs/record/job.ts";
import type { BuildState, Runnable } from "../../core/scripts/version.ts";
import { scriptHeadObject, scriptLockObject, scriptVersionObject } from "../../core/scripts/version.ts";
import type { ObjectStore } from "../../ports/object-store.ts";
import { sendBuildWaiters } from "../jobs/queue/build-waiters.ts";
import type { Uses } from "../uses.ts";
import { requireScriptVersion } from "./load.ts";

/**
 * Returns the state of a version's build. If the build's job was canceled or lost without recording an outcome, the build is recorded as
 * failed, so that no job waits for it any longer. Throws `script.versionNotFound`.
 */
export async function settleBuild(deps: Uses<"jobs" | "objects" | "queue">, version: Runnable): Promise<BuildState> {
  const { workspace, hash, build } = version;
  if (build.state !== "pending") return build;
  const { objects, jobs } = deps;
  const job = await jobs.get(build.job);
  if (job && !hasEnded(job)) return build;
  // A build records its outcome before its job ends, so a missing outcome is final only now.
  const now = requireScriptVersion(await objects.get(scriptVersionObject.key(workspace, hash)), hash).build;
  if (now.state !== "pending") return now;
  const error = `The job ${build.job} that builds it ${job ? `was ${job.state === "canceled" ? "canceled" : "lost"}` : "is gone"}. Save the script again.`;
  const failed: BuildState = { state: "failed", job: build.job, error };
  await objects.put({ ...scriptLockObject.key(workspace, hash), value: { lockErrorLogs: `${error}\n` } });
  await recordBuild(objects, version, failed);
  await sendBuildWaiters(deps, workspace, hash);
  return failed;
}

/** Writes the outcome of a build to the version and, while it is the newest, to the script's head. */
export async function recordBuild(objects: ObjectStore, { workspace, path, hash }: Runnable, build: BuildState): Promise<void> {
  for (const key of [scriptVersionObject.key(workspace, hash), scriptHeadObject.key(workspace, path)]) {
    await objects.update({ ...key, build }, { version: hash });
  }
}
