import type { Context } from "../../context.ts";
import { DevSession } from "../../dev/dev-session.ts";
import { writeTypes } from "../../dev/write-types.ts";
import { openSyncProject } from "../../sync/session.ts";

/** Runs a script or flow when one of its files is saved, until the process is interrupted. */
export async function dev(context: Context): Promise<void> {
  const { output } = context;
  const { project, target } = openSyncProject(context);
  const interrupted = waitForInterrupt();
  await writeTypes(context, context.client(target), project.root);
  const session = await DevSession.start(context, project);
  output.progress({ event: "ready" }, `Save a script or a flow to run it in ${target.workspace}. Ctrl-C ends.\n`);
  await interrupted;
  await session.close();
}

/** Waits for Ctrl-C, or for the signal of a program that ends this one. A second signal ends the process at once. */
const waitForInterrupt = (): Promise<void> =>
  new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve());
  });
