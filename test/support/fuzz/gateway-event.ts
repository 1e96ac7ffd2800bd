import type { APIGatewayProxyEvent, Context } from "aws-lambda";

/** A request as a caller sends it. Headers and query parameters may repeat. */
export interface Sent {
  method: string;
  path: string;
  headers?: readonly (readonly [string, string])[];
  query?: readonly (readonly [string, string])[];
  /** Bytes reach the function in base64, as all bodies do on AWS. A text is passed on as it is. */
  body?: Buffer | string;
  /** Set for a text that the gateway declares as base64. */
  isBase64?: boolean;
}

type Pairs = readonly (readonly [string, string])[];
const last = (pairs: Pairs) => Object.fromEntries(pairs);
function all(pairs: Pairs): Record<string, string[]> {
  const values = new Map<string, string[]>();
  for (const [name, value] of pairs) values.set(name, [...(values.get(name) ?? []), value]);
  return Object.fromEntries(values);
}

/** The key that CloudFront sends. */
export const EDGE_KEY = "the-key-of-the-edge";

/** Builds the proxy event of API Gateway for a request: of repeated names, the single values contain the last one. */
export function toGatewayEvent({ method, path, headers = [], query = [], body, isBase64 }: Sent): APIGatewayProxyEvent {
  return {
    httpMethod: method,
    path,
    resource: "/{proxy+}",
    headers: last(headers),
    multiValueHeaders: all(headers),
    // The gateway sends null where there is none.
    queryStringParameters: query.length > 0 ? last(query) : null,
    multiValueQueryStringParameters: query.length > 0 ? all(query) : null,
    pathParameters: { proxy: path.slice(1) },
    stageVariables: null,
    body: body === undefined ? null : typeof body === "string" ? body : body.toString("base64"),
    isBase64Encoded: isBase64 ?? (body !== undefined && typeof body !== "string"),
    requestContext: {},
  } as unknown as APIGatewayProxyEvent;
}

/** The context of one invocation. */
export const lambdaContext = { awsRequestId: "00000000-0000-4000-8000-000000000000", functionName: "fuzz" } as Context;
