import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { buildReply } from "./reply.ts";

const cookies = { path: "/api/r/shop", nowMs: Date.parse("2030-01-01T00:00:00Z") };
const reply = (result: unknown) => buildReply("job-1", JSON.stringify(result), { cookies });
const refusal = (reason: RegExp) =>
  expect.objectContaining({ code: "reply.shape", details: { id: "job-1", reason: expect.stringMatching(reason) } });

describe("a synchronous reply (spec 4.4)", () => {
  it("is the result as JSON, byte for byte", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const json = JSON.stringify(value);
        expect(buildReply("j", json, { cookies })).toEqual({
          status: 200,
          headers: { "content-type": "application/json" },
          body: json,
          base64: false,
        });
      }),
    );
  });

  it("has the default status unless the result chooses one", () => {
    expect(buildReply("j", '{"error":{}}', { status: 500, cookies })).toMatchObject({ status: 500, body: '{"error":{}}' });
    expect(buildReply("j", '{"svc_headers":{"a":"b"},"result":1}', { status: 500, cookies })).toMatchObject({ status: 500, body: "1" });
    expect(buildReply("j", '{"error":{"svc_status_code":404,"result":1}}', { status: 500, cookies })).toMatchObject({ status: 404 });
  });

  it("is refused with the name of the longest header if a gateway could not send its headers", () => {
    const long = (bytes: number) => reply({ svc_headers: { "X-Short": "1", "X-Long": "a".repeat(bytes) }, result: 1 });
    expect(() => long(20_000)).toThrow(refusal(/longest of them is x-long/));
    expect(() => reply({ svc_headers: Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`x-${at}`, "a".repeat(100)])) })).toThrow(
      refusal(/longer than 8 KB/),
    );
    expect(long(7000).headers["x-long"]).toHaveLength(7000);
  });

  it.each([["svc_"], ["windmill_"]])("takes status, type and headers from keys that begin with %s, and its body from result", (prefix) => {
    const shaped = { [`${prefix}status_code`]: 201, [`${prefix}headers`]: { "X-Made": "yes", Location: "/a" }, result: { a: 1 }, other: 1 };
    expect(reply(shaped)).toEqual({
      status: 201,
      headers: { "x-made": "yes", location: "/a", "content-type": "application/json", "x-content-type-options": "nosniff" },
      body: '{"a":1}',
      base64: false,
    });
  });

  it("svc_content_type is preferred to a header, and a text of such a type is sent as it is", () => {
    const shaped = { svc_content_type: "text/csv; charset=utf-8", svc_headers: { "content-type": "text/plain" }, result: 'a,"b"\n' };
    expect(reply(shaped)).toMatchObject({ headers: { "content-type": "text/csv; charset=utf-8" }, body: 'a,"b"\n', base64: false });
    expect(reply({ svc_headers: { "Content-Type": "text/plain" }, result: "x" })).toMatchObject({
      body: "x",
      headers: { "content-type": "text/plain" },
    });
  });

  it("bytes are returned as an object with their base64", () => {
    expect(reply({ svc_content_type: "image/png", result: { base64: "iVBORw==" } })).toMatchObject({ body: "iVBORw==", base64: true });
    expect(reply({ svc_content_type: "application/json", result: { base64: "iVBORw==" } })).toMatchObject({ base64: false });
  });

  it("bytes may use the URL-safe alphabet and omit the padding; invalid base64 is refused", () => {
    expect(reply({ svc_content_type: "image/png", result: { base64: "-_\n8" } })).toMatchObject({ body: "+/8=", base64: true });
    for (const base64 of ["%%%", "abc=d", "a", "ab=", "a b"]) {
      expect(() => reply({ svc_content_type: "image/png", result: { base64 } })).toThrow(refusal(/base64/));
    }
  });

  it.each([204, 205, 304])("%i has no body and no type (RFC 9110 §15)", (status) => {
    const { headers, ...rest } = reply({ svc_status_code: status, svc_headers: { etag: "1" }, svc_content_type: "text/html", result: "x" });
    expect(rest).toEqual({ status, body: "", base64: false });
    expect(headers).toEqual({ etag: "1" });
  });

  it("has null as body when there is no result, and JSON for values under other types", () => {
    expect(reply({ svc_status_code: 404 })).toMatchObject({ status: 404, body: "null" });
    expect(reply({ svc_content_type: "text/plain", result: { a: 1 } })).toMatchObject({ body: '{"a":1}' });
  });

  it("is not shaped by nested keys, or by keys in lists or texts", () => {
    for (const result of [
      { a: { svc_status_code: 201 } },
      [{ svc_status_code: 201 }],
      '{"svc_status_code":201}',
      { s: '"svc_status_code"' },
    ]) {
      expect(reply(result)).toMatchObject({ status: 200, body: JSON.stringify(result) });
    }
  });

  it("a failed run may shape the reply by the error that it throws", () => {
    const error = { name: "TeaError", message: "short and stout", svc_status_code: 418 };
    expect(reply({ error })).toMatchObject({ status: 418, body: '{"error":{"name":"TeaError","message":"short and stout"}}' });
    expect(reply({ error: { ...error, result: "no tea", svc_content_type: "text/plain" } })).toMatchObject({ status: 418, body: "no tea" });
    expect(reply({ error: { name: "E", message: "m" } })).toMatchObject({ status: 200 });
  });

  it.each([
    "text/html",
    "TEXT/HTML; charset=utf-7",
    "image/svg+xml",
    "application/xhtml+xml",
    "text/plain",
    "application/pdf",
    "multipart/x-mixed-replace; boundary=b",
    "application/problem+json",
    "text/html, application/json",
    "application/json;,text/html",
    "application/json; charset=utf-8, text/html",
    'application/json; a=",text/html',
    "application/jsonp",
    "unknown",
  ])("%s is rendered without the origin's rights, whether the run succeeds or fails", (type) => {
    const shape = { svc_content_type: type, svc_headers: { "cache-control": "no-store" }, result: "<p>" };
    for (const result of [shape, { error: { name: "E", message: "m", ...shape } }]) {
      const { headers } = reply(result);
      expect(Object.entries(headers).slice(-2)).toEqual([
        ["content-security-policy", expect.stringMatching(/^sandbox(?!.*same-origin)/)],
        ["x-content-type-options", "nosniff"],
      ]);
    }
  });

  it.each(["application/json", "application/json; charset=utf-8", "Application/JSON"])("%s needs no sandbox", (type) => {
    const { headers } = reply({ svc_content_type: type, result: {} });
    expect(headers).toEqual({ "content-type": type, "x-content-type-options": "nosniff" });
  });

  it.each([
    "Content-Security-Policy",
    "content-security-policy-report-only",
    "X-Content-Type-Options",
    "Clear-Site-Data",
    "Service-Worker-Allowed",
    "Strict-Transport-Security",
    "ACCESS-CONTROL-ALLOW-CREDENTIALS",
    "Alt-Svc",
    "NEL",
    "X-Svc-Error",
  ])("a script cannot set the header %s", (name) => {
    expect(() => reply({ svc_headers: { [name]: "x" } })).toThrow(refusal(/only this service/));
    expect(() => reply({ error: { name: "E", message: "m", windmill_headers: { [name]: "x" } } })).toThrow(refusal(/only this service/));
  });

  it.each([
    ["token=abc", /cookie 'token'/],
    [" Token = abc; Path=/", /cookie 'token'/],
    ["\ttoken=abc", /cookie 'token'/],
    ["__Host-token=abc; Secure; Path=/", /cookie 'token'/],
    ["__SECURE-svc_login=abc", /cookie 'svc_login'/],
    ["svc_login=abc", /cookie 'svc_login'/],
    ["SVC_other=abc", /cookie 'svc_other'/],
    ["__Host-cart=abc", /cookie 'cart'/],
    ["__secure-cart=abc", /cookie 'cart'/],
    ["__Http-cart=abc", /cookie 'cart'/],
    ["__Host-Http-cart=abc", /cookie 'cart'/],
    ["a=b, token=abc", /comma/],
    ["a=b,token=abc; Path=/", /comma/],
    ["a,token=b", /comma/],
    [`a=${"b".repeat(1023)}`, /larger than 1024 bytes/],
    [`${"b".repeat(1024)}=`, /larger than 1024 bytes/],
    ["=token=abc", /no name/],
    ["= __Host-token=abc", /no name/],
    ["token", /no name/],
    ["; token=abc", /no name/],
    ["", /no name/],
  ])("a script cannot set the cookie %j, which browsers could send as one of this service", (cookie, reason) => {
    expect(() => reply({ svc_headers: { "Set-Cookie": cookie } })).toThrow(refusal(reason));
  });

  it.each([
    ["cart=token", "cart=token; Path=/api/r/shop; Max-Age=86400"],
    ["cart=token; Path=/", "cart=token; Path=/api/r/shop; Max-Age=86400"],
    ["cart=; path=/api; Max-Age=0", "cart=; Path=/api/r/shop; Max-Age=0"],
    ["cart=a; Path=/api/r/shop/orders", "cart=a; Path=/api/r/shop/orders; Max-Age=86400"],
    ["cart=a; Path=/api/r/shop/x; Path=/", "cart=a; Path=/api/r/shop; Max-Age=86400"],
    ["cart=a; Path=/api/r/shopping", "cart=a; Path=/api/r/shop; Max-Age=86400"],
    ["cart=a; Path=/api/r/shop/../..", "cart=a; Path=/api/r/shop; Max-Age=86400"],
    ["cart=a; Path=/api/r/shop/%2e%2e/x", "cart=a; Path=/api/r/shop; Max-Age=86400"],
    ["cart=a; Path", "cart=a; Path=/api/r/shop; Max-Age=86400"],
    ["cart=a; Max-Age=60; HttpOnly; secure; SameSite=lax", "cart=a; Path=/api/r/shop; Max-Age=60; Secure; HttpOnly; SameSite=lax"],
    ["cart=a; Max-Age=1e99; SameSite=x", "cart=a; Path=/api/r/shop; Max-Age=86400"],
    ["cart=a; Max-Age=99999999999999999999", "cart=a; Path=/api/r/shop; Max-Age=86400"],
    ["cart=a; Max-Age=-1", "cart=a; Path=/api/r/shop; Max-Age=0"],
    ["cart=a; Expires=Tue, 01 Jan 2030 01:00:00 GMT", "cart=a; Path=/api/r/shop; Max-Age=3600"],
    ["cart=a; Expires=Thu, 01 Jan 1970 00:00:00 GMT", "cart=a; Path=/api/r/shop; Max-Age=0"],
    ["cart=a; Expires=Fri, 31 Dec 9999 23:59:59 GMT", "cart=a; Path=/api/r/shop; Max-Age=86400"],
    ["cart=a; Domain=example.com; Partitioned; Priority=High", "cart=a; Path=/api/r/shop; Max-Age=86400; Partitioned"],
  ])("the cookie %j counts below the path of its route, for a day at most, on this host", (cookie, expected) => {
    expect(reply({ svc_headers: { "Set-Cookie": cookie } }).headers["set-cookie"]).toBe(expected);
  });

  it("a cookie of a domain that belongs to the routes stays as it is, unless it could be one of this service", () => {
    const own = (cookie: string) => buildReply("job-1", JSON.stringify({ svc_headers: { "Set-Cookie": cookie } }), { cookies: "origin" });
    const large = `cart=${"a".repeat(2000)}; Path=/; Max-Age=99999999`;
    expect(own(large).headers["set-cookie"]).toBe(large);
    expect(() => own("svc_x=1")).toThrow(refusal(/reserved/));
  });

  it.each([[{ "Set-Cookie": ["a=1", "b=2"] }], [{ "Set-Cookie": "a=1\r\nSet-Cookie: token=2" }], [{ "Set-Cookie": "a=1\ntoken=2" }]])(
    "a reply sets one cookie: %j is refused",
    (headers) => {
      expect(() => reply({ svc_headers: headers })).toThrow(refusal(/string|characters/));
    },
  );

  it("two spellings of the header are one cookie", () => {
    const { headers } = reply({ svc_headers: { "Set-Cookie": "a=1", "set-cookie": "b=2" } });
    expect(Object.entries(headers).filter(([name]) => name.toLowerCase() === "set-cookie")).toHaveLength(1);
  });

  it.each([99, 100, 199, 600, 1000, 200.5, -1, "200", true, {}])("is refused for the status %j (spec 7.2)", (status) => {
    expect(() => reply({ svc_status_code: status, result: 1 })).toThrow(refusal(/status code/));
  });

  it.each<[unknown, RegExp]>([
    [{ svc_status_code: 200, windmill_status_code: 201 }, /both/],
    [{ svc_status_code: 200, windmill_headers: {} }, /both/],
    [{ svc_headers: ["a"] }, /headers/],
    [{ svc_headers: { "bad name": "x" } }, /header name/],
    [{ svc_headers: { "x-a": "a\r\nset-cookie: b" } }, /characters/],
    [{ svc_headers: { "x-a": { b: 1 } } }, /not a string/],
    [{ svc_headers: { "Content-Length": "1" } }, /only this service/],
    [{ svc_headers: { "Set-Cookie": "token=abc" } }, /cookie/],
    [{ svc_content_type: "text/plain\n" }, /media type/],
    [{ svc_content_type: 7 }, /media type/],
    [{ svc_content_type: "image/png", result: { base64: "not base64!" } }, /base64/],
    [{ svc_content_type: "image/png", result: { base64: "iVBORw=" } }, /base64/],
  ])("is refused for %j", (result, reason) => {
    expect(() => reply(result)).toThrow(refusal(reason));
  });
});
