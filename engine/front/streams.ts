import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { env } from "../../contract/env.ts";
import { functionCredentials } from "../engine/child-env.ts";
import type { Outputs } from "../engine/deploy.ts";

/** Replaces the function `stream` locally: the same handler in a separate thread with the environment of the function. */
export interface Streams {
  /** The URL of the worker, which starts with the first request, because most sessions need none. */
  target(): Promise<URL>;
  close(): Promise<void>;
}

interface Deployed {
  endpoint: string;
  outputs: Outputs;
  baseUrl: string;
  engineKey: string;
}

export function streamsOf(deployed: () => Deployed): Streams {
  let started: Promise<{ worker: Worker; url: URL }> | undefined;
  return {
    async target() {
      started ??= start(deployed()).catch((error: unknown) => {
        started = undefined;
        throw error;
      });
      return (await started).url;
    },
    async close() {
      const running = await started?.catch(() => undefined);
      await running?.worker.terminate();
    },
  };
}

async function start({ endpoint, outputs, baseUrl, engineKey }: Deployed): Promise<{ worker: Worker; url: URL }> {
  const worker = new Worker(new URL("./stream-worker.ts", import.meta.url), {
    execArgv: ["--disable-warning=ExperimentalWarning"],
    // Its lines are for a log on AWS.
    stdout: true,
    workerData: { engineKey },
    env: {
      ...functionCredentials(outputs["StreamFunction"] ?? ""),
      AWS_ENDPOINT_URL: endpoint,
      [env.jobsTable]: outputs["JobsTable"] ?? "",
      [env.objectsTable]: outputs["ObjectsTable"] ?? "",
      [env.bucket]: outputs["Bucket"] ?? "",
      [env.queueUrl]: outputs["QueueUrl"] ?? "",
      [env.highQueueUrl]: outputs["HighQueueUrl"] ?? "",
      [env.baseUrl]: baseUrl,
      [env.includeHeaders]: process.env[env.includeHeaders] ?? "",
    },
  });
  worker.stdout.resume();
  const [port] = (await Promise.race([
    once(worker, "message"),
    once(worker, "exit").then(() => Promise.reject(new Error("The thread for streams ended."))),
  ])) as [number];
  worker.unref();
  return { worker, url: new URL(`http://127.0.0.1:${port}`) };
}
