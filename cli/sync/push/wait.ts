import { setTimeout as sleep } from "node:timers/promises";
import type { Reply } from "../../../contract/client/operation.ts";
import type { ApiClient } from "../../api/client.ts";
import type { Context } from "../../context.ts";
import { CommandError } from "../../errors.ts";

type BuildStatus = Reply<"scripts.deploymentStatus"> | Reply<"flows.deploymentStatus">;

const PAUSE_MS = 500;

/** Waits for the builds that a push has caused. Throws `CommandError` with the log of each that failed. */
export async function waitForBuilds(
  context: Context,
  client: ApiClient,
  { scripts, flows }: { scripts: ReadonlyMap<string, string>; flows: readonly string[] },
): Promise<void> {
  const failed: string[] = [];
  const report = (path: string, { lock_error_logs: log }: BuildStatus) => {
    if (log === undefined) context.output.detail(`built ${path}`);
    else failed.push(`${path}:\n${log}`);
  };
  for (const [path, hash] of scripts)
    report(
      path,
      await poll(
        () => client.call.scripts.deploymentStatus({ hash }),
        (status) => "lock" in status && status.lock !== undefined,
      ),
    );
  for (const path of flows) report(path, await waitForFlow(client, path));
  if (failed.length > 0) throw new CommandError(`The push is done, but ${failed.length} of its builds failed.\n${failed.join("\n")}`);
}

async function waitForFlow(client: ApiClient, path: string): Promise<BuildStatus> {
  const read = () => client.call.flows.deploymentStatus({ path });
  const { job_id: job } = await read();
  const hasEnded = async () => job === undefined || (await client.call.jobs.getResultMaybe({ id: job })).completed;
  while (!(await hasEnded())) await sleep(PAUSE_MS);
  return read();
}

async function poll(read: () => Promise<BuildStatus>, isBuilt: (status: BuildStatus) => boolean): Promise<BuildStatus> {
  for (;;) {
    const status = await read();
    if (isBuilt(status) || status.lock_error_logs !== undefined) return status;
    await sleep(PAUSE_MS);
  }
}
