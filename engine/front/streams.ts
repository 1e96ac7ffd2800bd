import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { GetFunctionConfigurationCommand, LambdaClient } from "@aws-sdk/client-lambda";
import { env } from "../../contract/env.ts";
import { engineCredentials, functionCredentials } from "../engine/child-env.ts";
import type { Outputs } from "../engine/deploy.ts";

/** The functions whose replies are streamed, which the engine's Lambda does not support, with the outputs that name them. */
const OUTPUTS = { stream: "StreamFunction", routes: "RoutesFunction" } as const;
export type StreamingFunction = keyof typeof OUTPUTS;

/** Replaces a streaming function locally: the same handler in a separate thread with the environment and the rights of the function. */
export interface Streams {
  /** The URL of the worker, which starts with the first request, because most sessions do not need it. */
  target(): Promise<URL>;
  close(): Promise<void>;
}

interface Deployed {
  endpoint: string;
  outputs: Outputs;
  engineKey: string;
  /** The file to which functions append the runs that have ended. */
  endedRuns: string;
}

export function streamsOf(name: StreamingFunction, deployed: () => Deployed): Streams {
  let started: Promise<{ worker: Worker; url: URL }> | undefined;
  return {
    async target() {
      started ??= start(name, deployed()).catch((error: unknown) => {
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

async function start(
  name: StreamingFunction,
  { endpoint, outputs, engineKey, endedRuns }: Deployed,
): Promise<{ worker: Worker; url: URL }> {
  const functionName = outputs[OUTPUTS[name]] ?? "";
  const worker = new Worker(new URL("./stream-worker.ts", import.meta.url), {
    execArgv: ["--disable-warning=ExperimentalWarning"],
    // Its output is meant for a log on AWS.
    stdout: true,
    workerData: { engineKey, name },
    env: {
      ...(await readEnvironment(endpoint, functionName)),
      ...functionCredentials(functionName),
      AWS_ENDPOINT_URL: endpoint,
      [env.endedRuns]: endedRuns,
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

async function readEnvironment(endpoint: string, functionName: string): Promise<Record<string, string>> {
  const { AWS_REGION: region, AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = engineCredentials;
  const client = new LambdaClient({ endpoint, region, credentials: { accessKeyId, secretAccessKey } });
  const { Environment } = await client.send(new GetFunctionConfigurationCommand({ FunctionName: functionName }));
  client.destroy();
  return Environment?.Variables ?? {};
}
