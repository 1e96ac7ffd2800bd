import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Payload } from "../../contract/payload.ts";
import { parseArguments } from "./arguments.ts";

const BOUNDARY = "boundary";
/** The formats of arguments, each with a body that contains no credential. */
const modes: Record<string, Partial<Payload>> = {
  JSON: { headers: { "content-type": "application/json" }, bytes: Buffer.from('{"a":1}') },
  text: { headers: { "content-type": "text/plain" }, bytes: Buffer.from("plain") },
  "a form": { headers: { "content-type": "application/x-www-form-urlencoded" }, bytes: Buffer.from("a=1&b=2") },
  "a form with files": {
    headers: { "content-type": `multipart/form-data; boundary=${BOUNDARY}` },
    bytes: Buffer.from(`--${BOUNDARY}\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--${BOUNDARY}--\r\n`),
  },
  "an event in binary mode": {
    headers: { "content-type": "application/json", "ce-id": "1", "ce-source": "/s", "ce-type": "t", "ce-specversion": "1.0" },
    bytes: Buffer.from('{"n":1}'),
  },
  "an event in structured mode": {
    headers: { "content-type": "application/cloudevents+json" },
    bytes: Buffer.from('{"specversion":"1.0","id":"1","source":"/s","type":"t","data":{"n":1}}'),
  },
  "a GET": { method: "GET", query: { payload: [Buffer.from('{"n":7}').toString("base64")] } },
};

/** The parts of a request in which a caller presents a credential, or a browser or proxy repeats it. */
const places: Record<string, (secret: string) => Partial<Pick<Payload, "headers" | "query">>> = {
  "a bearer token": (secret) => ({ headers: { authorization: `Bearer ${secret}` } }),
  "a lower-case scheme": (secret) => ({ headers: { authorization: `bearer  ${secret} ` } }),
  "basic credentials": (secret) => ({ headers: { authorization: `Basic ${secret}` } }),
  "a proxy's credentials": (secret) => ({ headers: { "proxy-authorization": `Basic ${secret}` } }),
  "a session cookie": (secret) => ({ headers: { cookie: `theme=dark; token=${secret}` } }),
  "a prefixed session cookie": (secret) => ({ headers: { cookie: `__Host-token=${secret}; theme=dark` } }),
  "a token of AWS": (secret) => ({ headers: { "x-amz-security-token": secret } }),
  "the query": (secret) => ({ query: { token: [secret] } }),
  "the query, twice": (secret) => ({ query: { token: ["first", secret] } }),
  "the query and the address of the page": (secret) => ({
    query: { token: [secret] },
    headers: { referer: `https://example.com/?token=${encodeURIComponent(secret)}` },
  }),
  "two headers": (secret) => ({ headers: { authorization: `Bearer ${secret}`, "x-copy": secret } }),
  "a header and another parameter": (secret) => ({ headers: { authorization: `Bearer ${secret}` }, query: { copy: [secret] } }),
};

const anOption = fc.record({ wrapBody: fc.boolean(), raw: fc.boolean(), event: fc.boolean() });
const aSecret = fc.stringMatching(/^[A-Za-z0-9._~+/-]{20,90}$/);
const named = <T>(table: Record<string, T>) => fc.constantFrom(...Object.entries(table));

describe("the credentials of a caller", () => {
  it("never appear in the arguments or the event, whichever headers and parameters are selected", async () => {
    await fc.assert(
      fc.asyncProperty(named(modes), named(places), anOption, aSecret, async ([, mode], [, place], option, secret) => {
        const presented = place(secret);
        const payload: Payload = {
          method: "POST",
          bytes: Buffer.alloc(0),
          ...mode,
          headers: { "x-other": "other", ...mode.headers, ...presented.headers },
          query: { other: ["other"], ...mode.query, ...presented.query },
        };
        const everything = { headers: Object.keys(payload.headers), query: Object.keys(payload.query) };
        const found = await parseArguments(payload, { ...option, ...everything });
        expect(JSON.stringify([found.args, found.event])).not.toContain(secret);
        expect(found.args).toMatchObject({ x_other: "other", other: "other" });
      }),
      { numRuns: 500 },
    );
  });

  it("signatures and keys that a script checks itself are arguments", async () => {
    const headers = {
      authorization: "Bearer 0123456789abcdef0123",
      "x-hub-signature-256": "sha256=0f",
      "x-api-key": "k",
      cookie: "lang=en",
    };
    const payload = { method: "POST", headers, query: {}, bytes: Buffer.from("{}") };
    const found = await parseArguments(payload, {
      wrapBody: false,
      raw: false,
      query: [],
      headers: ["X-Hub-Signature-256", "X-API-Key", "Cookie"],
    });
    expect(found.args).toEqual({ x_hub_signature_256: "sha256=0f", x_api_key: "k" });
  });
});
