import { once } from "node:events";
import type { APIGatewayProxyEvent, Context } from "aws-lambda";
import { limits } from "../../../contract/limits.ts";
import type { Reply } from "./reply.ts";

/** The global object of Lambda's Node runtime for functions that stream their response. */
declare const awslambda: {
  streamifyResponse(handle: (event: APIGatewayProxyEvent, stream: ResponseStream, context: Context) => Promise<void>): unknown;
  HttpResponseStream: { from(stream: ResponseStream, metadata: { statusCode: number; headers: Record<string, string> }): ResponseStream };
};
type ResponseStream = NodeJS.WritableStream & { destroyed?: boolean };
type Answer = (event: APIGatewayProxyEvent, context: Context) => Promise<Reply>;

/**
 * Returns the handler of a function that streams its responses: it sends each part as soon as it is available. It stops when it learns that the
 * client has disconnected: the stream closes, or a write fails. Neither occurs for most clients on Lambda (decision 131), so it also stops after the
 * duration of a stream. Powertools defines the global where it is missing. The local engine deploys such a function without using it, because the
 * front server streams.
 */
export function streamHandler(answer: Answer): unknown {
  if (typeof awslambda === "undefined" || typeof awslambda.streamifyResponse !== "function")
    return async () => ({ statusCode: 501, body: "This engine does not support streams." });
  return awslambda.streamifyResponse((event, raw, context) => respond(answer, { event, raw, context }));
}

async function respond(answer: Answer, call: { event: APIGatewayProxyEvent; raw: ResponseStream; context: Context }): Promise<void> {
  const reader = new AbortController();
  const leave = () => reader.abort();
  // Each write to a closed stream emits an error.
  call.raw.on("close", leave).on("error", leave);
  const { statusCode, headers = {}, body, chunks, isBase64Encoded } = await answer(call.event, call.context);
  const texts = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
  const stream = awslambda.HttpResponseStream.from(call.raw, { statusCode, headers: texts });
  // The status and the headers are sent with the first part, even if it is empty.
  if (!chunks) stream.write(isBase64Encoded ? Buffer.from(body, "base64") : body);
  else {
    const deadline = setTimeout(leave, limits.streamMs + limits.streamGraceMs / 2);
    for await (const chunk of chunks(reader.signal)) {
      if (reader.signal.aborted) break;
      // The buffer is full, so the next part waits until the client has received this one.
      if (!stream.write(chunk)) await once(stream, "drain", { signal: reader.signal }).catch(() => undefined);
    }
    clearTimeout(deadline);
  }
  stream.end();
}
