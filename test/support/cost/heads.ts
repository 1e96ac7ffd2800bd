import type { Route } from "../../../contract/route.ts";
import { routes } from "../../../contract/routes/routes.ts";
import { parseRoutePath } from "../../../contract/routes/triggers/route-path.ts";
import { parseApprovalToken, parseViewToken } from "../../../core/approvals/link.ts";
import { isApprovalGet } from "../../../core/approvals/link-preview.ts";
import { parseDeliveryId } from "../../../core/deliveries/event-delivery.ts";
import { parseRetryAfterMs } from "../../../core/deliveries/schedule.ts";
import { parseFile } from "../../../core/files/file-key.ts";
import { splitRequestPath } from "../../../core/http-routes/address.ts";
import { decodeStandardSecret, parseCredential } from "../../../core/http-routes/authentication/credential.ts";
import { verifyBasic } from "../../../core/http-routes/authentication/shared-secrets.ts";
import { verifySignature } from "../../../core/http-routes/authentication/signature.ts";
import { preflightHeaders } from "../../../core/http-routes/cors.ts";
import { isAmbiguousPath, parseRange } from "../../../core/http-routes/static.ts";
import { matchesList } from "../../../core/jobs/lists/filter.ts";
import { parseListCursor } from "../../../core/jobs/lists/list-cursor.ts";
import { parseHandlerPath } from "../../../core/outcome-handlers/handler.ts";
import { removeCredentials } from "../../../core/payload/credentials.ts";
import { readMultipart } from "../../../core/payload/multipart.ts";
import { toAddressGroup } from "../../../core/people/address-group.ts";
import { parseUserCode } from "../../../core/people/device-grant.ts";
import { parseOwnerKey } from "../../../core/people/token.ts";
import { parsePrincipal } from "../../../core/permissions/principal.ts";
import { parseScope } from "../../../core/permissions/scopes.ts";
import { matchesEtag, parseIfMatch } from "../../../core/reply/etag.ts";
import { parseNextRunId } from "../../../core/schedules/next-run.ts";
import { readKeyVersion } from "../../../core/secrets/seal.ts";
import { parseShareToken } from "../../../core/shares/share.ts";
import { parseEventId } from "../../../core/streams/event-id.ts";
import { parseRecipient } from "../../../core/triggers/mail.ts";
import { parseQueueUrl, parseSourceName } from "../../../core/triggers/sources.ts";
import { passEdge } from "../../../functions/shared/edge/pass-edge.ts";
import { readLoginCookie, readToken } from "../../../functions/shared/request/credentials.ts";
import { checkFields } from "../../../functions/shared/request/unknown-input.ts";
import { verifyToken } from "../../../services/http-routes/verify-token.ts";
import { verifyJobToken } from "../../../services/identity/tokens/job-token.ts";
import { parseSubset } from "../../../services/jobs/read/lists/list.ts";
import { type CostCase, feed } from "./growth.ts";
import { type Build, between, mix, numbered, repeat } from "./shapes.ts";

/** Twice the size of all headers and the query of a request. */
const MOST = 16 * 1024;

const cookies = mix("a=b", ";", "; ", "=", '"', "%", "%41", "token=a; ", " ");
const lists = mix("a", ",", " ", ";", "=", '"', "\\", "1", "/", "*", "-", "W/", "\t");
const tokens: Record<string, Build> = {
  ...mix("a", ".", "=", "-", " ", "\t"),
  "a long header": between("", repeat("e30"), ".e30.a"),
};
const paths = mix("a", "/", "//", "%2f", "%", ".", "..", "\\");

const signIn = routes.login as Route;
const scriptRun = routes.runScriptByPath as Route;
const credential = (value: object) => parseCredential("signature_auth", { secret: "whsec_c2VjcmV0", ...value }) as never;
const noKey = async () => undefined;

const SECRET = "abcdefghijklmnopqrstu";
/** A request whose head has this size. */
const payloadOf = (headers: Record<string, string>, query: Record<string, string[]> = {}) => ({
  method: "POST",
  headers,
  query,
  bytes: Buffer.alloc(0),
});
const manyQuery = (size: number) => Object.fromEntries(Array.from({ length: size / 8 }, (_, at) => [`k${at}`, ["1"]]));

/** Readers of names, ids and addresses. */
const readers: Readonly<Record<string, (text: string) => unknown>> = {
  ...{
    parseDeliveryId,
    parseHandlerPath,
    parseListCursor,
    parsePrincipal,
    parseShareToken,
    parseUserCode,
    parseOwnerKey,
    parseNextRunId,
    readKeyVersion,
  },
  parseSubset: (text: string) => parseSubset(text, "args"),
  ...{ parseQueueUrl, parseSourceName, parseRoutePath },
  parseFile: (text) => parseFile(text, undefined),
  parseRecipient: (text) => parseRecipient(`${text}@mail.example`, "mail.example"),
};
const names: Record<string, Build> = {
  ...mix("a", "/", ":", "-", "+", "=", "svc1:", "script/", "s3://", "f/"),
  "the address of a queue": between("https://sqs.a.amazonaws.com/", repeat("1")),
};

/** The parts of a request's head, as strangers send them. */
export const heads: CostCase[] = [
  ...Object.entries(readers).flatMap(([reader, parse]) => feed(reader, MOST, parse, names)),
  ...feed(
    "cookies",
    MOST,
    (cookie: string) => [readToken({ headers: { cookie }, queryStringParameters: null }, signIn), readLoginCookie({ cookie })],
    cookies,
  ),
  ...feed(
    "Authorization",
    MOST,
    (text: string) => readToken({ headers: { authorization: `Bearer ${text}` }, queryStringParameters: null }, scriptRun),
    tokens,
  ),
  ...feed(
    "Authorization with a password",
    MOST,
    (text: string) =>
      verifyBasic({ type: "basic_http_auth", username: "a", password: "b" } as never, { headers: { authorization: `Basic ${text}` } }),
    tokens,
  ),
  ...feed("a job's token", MOST, (text: string) => verifyJobToken(noKey, text, 0), tokens),
  ...feed(
    "a token of another issuer",
    MOST,
    (text: string) =>
      verifyToken(
        { readKeySet: async () => ({ keys: [] }) as never, nowMs: () => 0 },
        { algorithms: ["RS256"], jwks_url: "https://issuer.example" } as never,
        `Bearer ${text}`,
      ),
    tokens,
  ),
  ...["stripe", "github", "slack", "standard_webhooks", "shopify"].flatMap((preset) =>
    feed(
      `a signature of ${preset}`,
      MOST,
      (text: string) => {
        const names = ["stripe-signature", "x-hub-signature-256", "x-slack-signature", "webhook-signature", "x-shopify-hmac-sha256"];
        const headers = { ...Object.fromEntries(names.map((name) => [name, text])), "webhook-id": "a", "webhook-timestamp": "1790000000" };
        return verifySignature(credential({ preset }), { headers, readBytes: async () => Buffer.alloc(0) }, 1_790_000_000_000);
      },
      { ...lists, "many signatures": repeat("v1,abc "), "many pairs": repeat("v1=abc,") },
    ),
  ),
  ...feed("a webhook's secret", MOST, decodeStandardSecret, tokens),
  ...feed("the token of a link", MOST, (text: string) => [parseApprovalToken(`1.${text}`), parseViewToken(text)], tokens),
  ...feed(
    "X-Forwarded-For",
    MOST,
    (text: string) => {
      const request = { headers: { "x-forwarded-for": text }, multiValueHeaders: {} };
      return toAddressGroup(passEdge(request).address);
    },
    { ...lists, ...mix("1.1.1.1,", ":", "::", "0:") },
  ),
  ...feed("If-None-Match", MOST, (text: string) => matchesEtag(text, '"abc"'), lists),
  ...feed("If-Match", MOST, (text: string) => parseIfMatch(text), lists),
  ...feed("Range", MOST, (text: string) => parseRange(text, 100), { ...lists, digits: between("bytes=", repeat("1")) }),
  ...feed("Last-Event-ID", MOST, parseEventId, { ...lists, digits: repeat("1"), offsets: between("1.", repeat("1"), "-end") }),
  ...feed("Retry-After", MOST, (text: string) => parseRetryAfterMs(text, 0), lists),
  ...feed("Access-Control-Request-Headers", MOST, (text: string) => preflightHeaders("POST", text), lists),
  ...feed(
    "User-Agent and Accept",
    MOST,
    (text: string) => isApprovalGet({ "user-agent": text, accept: text, purpose: text }, async () => false),
    {
      ...lists,
      ...mix("Mozilla/5.0 (", "compatible; ", "bot", "http://", "+", "("),
    },
  ),
  ...feed("Content-Type of a form", MOST, (text: string) => readMultipart(text, Buffer.from("--a\r\n")), {
    "a long boundary": between("multipart/form-data; boundary=", repeat("a")),
    parameters: between("multipart/form-data", repeat("; a=b")),
    quotes: between('multipart/form-data; boundary="', repeat('\\"')),
    "encoded parameters": between("multipart/form-data", repeat("; a*=utf-8''%41")),
  }),
  ...feed("a path", MOST, (text: string) => [splitRequestPath(text), isAmbiguousPath(text)], paths),
  ...feed("a filter of a list", MOST, (text: string) => matchesList(text, "a".repeat(100), true), mix("a", "*", "!", ",", "a*")),
  ...feed("a scope", MOST, parseScope, mix("jobs", ":", "*", ",", "/", "a")),
  ...feed(
    "unknown parameters",
    MOST,
    (query: Record<string, string[]>) =>
      checkFields(scriptRun, Object.fromEntries(Object.entries(query).map(([name]) => [name, "1"])), undefined),
    { "many names": manyQuery },
  ),
  ...feed("credentials that a request repeats", MOST, removeCredentials, {
    "many cookies and parameters": (size) => payloadOf({ cookie: numbered((at) => `a=${SECRET}${at};`)(size / 2) }, manyQuery(size / 2)),
    "many cookies and one header": (size) =>
      payloadOf({ cookie: numbered((at) => `a=${SECRET}${at};`)(size / 2), referer: "a".repeat(size / 2) }),
  }),
];
