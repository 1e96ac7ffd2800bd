import type { APIGatewayProxyEvent, Context } from "aws-lambda";
import { answer } from "./answer.ts";

/** The global object of Lambda's Node runtime for functions that stream their response. */
declare const awslambda: {
  streamifyResponse(handle: (event: APIGatewayProxyEvent, stream: ResponseStream, context: Context) => Promise<void>): unknown;
  HttpResponseStream: { from(stream: ResponseStream, metadata: { statusCode: number; headers: Record<string, string> }): ResponseStream };
};
type ResponseStream = NodeJS.WritableStream & { destroyed?: boolean };

/** Sends each event as soon as it is available, and stops when the client disconnects. */
async function respond(event: APIGatewayProxyEvent, raw: ResponseStream, context: Context): Promise<void> {
  const { statusCode, headers = {}, body, chunks } = await answer(event, context);
  const texts = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
  const stream = awslambda.HttpResponseStream.from(raw, { statusCode, headers: texts });
  const reader = new AbortController();
  raw.once("close", () => reader.abort());
  raw.once("error", () => reader.abort());
  if (!chunks) stream.write(body);
  else {
    for await (const chunk of chunks(reader.signal)) {
      if (reader.signal.aborted) break;
      // The buffer is full, so the next event waits until the client has received this one.
      if (!stream.write(chunk)) await new Promise((resolve) => stream.once("drain", resolve).once("close", resolve));
    }
  }
  stream.end();
}

// Powertools defines the global where it is missing. The local engine deploys this function without using it, because the front server
// streams.
export const handler =
  typeof awslambda === "undefined" || typeof awslambda.streamifyResponse !== "function"
    ? async () => ({ statusCode: 501, body: "This engine does not support streams." })
    : awslambda.streamifyResponse(respond);
