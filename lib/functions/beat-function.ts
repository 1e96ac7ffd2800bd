import { Fn } from "aws-cdk-lib";
import { FunctionUrlAuthType, InvokeMode, type Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import { divideConcurrency } from "../compute/concurrency.ts";
import { addFunction, type StackParts } from "./add-function.ts";

type BeatParts = Pick<StackParts, "scope" | "config" | "bundles" | "url" | "objects" | "jobs" | "storage">;

/**
 * The function that answers the internal routes of runners. On AWS it has a URL that bypasses CloudFront and API Gateway, so that no other
 * requests use up its limits. The URL requires no credentials, because runners have none: the function checks the signature of the job
 * token first. On the local engine, the front server forwards its requests at the address of the service.
 */
export function addBeatFunction(parts: BeatParts): { beat: LambdaFunction; beatUrl: string } {
  const { config, url, objects, jobs, storage } = parts;
  const beat = addFunction(
    parts,
    "beat",
    {
      description: "svc: heartbeats and reports of runners",
      memoryMb: 512,
      timeoutS: 30,
      reservedConcurrency: divideConcurrency(config).reserved.beat,
    },
    (fn) => {
      // The version whose schema the arguments of a preprocessor must match, and the handlers of jobs.
      objects.allowGetItem(fn);
      objects.allowListKeys(fn);
      jobs.allowBeat(fn);
      // The end of a run joins its stream, whose parts beats have stored, with its result.
      storage.allowGet(fn, "jobs");
      storage.allowWrite(fn, "jobs");
    },
  );
  if (config.local) return { beat, beatUrl: config.internalUrl ?? url };
  const functionUrl = beat.addFunctionUrl({ authType: FunctionUrlAuthType.NONE, invokeMode: InvokeMode.BUFFERED }).url;
  // The URL of a function ends with a slash.
  return { beat, beatUrl: `https://${Fn.select(2, Fn.split("/", functionUrl))}` };
}
