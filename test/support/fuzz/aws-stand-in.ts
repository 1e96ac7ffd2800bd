import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import type { MachineRequest } from "../../../core/flows/version.ts";

/** Returns the reply of a deployed function. The name `runner` means the runners of all languages. */
type Invoke = (name: string, payload: unknown) => Promise<unknown>;

/** Answers a call of Step Functions. `target` ends with the name of the operation. */
type AnswerStepFunctions = (target: string, body: string) => object;
interface Answers {
  invoke: Invoke;
  stepFunctions?: AnswerStepFunctions | undefined;
}

let answers: Answers | undefined;
let started: Promise<string> | undefined;

/**
 * Replaces Lambda and Step Functions, because the engine of use-case tests deploys no function: functions run in this process. Unless
 * `stepFunctions` answers, executions start and never continue. Each process has one server, because the clients of AWS know its address as
 * long as the process lasts.
 */
export async function startAwsStandIn(newAnswers: Answers): Promise<{ url: string; close: () => void }> {
  answers = newAnswers;
  started ??= startServer();
  return {
    url: await started,
    close: () => {
      if (answers === newAnswers) answers = undefined;
    },
  };
}

async function startServer(): Promise<string> {
  const server = http.createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString("utf8");
    const name = /^\/2015-03-31\/functions\/([^/]+)\/invocations/.exec(request.url ?? "")?.[1];
    try {
      if (!answers) throw new Error("No test answers this call.");
      const { invoke, stepFunctions = answerStepFunctions } = answers;
      const target = String(request.headers["x-amz-target"]);
      const result = name === undefined ? stepFunctions(target, body) : await invoke(name, JSON.parse(body));
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(result ?? null));
    } catch (error) {
      response.writeHead(200, { "x-amz-function-error": "Unhandled" }).end(JSON.stringify({ errorMessage: String(error) }));
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  // The process may end while the server listens.
  server.unref();
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function answerStepFunctions(target: string, body: string): object {
  const { executionArn = "", name = "" } = JSON.parse(body) as { executionArn?: string; name?: string };
  const startDate = Date.now() / 1000;
  if (target.endsWith(".DescribeExecution")) return { executionArn, name, status: "RUNNING", startDate };
  return { executionArn: `${executionArn}${name}`, startDate, stopDate: startDate };
}

/** The name that function `flows` returns for a definition. */
export const toMachineName = ({ value }: MachineRequest): { machine: string } => ({ machine: `m-${JSON.stringify(value).length}` });
