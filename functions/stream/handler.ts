import type { APIGatewayProxyEvent, Context } from "aws-lambda";
import { answer } from "./answer.ts";

/** What the Lambda runtime for Node gives to functions that answer piece by piece. */
declare const awslambda: {
  streamifyResponse(handle: (event: APIGatewayProxyEvent, stream: ResponseStream, context: Context) => Promise<void>): unknown;
  HttpResponseStream: { from(stream: ResponseStream, metadata: { statusCode: number; headers: Record<string, string> }): ResponseStream };
};
type ResponseStream = NodeJS.WritableStream & { destroyed?: boolean };

/** Each event goes out when it is there; when the client goes away, nothing is asked any more. */
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
      // Full: the next piece waits until the client has taken this one.
      if (!stream.write(chunk)) await new Promise((resolve) => stream.once("drain", resolve).once("close", resolve));
    }
  }
  stream.end();
}

// Powertools makes the global where there is none. Elsewhere than on AWS (the local engine) the front server streams, and this function is only deployed.
export const handler =
  typeof awslambda === "undefined" || typeof awslambda.streamifyResponse !== "function"
    ? async () => ({ statusCode: 501, body: "This engine does not support streams." })
    : awslambda.streamifyResponse(respond);
