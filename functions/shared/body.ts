import type { APIGatewayProxyEvent } from "aws-lambda";
import { SvcError } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import { parseJson } from "../../core/payload/json.ts";

/** Returns the body as it was sent. Throws `body.tooLarge`. */
export function readBodyBytes(event: Pick<APIGatewayProxyEvent, "body" | "isBase64Encoded">): Buffer {
  const bytes = Buffer.from(event.body ?? "", event.isBase64Encoded ? "base64" : "utf8");
  if (bytes.length > limits.requestBodyBytes) throw new SvcError("body.tooLarge", { limitBytes: limits.requestBodyBytes, what: "body" });
  return bytes;
}

/** Returns the body as JSON; an empty body is `{}`. Throws `body.tooLarge`, `body.tooDeep`, and `body.notJson` with the position. */
export function parseJsonBody(event: Pick<APIGatewayProxyEvent, "body" | "isBase64Encoded">): unknown {
  const bytes = readBodyBytes(event);
  const source = bytes.toString("utf8");
  if (source.trim() === "") return {};
  return parseJson(source);
}
