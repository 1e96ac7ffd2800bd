import { getManifest, type RunnerLanguage } from "../../../contract/languages.ts";
import { Complaint } from "../../launch/complaint.mjs";
import { type Api, createApi, expectEqual, RUN_LIMIT_MS, request, step, type Target, until } from "./client.ts";

/** The first save starts a build. */
const BUILD_LIMIT_MS = 180_000;

/** Saves, builds, runs (both ways) and deletes one script. The script is deleted even if an earlier step fails. */
export async function smokeLanguage(target: Target, workspace: string, language: RunnerLanguage, path: string): Promise<boolean> {
  const { call } = createApi(target, workspace);
  const args = { a: 19, b: 23 };
  const { content, output, result: expected } = getManifest(language).smokeTest;
  let hash = "";
  const saved = await step(`${language}: save`, async () => {
    const script = { path, summary: "smoke test", description: "", content, language };
    hash = await call.scripts.create({ body: script });
    return hash;
  });
  if (!saved) return false;
  const steps: [string, () => Promise<string | undefined>][] = [
    ["build", () => built(call, hash)],
    [
      "run and wait",
      async () => {
        expectEqual(await call.jobs.runWait.scripts({ path, body: args }), expected, "The result");
        return undefined;
      },
    ],
    [
      "run in the background",
      async () => {
        const job = await call.jobs.run.scripts({ path, body: args });
        const ended = await until(RUN_LIMIT_MS, `The end of job ${job}`, async () => {
          const maybe = await call.jobs.getResultMaybe({ id: job });
          return maybe.completed ? maybe : undefined;
        });
        expectEqual(ended.result, expected, "The result");
        const log = await call.jobs.getLogs({ id: job });
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
    await call.scripts.deleteByPath({ path });
    const { status } = await request(target, "scripts.getByPath", { workspace, path });
    if (status !== 404) throw new Complaint(`The deleted script still exists: ${status}.`);
    return undefined;
  });
  return allWell && deleted;
}

/** Waits until a version of a script is built. */
export async function built(call: Api["call"], hash: string): Promise<undefined> {
  await until(BUILD_LIMIT_MS, "The build", async () => {
    const status = await call.scripts.deploymentStatus({ hash });
    if (status.lock_error_logs) throw new Complaint(`The build failed: ${status.lock_error_logs.slice(-400)}`);
    return status.lock === undefined ? undefined : true;
  });
}
