import { gzipSync } from "node:zlib";

/** A part of every token below. No response may repeat it. */
export const SECRET = "Zq7SecretPartOfAToken";

type Pairs = readonly (readonly [string, string])[];
/** The parts of a request that a case adds or replaces. */
export interface Hostile {
  what: string;
  headers?: Pairs;
  query?: Pairs;
  body?: Buffer | string;
  isBase64?: boolean;
}

const encode = (value: unknown) => Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url");
const jwt = (header: unknown, payload: unknown = { sub: SECRET }) => `${encode(header)}.${encode(payload)}.${SECRET}`;
const signed = (kid: unknown) => jwt({ alg: "EdDSA", kid });
const bytes = (text: string) => Buffer.from(text);
const deep = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;

/** Tokens that are not valid, as they may stand after `Bearer`, in the cookie and in the query. */
const tokens: Readonly<Record<string, string>> = {
  "kid is empty": signed(""),
  "kid is a number": signed(1),
  "kid is a list": signed(["a"]),
  "kid is an object": signed({ toString: "a" }),
  "kid is null": signed(null),
  "kid is absent": jwt({ alg: "EdDSA" }),
  "kid has 10 KB": signed("k".repeat(10_000)),
  "kid is a path": signed("../../secret"),
  "kid contains NUL": signed("\u0000"),
  "kid is __proto__": signed("__proto__"),
  "kid is unknown": signed("0123456789abcdef"),
  "the algorithm is none": jwt({ alg: "none", kid: "0123456789abcdef" }),
  "the algorithm is symmetric": jwt({ alg: "HS256", kid: "0123456789abcdef" }),
  "the algorithm is a list": jwt({ alg: ["EdDSA"], kid: "0123456789abcdef" }),
  "the header is null": jwt("null"),
  "the header is a list": jwt([]),
  "the header is not JSON": jwt("{"),
  "the header is deep": jwt(deep(5000)),
  "the header has unknown critical fields": jwt({ alg: "EdDSA", kid: "a", crit: ["b64"], b64: false }),
  "the token has two parts": `${encode({ alg: "EdDSA", kid: "a" })}.${SECRET}`,
  "the token has six parts": `${SECRET}.a.b.c.d.e`,
  "the token consists of dots": "..",
  "the token is a token inside a token": jwt({ alg: "EdDSA", kid: signed("") }, signed("")),
  "the token is no base64": `${SECRET}!.*.~`,
  "the token has a dot": `${SECRET}.`,
  "the opaque token is short": SECRET,
  "the opaque token has the length of a valid one": SECRET.padEnd(59, "x"),
  "the opaque token has 9 KB": SECRET.padEnd(9000, "x"),
  "the opaque token has control characters": `${SECRET}\u0001\u007f\u0000`,
  "the opaque token has bytes that are not ASCII": `${SECRET}\u00ff\ufffd\u00e9`,
  "the opaque token is __proto__": "__proto__",
};

const authorization = (value: string) => ({ headers: [["Authorization", value] as const] });
const cookie = (value: string) => ({ headers: [["Cookie", value] as const] });

/** Requests without valid credentials. */
export const hostileCredentials: readonly Hostile[] = [
  { what: "there are no credentials" },
  ...Object.entries(tokens).map(([what, token]) => ({ what, ...authorization(`Bearer ${token}`) })),
  { what: "Authorization is empty", ...authorization("") },
  { what: "Authorization has no token", ...authorization("Bearer") },
  { what: "Authorization has only a space after Bearer", ...authorization("Bearer \t") },
  { what: "Authorization has another scheme", ...authorization(`Basic ${SECRET}`) },
  { what: "Authorization has two tokens", ...authorization(`Bearer ${SECRET} ${SECRET}`) },
  {
    what: "Authorization is repeated",
    headers: [
      ["Authorization", `Bearer ${SECRET}`],
      ["Authorization", "Bearer"],
    ],
  },
  {
    what: "Authorization is spelled in two ways",
    headers: [
      ["Authorization", "Bearer"],
      ["authorization", `Bearer ${SECRET}`],
    ],
  },
  { what: "a cookie has an invalid token", ...cookie(`token=${SECRET}`) },
  { what: "a cookie has a token with an empty kid", ...cookie(`token=${signed("")}`) },
  { what: "a cookie is empty", ...cookie("token=") },
  { what: "a cookie has no name", ...cookie(`=token=${SECRET}`) },
  { what: "a cookie has no value", ...cookie("token") },
  { what: "cookies repeat both names", ...cookie(`__Host-token=${SECRET}; token=${SECRET}; token=a; __Host-token=`) },
  { what: "a cookie is quoted and broken", ...cookie('token="%zz%') },
  { what: "a cookie ends within a character", ...cookie("token=%E0%A4%A; __Host-token=%ff") },
  { what: "a cookie has 8 KB", ...cookie(`token=${SECRET}${"x".repeat(8000)}`) },
  { what: "a cookie has control characters", ...cookie(`token=${SECRET}\u0000\u0001\u007f`) },
  { what: "a cookie consists of separators", ...cookie(";;;===;,; ") },
  { what: "cookies are named like parts of every object", ...cookie("__proto__=a; constructor=b; toString=c") },
  {
    what: "Cookie is repeated",
    headers: [
      ["Cookie", "token=a"],
      ["Cookie", `token=${SECRET}`],
    ],
  },
  { what: "the cookie of a sign-in is broken", ...cookie(`__Host-svc_login=${SECRET}%; svc_login=..`) },
  { what: "the query has an invalid token", query: [["token", SECRET]] },
  { what: "the query has a token with an empty kid", query: [["token", signed("")]] },
  { what: "the query has an empty token", query: [["token", ""]] },
  {
    what: "the query repeats the token",
    query: [
      ["token", "a"],
      ["token", SECRET],
    ],
  },
  {
    what: "the query has a list of tokens",
    query: [
      ["token[]", SECRET],
      ["token[0]", SECRET],
    ],
  },
  { what: "the query has a token with NUL", query: [["token", `${SECRET}\u0000`]] },
  { what: "the query has a token of 8 KB", query: [["token", SECRET.padEnd(8000, "x")]] },
];

const LONG = "x".repeat(8000);
/** Header values that no header expects. */
const texts: Readonly<Record<string, string>> = {
  "is empty": "",
  "has control characters": "a\u0000\u0001\u001f\u007f",
  "has line breaks": "a\r\nx-injected: 1",
  "has bytes that are not ASCII": "\u00ff\u0080\ufffd",
  "has 8 KB": LONG,
  "consists of separators": ',,;;=="\\',
};

const named = [
  "Idempotency-Key",
  "webhook-id",
  "Content-Type",
  "Accept",
  "Accept-Encoding",
  "Content-Length",
  "X-Forwarded-For",
  "Origin",
  "Sec-Fetch-Site",
  "Host",
  "Last-Event-ID",
  "User-Agent",
  "Range",
  "ce-id",
  "x-svc-edge-key",
];

/** Headers in addition to valid credentials. */
export const hostileHeaders: readonly Hostile[] = [
  ...named.flatMap((name) =>
    Object.entries(texts).map(([what, value]) => ({ what: `${name} ${what}`, headers: [[name, value] as const] })),
  ),
  ...named.map((name) => ({
    what: `${name} is repeated`,
    headers: [
      [name, "a"],
      [name, "b"],
    ] as const,
  })),
  { what: "Content-Length is a lie", headers: [["Content-Length", "99999999999999999999"]] },
  { what: "Content-Length is negative", headers: [["Content-Length", "-1"]] },
  { what: "Content-Type has no boundary", headers: [["Content-Type", "multipart/form-data"]], body: Buffer.from("--a\r\n\r\n") },
  {
    what: "Content-Type is a form of broken escapes",
    headers: [["Content-Type", "application/x-www-form-urlencoded"]],
    body: Buffer.from("%=%zz&%ff=%00&="),
  },
  { what: "Content-Type names another character set", headers: [["Content-Type", "application/json; charset=utf-16"]] },
  { what: "Content-Type is an event without fields", headers: [["Content-Type", "application/cloudevents+json"]] },
  { what: "Origin is no URL", headers: [["Origin", "http://[::1"]] },
  { what: "X-Forwarded-For has 2,000 entries", headers: [["X-Forwarded-For", "1.1.1.1,".repeat(2000)]] },
  {
    what: "headers are named like parts of every object",
    headers: [
      ["__proto__", "a"],
      ["constructor", "b"],
      ["toString", "c"],
    ],
  },
];

/** Values of path parts, as the gateway passes them on. */
export const hostileParts: readonly string[] = [
  "%00",
  "%ff",
  "%",
  "%zz",
  "%ED%A0%80",
  "\ud800",
  "..",
  "%2e%2e%2f%2e%2e",
  "%2f",
  "x".repeat(2000),
  "%20",
  "a%0d%0ab",
  "%e2%80%a8",
  "__proto__",
  "constructor",
  "-1",
  "1e999",
  "9".repeat(40),
  "'%22%3Cscript%3E",
  "f%2Ft%2F%00",
  "%F0%9F%98%80",
  // Each length at which a text may be cut has a pair around it.
  `f%2Ft%2F${"%F0%9F%98%80".repeat(190)}`,
  `f%2Ft%2Fx${"%F0%9F%98%80".repeat(190)}`,
];

/** Values of query parameters, after decoding. */
export const hostileQueryValues: readonly string[] = [
  "",
  "\u0000",
  "a\u0001\u007f\r\n",
  "\ud800",
  "\ufffd",
  "x".repeat(4000),
  "-1",
  "1e999",
  "NaN",
  "0x10",
  "9".repeat(40),
  "true",
  "__proto__",
  "[[[[",
  '{"a":1}',
  "*".repeat(50),
  "%00",
  "2026-13-45T99:99:99Z",
  "0000-01-01T00:00:00+23:59",
  "9999-12-31T23:59:59.999-23:59",
  "../..",
  "=,;",
];

/** Values at any place of a JSON body. */
export const hostileJsonValues: readonly unknown[] = [
  null,
  "",
  "\u0000",
  "\ud800",
  "\r\n\u0001\u2028",
  "x".repeat(3000),
  "__proto__",
  "../..",
  -1,
  1e308,
  0.1,
  2 ** 53,
  true,
  [],
  {},
  [null],
  { constructor: 1 },
  JSON.parse('{"__proto__":{"a":1}}'),
  JSON.parse(deep(300)),
  "$var:",
  "$res:\u0000",
  "(",
  "*".repeat(40),
];

/** Bodies of routes that read one. */
export const hostileBodies: readonly Hostile[] = [
  { what: "the body is a list of 100,000 levels", body: bytes(deep(100_000)) },
  { what: "the body is an object of 100,000 levels", body: bytes(`${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`) },
  { what: "the body is a list of 100,000 levels that does not end", body: bytes("[".repeat(100_000)) },
  { what: "the body has numbers beyond all limits", body: bytes('{"a":[1e999,-1e999,1e-999,123456789012345678901234567890]}') },
  { what: "the body has a number of 400 digits with a fraction", body: bytes(`{"a":${"9".repeat(400)}.5}`) },
  { what: "the body repeats its keys", body: bytes('{"path":"a","path":1,"path":{}}') },
  { what: "the body names parts of every object", body: bytes('{"__proto__":{"a":1},"constructor":{"prototype":{}},"toString":1}') },
  { what: "the body is not UTF-8", body: Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]) },
  { what: "the body has a lone surrogate", body: bytes('{"\\ud800":"\\udfff","path":"f/t/\\ud800"}') },
  { what: "the body has NUL", body: bytes('{"path":"f/t/\\u0000","value":"\\u0000","\\u0000":1}') },
  { what: "the body is empty", body: Buffer.alloc(0) },
  { what: "the body is white space", body: bytes(" \n\t ") },
  { what: "the body is null", body: bytes("null") },
  { what: "the body is a text", body: bytes('"text"') },
  { what: "the body is a number", body: bytes("1e999") },
  { what: "the body is a list", body: bytes("[]") },
  { what: "the body is half an object", body: bytes('{"path":"f/t/a","val') },
  { what: "the body is not base64, although the gateway says so", body: "*** not base64 ***", isBase64: true },
  { what: "the body begins with a byte order mark", body: bytes("\ufeff{}") },
  { what: "the body is one text of 1 MB", body: bytes(JSON.stringify({ path: "x".repeat(1_000_000), value: "y" })) },
  { what: "the body is larger than the limit", body: bytes(`"${"x".repeat(4 * 1024 * 1024)}"`) },
  {
    what: "the body has 50,000 keys",
    body: bytes(JSON.stringify(Object.fromEntries(Array.from({ length: 50_000 }, (_, at) => [`k${at}`, 1])))),
  },
];

const contentType = (type: string) => ["Content-Type", type] as const;
const encoding = (name: string) => ["Content-Encoding", name] as const;
const FORM = "application/x-www-form-urlencoded";

/** Bodies that cost time or memory, or that cannot be read at all. A request without the right credential must not have its body read. */
export const costlyBodies: readonly Required<Pick<Hostile, "what" | "headers" | "body">>[] = [
  { what: "the body is not in its encoding", headers: [encoding("gzip")], body: bytes("{}") },
  { what: "the encoding is unknown", headers: [encoding("zstd")], body: bytes("{}") },
  { what: "the body decodes to more than the limit", headers: [encoding("gzip")], body: gzipSync(Buffer.alloc(16 * 1024 * 1024)) },
  { what: "the body is larger than the limit", headers: [], body: bytes(`"${"x".repeat(4 * 1024 * 1024)}"`) },
  { what: "the form has two million parts", headers: [contentType(FORM)], body: bytes("a&".repeat(2_000_000)) },
  { what: "the form has no boundary", headers: [contentType("multipart/form-data")], body: bytes("--a\r\n\r\n") },
  { what: "the body is deep", headers: [contentType("application/json")], body: bytes(deep(100_000)) },
  { what: "the body is no JSON", headers: [contentType("application/json")], body: bytes("{") },
];
