import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { parentPort, workerData } from "node:worker_threads";
import type { APIGatewayProxyEvent, Context } from "aws-lambda";
import { answer } from "../../functions/stream/answer.ts";
import { ENGINE_KEY_HEADER } from "./admission.ts";

const { engineKey } = workerData as { engineKey: string };

/** The local edge of the function `stream`: it passes events in the form of API Gateway and sends the parts of the reply as they arrive. */
const server = http.createServer(async (request, response) => {
  // Only the front server has checked where a request comes from.
  if (request.headers[ENGINE_KEY_HEADER] !== engineKey) return void response.writeHead(403).end();
  try {
    const { statusCode, headers = {}, body, chunks } = await answer(await eventOf(request), { awsRequestId: "local" } as Context);
    response.writeHead(statusCode, headers as Record<string, string>);
    if (!chunks) return void response.end(body);
    // The client receives the headers immediately.
    response.flushHeaders();
    const reader = new AbortController();
    response.once("close", () => reader.abort());
    for await (const chunk of chunks(reader.signal)) {
      if (response.destroyed) break;
      // Full: the next piece waits until the client has taken this one.
      if (!response.write(chunk)) await once(response, "drain", reader).catch(() => undefined);
    }
    response.end();
  } catch {
    response.destroy();
  }
});
server.requestTimeout = 0;
server.listen(0, "127.0.0.1", () => parentPort?.postMessage((server.address() as AddressInfo).port));

async function eventOf(request: http.IncomingMessage): Promise<APIGatewayProxyEvent> {
  // The key is for this server alone, and a script may ask for any header of its call.
  const { [ENGINE_KEY_HEADER]: _, ...headers } = request.headers;
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://local");
  const many = Object.fromEntries([...new Set(searchParams.keys())].map((name) => [name, searchParams.getAll(name)]));
  return {
    httpMethod: request.method ?? "GET",
    path: pathname,
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
    queryStringParameters: Object.fromEntries(searchParams),
    multiValueQueryStringParameters: many,
    body: Buffer.concat(await request.toArray()).toString("base64"),
    isBase64Encoded: true,
  } as unknown as APIGatewayProxyEvent;
}
