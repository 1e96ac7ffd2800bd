import { expectStatus, type Workspace } from "../api/workspace.ts";
import type { Witness } from "../jobs/witness.ts";
import { flow } from "./flow.ts";

type Job = Record<string, unknown>;

/** Calls that start flows of a workspace and read their steps. */
export function flowCalls(workspace: () => Workspace) {
  const start = async (path: string, args: object = {}) =>
    expectStatus(await workspace().ask.jobs.run.flows({ path, body: args }), 201).text;
  const ended = async (path: string, args: object = {}) => workspace().completed(await start(path, args));
  const stepsOf = async (id: unknown) =>
    (await workspace().ask.jobs.list({ query: { parent_job: String(id), order_desc: false } })).json as Job[];
  return { start, ended, stepsOf };
}

export const nested = (id: string, path: string, more: object = {}) => ({
  id,
  value: { type: "flow", path, input_transforms: {} },
  ...more,
});

/** A step that reports its start and, after a number of seconds, its end to the witness. */
export const tellingStep =
  (witness: () => Witness) =>
  (id: string, what: string, seconds = 0, more: object = {}) =>
    flow.script(
      id,
      `export async function main(url: string, what: string, seconds: number) {
      await fetch(url + "/" + what);
      await Bun.sleep(seconds * 1000);
      await fetch(url + "/" + what + "-ended");
      return what;
    }`,
      { url: `"${witness().url}"`, what: `"${what}"`, seconds: String(seconds) },
      more,
    );
