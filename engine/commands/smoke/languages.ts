import { getManifest, type RunnerLanguage } from "../../../contract/languages.ts";
import { Complaint } from "../../launch/complaint.mjs";
import { ask, call, expectEqual, RUN_LIMIT_MS, step, type Target, until } from "./client.ts";

/** The first save starts a build. */
const BUILD_LIMIT_MS = 180_000;

/** Saves, builds, runs (both ways) and deletes one script. The script is deleted even if an earlier step fails. */
export async function smokeLanguage(target: Target, workspace: string, language: RunnerLanguage, path: string): Promise<boolean> {
  const w = `/api/w/${workspace}`;
  const args = { a: 19, b: 23 };
  const { content, output, result: wanted } = getManifest(language).smokeTest;
  let hash = "";
  const saved = await step(`${language}: save`, async () => {
    const script = { path, summary: "smoke test", description: "", content, language };
    hash = await ask(target, "POST", `${w}/scripts/create`, script);
    return hash;
  });
  if (!saved) return false;
  const steps: [string, () => Promise<string | undefined>][] = [
    ["build", () => built(target, w, hash)],
    [
      "run and wait",
      async () => {
        expectEqual(JSON.parse(await ask(target, "POST", `${w}/jobs/run_wait_result/p/${path}`, args)), wanted, "The result");
        return undefined;
      },
    ],
    [
      "run in the background",
      async () => {
        const job = await ask(target, "POST", `${w}/jobs/run/p/${path}`, args);
        const ended = await until(RUN_LIMIT_MS, `The end of job ${job}`, async () => {
          const maybe = JSON.parse(await ask(target, "GET", `${w}/jobs_u/completed/get_result_maybe/${job}`)) as {
            completed: boolean;
            result: unknown;
          };
          return maybe.completed ? maybe : undefined;
        });
        expectEqual(ended.result, wanted, "The result");
        const log = await ask(target, "GET", `${w}/jobs_u/get_logs/${job}`);
        if (!log.includes(output))
          throw new Complaint(`The log does not contain the output of the script: ${JSON.stringify(log.slice(0, 200))}`);
        return undefined;
      },
    ],
  ];
  let allWell = true;
  for (const [name, work] of steps) {
    allWell = await step(`${language}: ${name}`, work);
    if (!allWell) break;
  }
  const deleted = await step(`${language}: delete`, async () => {
    await ask(target, "POST", `${w}/scripts/delete/p/${path}`, {});
    const { status } = await call(target, "GET", `${w}/scripts/get/p/${path}`);
    if (status !== 404) throw new Complaint(`The deleted script still exists: ${status}.`);
    return undefined;
  });
  return allWell && deleted;
}

/** Waits until a version of a script is built. */
export async function built(target: Target, w: string, hash: string): Promise<undefined> {
  await until(BUILD_LIMIT_MS, "The build", async () => {
    const status = JSON.parse(await ask(target, "GET", `${w}/scripts/deployment_status/h/${hash}`)) as {
      lock?: string;
      lock_error_logs?: string;
    };
    if (status.lock_error_logs) throw new Complaint(`The build failed: ${status.lock_error_logs.slice(-400)}`);
    return status.lock === undefined ? undefined : true;
  });
}
