import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import type { MachineRequest } from "../../../core/flows/version.ts";

/** Returns the reply of a deployed function. The name `runner` means the runners of all languages. */
type Invoke = (name: string, payload: unknown) => Promise<unknown>;

/**
 * Replaces Lambda and Step Functions, because the engine of use-case tests deploys no function: functions run in this process, and executions
 * start and never continue.
 */
export async function startAwsStandIn(invoke: Invoke): Promise<{ url: string; close: () => void }> {
  const server = http.createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString("utf8");
    const name = /^\/2015-03-31\/functions\/([^/]+)\/invocations/.exec(request.url ?? "")?.[1];
    try {
      const result = name === undefined ? answerStepFunctions(request.headers["x-amz-target"], body) : await invoke(name, JSON.parse(body));
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(result ?? null));
    } catch (error) {
      response.writeHead(200, { "x-amz-function-error": "Unhandled" }).end(JSON.stringify({ errorMessage: String(error) }));
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

function answerStepFunctions(target: string | string[] | undefined, body: string): object {
  const { executionArn = "", name = "" } = JSON.parse(body) as { executionArn?: string; name?: string };
  const startDate = Date.now() / 1000;
  if (String(target).endsWith(".DescribeExecution")) return { executionArn, name, status: "RUNNING", startDate };
  return { executionArn: `${executionArn}${name}`, startDate, stopDate: startDate };
}

/** The name that function `flows` returns for a definition. */
export const toMachineName = ({ value }: MachineRequest): { machine: string } => ({ machine: `m-${JSON.stringify(value).length}` });
