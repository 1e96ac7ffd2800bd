import { engineCredentials } from "./child-env.ts";

/** Makes one call of the engine's CloudWatch Logs API. The engine checks no signature, so that a call needs no client of the SDK. */
export function callLogService(endpoint: string, operation: string, input: object): Promise<Response> {
  const { AWS_ACCESS_KEY_ID: key, AWS_REGION: region } = engineCredentials;
  return fetch(endpoint, {
    method: "POST",
    headers: {
      "content-type": "application/x-amz-json-1.1",
      "x-amz-target": `Logs_20140328.${operation}`,
      authorization: `AWS4-HMAC-SHA256 Credential=${key}/20260101/${region}/logs/aws4_request, SignedHeaders=host, Signature=0`,
    },
    body: JSON.stringify(input),
  });
}
