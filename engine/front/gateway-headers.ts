import { runInNewContext } from "node:vm";
import { EDGE_CODE } from "../../contract/deployment/edge-function.ts";
import { gatewayHeaders, RENAMED_PREFIX } from "../../contract/deployment/gateway-headers.ts";

/** The first words of an AWS signature, which API Gateway does not pass on. */
const AWS_SIGNATURE = /^AWS4-HMAC-SHA256\b/;

const isOneOf = (names: readonly string[], name: string) => names.includes(name.toLowerCase());

/** Returns the headers that a function receives from API Gateway, as pairs of names and values like Node's raw headers. */
export function headersForFunction(rawHeaders: readonly string[]): string[] {
  return pairsOf(rawHeaders)
    .filter(([name]) => !isOneOf(gatewayHeaders.droppedFromRequests, name))
    .filter(([name, value]) => name.toLowerCase() !== "authorization" || !AWS_SIGNATURE.test(value))
    .flat();
}

/**
 * Returns the headers that a caller receives from API Gateway. The engine writes `Date` and `Server` last, as API Gateway does: an earlier one is from the
 * function.
 */
export function headersForCaller(rawHeaders: readonly string[]): string[] {
  const pairs = pairsOf(rawHeaders);
  return pairs.flatMap(([name, value], at) => {
    if (isOneOf(gatewayHeaders.droppedFromReplies, name)) return [];
    if (!isOneOf(gatewayHeaders.renamedInReplies, name)) return [name, value];
    if (!isOneOf(gatewayHeaders.overwrittenInReplies, name)) return [`${RENAMED_PREFIX}${name}`, value];
    const lastIndex = pairs.findLastIndex(([other]) => other.toLowerCase() === name.toLowerCase());
    return at === lastIndex ? [name, value] : [`${RENAMED_PREFIX}${name}`, pairs[lastIndex]?.[1] ?? value];
  });
}

interface EdgeResponse {
  statusCode: number;
  headers: Record<string, { value: string }>;
}

/** Runs the CloudFront function with an event, and returns its result. */
export const runEdgeFunction = <Result>(event: object): Result =>
  JSON.parse(runInNewContext(`${EDGE_CODE}; JSON.stringify(handler(${JSON.stringify(event)}))`) as string) as Result;

/** Runs the CloudFront function that restores headers, with the reply of API Gateway. CloudFront runs it for statuses below 400 only. */
export function restoreAtEdge(status: number, rawHeaders: readonly string[]): { status: number; headers: string[] } {
  if (status >= 400) return { status, headers: [...rawHeaders] };
  const isCookie = ([name]: readonly [string, string]) => name.toLowerCase() === "set-cookie";
  const headerPairs = pairsOf(rawHeaders);
  // CloudFront passes cookies to functions separately from the other headers.
  const others = headerPairs.filter((pair) => !isCookie(pair));
  const byName = Map.groupBy(others, ([name]) => name.toLowerCase());
  const headers = Object.fromEntries([...byName].map(([name, all]) => [name, { value: all.map(([, value]) => value).join(", ") }]));
  const restored = runEdgeFunction<EdgeResponse>({
    context: { eventType: "viewer-response" },
    response: { statusCode: status, headers },
  });
  const pairs = Object.entries(restored.headers).map(([name, { value }]) => [name, value] as const);
  return { status: restored.statusCode, headers: [...pairs.flat(), ...headerPairs.filter(isCookie).flat()] };
}

function pairsOf(rawHeaders: readonly string[]): [string, string][] {
  return Array.from({ length: rawHeaders.length / 2 }, (_, at) => [rawHeaders[2 * at] ?? "", rawHeaders[2 * at + 1] ?? ""]);
}
