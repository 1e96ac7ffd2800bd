import { spawn } from "node:child_process";
import { CreateFunctionCommand, DeleteFunctionCommand, InvokeCommand, LambdaClient } from "@aws-sdk/client-lambda";
import { strToU8, zipSync } from "fflate";
import { engineCredentials } from "../engine/engine/child-env.ts";
import { manyClients, median, oneClient, sorted } from "./measure.ts";
import type { Floor } from "./table.ts";

/** Measures the engine's own time for a function that only prints its line, as every function does. */
export interface InvokeFloor {
  oneClient: Floor;
  sixteenClients: Floor;
}

const SOURCE = 'export const handler = async () => { console.log(JSON.stringify({ level: "INFO", message: "empty" })); return {}; };';
const NAME = "svc-bench-empty";

/** Creates a client for the engine at `endpoint`, which has one account. */
export const engineClientConfig = (endpoint: string) => ({
  endpoint,
  region: engineCredentials.AWS_REGION,
  credentials: { accessKeyId: engineCredentials.AWS_ACCESS_KEY_ID, secretAccessKey: engineCredentials.AWS_SECRET_ACCESS_KEY },
});

export async function invokeFloor(endpoint: string, quick: boolean): Promise<InvokeFloor> {
  const lambda = new LambdaClient({ ...engineClientConfig(endpoint), requestHandler: { httpAgent: { maxSockets: 64 } } });
  await lambda.send(
    new CreateFunctionCommand({
      FunctionName: NAME,
      Runtime: "nodejs24.x",
      Handler: "index.handler",
      Role: "arn:aws:iam::000000000000:role/none",
      MemorySize: 1024,
      Code: { ZipFile: zipSync({ "index.mjs": strToU8(SOURCE) }) },
    }),
  );
  const call = () => lambda.send(new InvokeCommand({ FunctionName: NAME, Payload: "{}" }));
  try {
    const alone = await oneClient(call, { calls: quick ? 1 : 200, warmUp: quick ? 0 : 20 });
    const load = { clients: 16, warmUpMs: 8000, forMs: 6000 };
    const together = await manyClients(call, quick ? { clients: 2, warmUpMs: 0, forMs: 1500, enough: 2 } : load);
    return {
      oneClient: { name: "bare invoke", value: median(alone) },
      sixteenClients: { name: "bare invoke", value: together.perSecond },
    };
  } finally {
    await lambda.send(new DeleteFunctionCommand({ FunctionName: NAME }));
    lambda.destroy();
  }
}

/** The time of starting a program that does nothing and waiting for its end. */
export async function spawnFloor(name: string, command: string[], quick: boolean): Promise<Floor> {
  const took: number[] = [];
  for (let at = 0; at < (quick ? 1 : 15); at++) took.push(await timeSpawn(command));
  return { name: `bare ${name}`, value: median(sorted(took)) };
}

/** Starts a program, waits for its end and returns the duration in milliseconds. */
export async function timeSpawn([file = "", ...args]: string[]): Promise<number> {
  const startedMs = performance.now();
  await new Promise<void>((resolve, reject) => {
    const child = spawn(file, args, { stdio: "ignore" });
    child.once("error", reject);
    child.once("exit", () => resolve());
  });
  return performance.now() - startedMs;
}
