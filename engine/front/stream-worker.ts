import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { parentPort, workerData } from "node:worker_threads";
import type { APIGatewayProxyEvent, Context } from "aws-lambda";
import type { Reply } from "../../functions/shared/reply/reply.ts";
import { ENGINE_KEY_HEADER } from "./admission.ts";
import { splitTarget } from "./front.ts";

import type { StreamingFunction } from "./streams.ts";

const { engineKey, name } = workerData as { engineKey: string; name: StreamingFunction };
type Answer = (event: APIGatewayProxyEvent, context: Context) => Promise<Reply>;
const { answer } = (await import(`../../functions/${name}/answer.ts`)) as { answer: Answer };

/** The local edge of a streaming function: it passes events in the form of API Gateway and sends the parts of the reply as they arrive. */
const server = http.createServer(async (request, response) => {
  // Only the front server has checked the origin of a request.
  if (request.headers[ENGINE_KEY_HEADER] !== engineKey) return void response.writeHead(403).end();
  try {
    const {
      statusCode,
      headers = {},
      body,
      chunks,
      isBase64Encoded,
    } = await answer(await eventOf(request), { awsRequestId: "local" } as Context);
    response.writeHead(statusCode, headers as Record<string, string>);
    if (!chunks) return void response.end(isBase64Encoded ? Buffer.from(body, "base64") : body);
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
  // Only this server may see the key, and a script may request any header of its call.
  const { [ENGINE_KEY_HEADER]: _, ...headers } = request.headers;
  const { [ENGINE_KEY_HEADER]: __, ...multiValueHeaders } = request.headersDistinct;
  // A URL would resolve the dots of a path, which reach a function on AWS.
  const { path, query } = splitTarget(request.url ?? "/");
  const pairs = [...new URLSearchParams(query)];
  const byName = Map.groupBy(pairs, ([name]) => name);
  const many = Object.fromEntries([...byName].map(([name, all]) => [name, all.map(([, value]) => value)]));
  const event: Partial<APIGatewayProxyEvent> = {
    httpMethod: request.method ?? "GET",
    path,
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
    multiValueHeaders,
    queryStringParameters: Object.fromEntries(pairs),
    multiValueQueryStringParameters: many,
    body: Buffer.concat(await request.toArray()).toString("base64"),
    isBase64Encoded: true,
  };
  // The functions read no other field of the event.
  return event as APIGatewayProxyEvent;
}
