import type { APIGatewayProxyEvent } from "aws-lambda";
import { SvcError } from "../../../contract/errors.ts";
import { limits } from "../../../contract/limits.ts";
import { parseJson } from "../../../core/payload/json.ts";

type SentBody = Pick<APIGatewayProxyEvent, "body" | "isBase64Encoded"> & { headers?: Readonly<Record<string, string | undefined>> };

/** Returns the decoded body. Throws `body.tooLarge`, `body.encoding` and `body.notDecoded`. */
export async function readBodyBytes({ body, isBase64Encoded, headers = {} }: SentBody): Promise<Buffer> {
  const bytes = Buffer.from(body ?? "", isBase64Encoded ? "base64" : "utf8");
  if (bytes.length > limits.requestBodyBytes) throw new SvcError("body.tooLarge", { limitBytes: limits.requestBodyBytes, what: "body" });
  const encoding = headers["content-encoding"];
  if (!encoding) return bytes;
  // Loaded with the first encoded body, because most bodies are sent as they are.
  const { decodeBody } = await import("./decode-body.ts");
  return decodeBody(bytes, encoding);
}

/** Returns the body as JSON; an empty body is `{}`. Throws as `readBodyBytes` does, `body.tooDeep`, and `body.notJson` with the position. */
export async function parseJsonBody(event: SentBody): Promise<unknown> {
  const source = (await readBodyBytes(event)).toString("utf8");
  return source.trim() === "" ? {} : parseJson(source);
}
