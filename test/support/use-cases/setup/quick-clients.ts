import { inject } from "vitest";
import { documents, sqs } from "../../../../aws/sdk/clients.ts";
import { engineCredentials } from "../../../../engine/engine/child-env.ts";
import { type DocumentClient, sendQuickly } from "./quick-documents.ts";

interface Request {
  headers: Record<string, string>;
}
interface Scheme {
  schemeId: string;
  signer: { sign(request: Request, identity: unknown, properties: { signingProperties?: unknown }): Promise<Request> };
}
/** The part of a client's configuration that decides what a request costs besides its transport. */
interface Config {
  httpAuthSchemes: Scheme[];
  logger: object;
}

interface Client {
  config: unknown;
  middlewareStack: { remove(name: string): boolean };
}

const ignore = () => undefined;
/** These add headers, which the engine does not read, and write logs. */
const UNUSED = ["getUserAgentMiddleware", "recursionDetectionMiddleware", "loggerMiddleware"];
const { AWS_ACCESS_KEY_ID: key, AWS_REGION: region } = engineCredentials;
const authorizationOf = (service: string) =>
  `AWS4-HMAC-SHA256 Credential=${key}/20260101/${region}/${service}/aws4_request, SignedHeaders=host, Signature=0`;

/**
 * Leaves out what a client does in vain for the engine of use-case tests: the engine checks no signature and selects the service by the
 * credential's scope, and no test reads what a client would log. All of it takes a quarter of a client's processor time.
 */
function simplify({ config, middlewareStack }: Client, service: string): void {
  const { httpAuthSchemes } = config as Config;
  const authorization = authorizationOf(service);
  const sign = async (request: Request) => Object.assign(request, { headers: { ...request.headers, authorization } });
  for (const scheme of httpAuthSchemes) if (scheme.schemeId === "aws.auth#sigv4") scheme.signer = { sign };
  for (const name of UNUSED) {
    if (!middlewareStack.remove(name)) throw new Error(`AWS clients have no ${name} any more.`);
  }
  // Without `info` and `error`, the client does not copy the input and the output for them.
  (config as Config).logger = { trace: ignore, debug: ignore, warn: ignore };
}

sendQuickly(documents() as DocumentClient, { endpoint: inject("useCases").endpoint, authorization: authorizationOf("dynamodb") });
simplify(sqs(), "sqs");
