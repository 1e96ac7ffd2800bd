import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Payload } from "../../contract/payload.ts";
import { mergeStoredFiles, type PayloadOptions, parseArguments } from "./arguments.ts";

const none: PayloadOptions = { wrapBody: false, raw: false, headers: [], query: [] };
const aPayload = (body: string | Buffer, contentType?: string, rest: Partial<Payload> = {}): Payload => ({
  method: "POST",
  query: {},
  bytes: Buffer.from(body as string),
  ...rest,
  headers: { ...(contentType ? { "content-type": contentType } : {}), ...rest.headers },
});
const args = async (payload: Payload, options: Partial<PayloadOptions> = {}) =>
  (await parseArguments(payload, { ...none, ...options })).args;
const aGet = (payload?: string) => aPayload("", undefined, { method: "GET", query: payload === undefined ? {} : { payload: [payload] } });
const form = (...parts: string[]) => `${parts.map((part) => `--cut\r\n${part}\r\n`).join("")}--cut--\r\n`;
const FORM = "multipart/form-data; boundary=cut";

describe("bodies (spec 4.2)", () => {
  it.each<[string, string, string | undefined, unknown]>([
    ["4.2.2 a JSON object gives its keys", '{"a":1,"b":{"c":[true]}}', "application/json", { a: 1, b: { c: [true] } }],
    ["4.2.1 JSON under any type is JSON", '{"a":1}', "text/plain", { a: 1 }],
    ["4.2.1 JSON without a type is JSON", '{"a":1}', undefined, { a: 1 }],
    ["4.2.1 JSON under curl's default type is JSON", '{"a":"x&y=z"}', "application/x-www-form-urlencoded", { a: "x&y=z" }],
    ["4.2.3 a list under curl's default type is passed as body, too", "[1,2]", "application/x-www-form-urlencoded", { body: [1, 2] }],
    ["4.2.3 a list is passed as body", "[1,2]", "application/json", { body: [1, 2] }],
    ["4.2.3 a text is passed as body", '"x"', "application/json", { body: "x" }],
    ["4.2.3 null is passed as body", "null", "application/json", { body: null }],
    ["an empty body gives no arguments", "", "application/json", {}],
    ["blanks give no arguments", " \n", undefined, {}],
    ["4.2.1 a text that is not JSON is raw_string", "a=1;", "application/json", { raw_string: "a=1;" }],
    ["4.2.1 XML is raw_string", "<a/>", "application/xml", { raw_string: "<a/>" }],
    ["4.2.2 a form gives its keys", "a=1&b=x+y&c=%C3%A9", "application/x-www-form-urlencoded; charset=utf-8", { a: "1", b: "x y", c: "é" }],
    ["4.2.1 a repeated key becomes a list", "a=1&b=2&a=3", "application/x-www-form-urlencoded", { a: ["1", "3"], b: "2" }],
  ])("%s", async (_title, body, contentType, expected) => {
    expect(await args(aPayload(body, contentType))).toEqual(expected);
  });

  it("4.2.3 wrap_body passes any body as body", async () => {
    expect(await args(aPayload('{"a":1}'), { wrapBody: true })).toEqual({ body: { a: 1 } });
    expect(await args(aPayload("[1]"), { wrapBody: true })).toEqual({ body: [1] });
    expect(await args(aPayload("a=1", "application/x-www-form-urlencoded"), { wrapBody: true })).toEqual({ body: { a: "1" } });
    expect(await args(aPayload("no json"), { wrapBody: true })).toEqual({ body: "no json", raw_string: "no json" });
  });

  it("4.2.4 raw adds the unchanged text", async () => {
    const text = ' {"a" : 1}\n';
    expect(await args(aPayload(text), { raw: true })).toEqual({ a: 1, raw_string: text });
  });

  it("keys that every object inherits are data", async () => {
    const found = await args(aPayload('{"__proto__":{"admin":true},"constructor":1}'));
    expect(Object.entries(found)).toEqual([
      ["__proto__", { admin: true }],
      ["constructor", 1],
    ]);
    expect(Object.getPrototypeOf(found)).toBe(Object.prototype);
    expect(Object.keys(await args(aPayload("__proto__=1&a=2", "application/x-www-form-urlencoded")))).toEqual(["__proto__", "a"]);
  });

  it("JSON may have 100,000 keys, and a form 10,000", async () => {
    const many = Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`k${at}`, at]));
    expect(Object.keys(await args(aPayload(JSON.stringify(many))))).toHaveLength(100_000);
    const pairs = Array.from({ length: 10_000 }, (_, at) => `k${at}=${at}`).join("&");
    expect(Object.keys(await args(aPayload(pairs, "application/x-www-form-urlencoded")))).toHaveLength(10_000);
    await expect(args(aPayload(`${pairs}&a`, "application/x-www-form-urlencoded"))).rejects.toMatchObject({ code: "payload.form" });
  });

  it("a body that is nested too deeply is rejected", async () => {
    const deep = `${'{"a":'.repeat(10_000)}1${"}".repeat(10_000)}`;
    await expect(args(aPayload(deep))).rejects.toMatchObject({ code: "body.tooDeep" });
  });

  it("a body that is not UTF-8 is raw_string", async () => {
    expect(await args(aPayload(Buffer.from([0xff, 0xfe, 0x00])))).toEqual({ raw_string: "\ufffd\ufffd\u0000" });
  });

  it("JSON may begin with a byte order mark, which raw_string contains", async () => {
    expect(await args(aPayload('\ufeff{"a":1}', "application/json"), { raw: true })).toEqual({ a: 1, raw_string: '\ufeff{"a":1}' });
  });

  it.each([
    ["text/xml; charset=ISO-8859-1", "<é/>", { raw_string: "<é/>" }],
    ['application/json;charset="windows-1252"', '{"a":"é"}', { a: "é" }],
    ["application/x-www-form-urlencoded; charset=latin1", "a=é", { a: "é" }],
  ])("a body of type %s is read in its charset", async (type, text, expected) => {
    expect(await args(aPayload(Buffer.from(text, "latin1"), type))).toEqual(expected);
  });

  it("a body with an unknown charset is read as UTF-8", async () => {
    expect(await args(aPayload('{"a":"é"}', "application/json; charset=klingon"))).toEqual({ a: "é" });
  });

  it("any JSON object is returned unchanged", async () => {
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.string(), fc.jsonValue()), async (value) => {
        expect(JSON.stringify(await args(aPayload(JSON.stringify(value))))).toBe(JSON.stringify(value));
      }),
    );
  });

  it("content of any type is accepted", async () => {
    const types = fc.constantFrom(undefined, "", "application/json", "text/plain", "application/x-www-form-urlencoded", "???", "image/png");
    await fc.assert(
      fc.asyncProperty(fc.uint8Array(), types, async (bytes, contentType) => {
        const found = await args(aPayload(Buffer.from(bytes), contentType), { raw: true });
        expect(found["raw_string"]).toBe(Buffer.from(bytes).toString("utf8"));
      }),
    );
  });
});

describe("a multipart form (spec 4.2.5)", () => {
  it("fields are arguments, and files are separate", async () => {
    const body = form(
      'Content-Disposition: form-data; name="title"\r\n\r\nTwo files',
      'Content-Disposition: form-data; name="doc"; filename="é.txt"\r\nContent-Type: text/plain\r\n\r\none',
      'Content-Disposition: form-data; name="doc"; filename="b.bin"\r\n\r\ntwo',
      'Content-Disposition: form-data; name="tag"\r\n\r\na',
      'Content-Disposition: form-data; name="tag"\r\n\r\nb',
    );
    const found = await parseArguments(aPayload(body, FORM), none);
    expect(found.args).toEqual({ title: "Two files", tag: ["a", "b"] });
    expect(found.files.map(({ bytes, ...file }) => ({ ...file, text: bytes.toString() }))).toEqual([
      { argument: "doc", filename: "é.txt", contentType: "text/plain", text: "one" },
      { argument: "doc", filename: "b.bin", contentType: "text/plain", text: "two" },
    ]);
  });

  it("every byte of a file is preserved", async () => {
    const bytes = Buffer.from(Array.from({ length: 4096 }, (_, at) => at % 256));
    const head = '--cut\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\n';
    const body = Buffer.concat([Buffer.from(head), bytes, Buffer.from("\r\n--cut--\r\n")]);
    const { files } = await parseArguments(aPayload(body, FORM), none);
    expect(files[0]?.bytes.equals(bytes)).toBe(true);
  });

  it.each([
    ["without a boundary", "multipart/form-data", form("Content-Disposition: form-data; name=a\r\n\r\n1")],
    ["that breaks off", FORM, '--cut\r\nContent-Disposition: form-data; name="a"\r\n\r\n1'],
    ["that is something else", FORM, "{}"],
  ])("%s is rejected with a sentence", async (_what, contentType, body) => {
    await expect(args(aPayload(body, contentType))).rejects.toMatchObject({ code: "payload.form" });
  });
});

describe("files of a form among the arguments (spec 4.2.5, 4.2.6)", () => {
  const body = form(
    'Content-Disposition: form-data; name="doc"\r\n\r\nsee below',
    'Content-Disposition: form-data; name="doc"; filename="a.txt"\r\n\r\none',
    'Content-Disposition: form-data; name="x_signature"; filename="forged"\r\n\r\ntwo',
  );
  const read = async (options: Partial<PayloadOptions>) => {
    const found = await parseArguments(aPayload(body, FORM, { headers: { "x-signature": "real" } }), { ...none, ...options });
    const kept = Map.groupBy(found.files, ({ argument }) => argument);
    return mergeStoredFiles(
      found,
      Object.fromEntries([...kept].map(([name, list]) => [name, list.map(({ filename }) => ({ s3: filename }))])),
    );
  };
  it("files are added to a text of the same name", async () => {
    expect(await read({})).toEqual({ doc: ["see below", { s3: "a.txt" }], x_signature: [{ s3: "forged" }] });
  });
  it("files are part of body with wrap_body", async () => {
    expect(await read({ wrapBody: true })).toEqual({ body: { doc: ["see below", { s3: "a.txt" }], x_signature: [{ s3: "forged" }] } });
  });
  it("a selected header replaces files of the same name", async () => {
    expect(await read({ headers: ["X-Signature"] })).toEqual({ doc: ["see below", { s3: "a.txt" }], x_signature: "real" });
  });
});

describe("a GET's payload (spec 4.3)", () => {
  const value = { text: "é?>~ÿ", n: [1, 2, 3] };
  const base64 = Buffer.from(JSON.stringify(value)).toString("base64");
  it.each([
    ["standard", base64],
    ["URL-safe without padding", Buffer.from(JSON.stringify(value)).toString("base64url")],
    ["standard whose plus became a blank", base64.replaceAll("+", " ")],
  ])("the payload is read in the %s alphabet", async (_what, payload) => {
    expect(await args(aGet(payload))).toEqual(value);
  });
  it("the payload is optional, and a value that is not an object is passed as body", async () => {
    expect(await args(aGet())).toEqual({});
    expect(await args(aGet(Buffer.from("7").toString("base64url")))).toEqual({ body: 7 });
  });
  it("an invalid payload is rejected with the reason", async () => {
    await expect(args(aGet("a*b"))).rejects.toMatchObject({ code: "payload.base64" });
    await expect(args(aGet("abcde"))).rejects.toMatchObject({ code: "payload.base64" });
    await expect(args(aGet(Buffer.from("{oops").toString("base64url")))).rejects.toMatchObject({ code: "body.notJson" });
  });
});

describe("headers and query as arguments (spec 4.2.6, 4.2.7)", () => {
  const payload = aPayload('{"x_signature":"forged"}', "application/json", {
    headers: { "x-signature": "real", "x-other": "o" },
    query: { a: ["1"], b: ["2", "3"], toString: undefined },
  });
  it("include_header: lower case, underscores, over the body's own", async () => {
    expect(await args(payload, { headers: ["X-Signature", "X-Absent"] })).toEqual({ x_signature: "real" });
  });
  it("include_query: with their values; what is absent is skipped", async () => {
    expect(await args(payload, { query: ["a", "b", "c", "valueOf"] })).toEqual({ x_signature: "forged", a: "1", b: ["2", "3"] });
  });
});

describe("a CloudEvents 1.0 request (spec 4.2.8)", () => {
  const attributes = { id: "7", source: "/shop", type: "order.made", specversion: "1.0" };
  const ce = { "ce-id": "7", "ce-source": "/shop", "ce-type": "order.made", "ce-specversion": "1.0", "ce-tenant": "t1" };
  const structured = (envelope: unknown) => aPayload(JSON.stringify(envelope), "application/cloudevents+json; charset=utf-8");

  it("an event in binary mode has its data as arguments and its attributes as WEBHOOK__METADATA__", async () => {
    const found = await args(aPayload('{"n":1,"WEBHOOK__METADATA__":"forged"}', "application/json", { headers: ce }));
    expect(found).toEqual({ n: 1, WEBHOOK__METADATA__: { ...attributes, tenant: "t1", datacontenttype: "application/json" } });
  });
  it("an event in structured mode has its data as arguments", async () => {
    const found = await args(structured({ ...attributes, subject: "s", datacontenttype: "application/json", data: { n: 1 } }));
    expect(found).toEqual({ n: 1, WEBHOOK__METADATA__: { ...attributes, subject: "s", datacontenttype: "application/json" } });
  });
  it("an event in structured mode may have text, base64, a list or no data", async () => {
    expect(await args(structured({ ...attributes, datacontenttype: "text/plain", data: "hi" }))).toMatchObject({ raw_string: "hi" });
    const base64 = Buffer.from('{"n":2}').toString("base64");
    expect(await args(structured({ ...attributes, datacontenttype: "application/json", data_base64: base64 }))).toMatchObject({ n: 2 });
    expect(await args(structured({ ...attributes, data: [1] }))).toMatchObject({ body: [1] });
    expect(Object.keys(await args(structured(attributes)))).toEqual(["WEBHOOK__METADATA__"]);
  });
  it("the text of an event in structured mode is UTF-8, whatever charset its type names", async () => {
    expect(await args(structured({ ...attributes, datacontenttype: "text/plain; charset=latin1", data: "é" }))).toMatchObject({
      raw_string: "é",
    });
  });
  it("a batch of events is rejected", async () => {
    await expect(args(aPayload("[]", "application/cloudevents-batch+json"))).rejects.toMatchObject({ code: "payload.cloudEventBatch" });
  });
  it.each<[string, Payload]>([
    ["no type", structured({ id: "7", source: "/s", specversion: "1.0" })],
    ["an empty source", structured({ ...attributes, source: "" })],
    ["a time that is none", structured({ ...attributes, time: "yesterday" })],
    ["base64 data that is none", structured({ ...attributes, data_base64: "%%%" })],
    ["base64 data that is no text", structured({ ...attributes, data_base64: 5 })],
    ["data in both forms", structured({ ...attributes, data: 1, data_base64: "MQ==" })],
    ["an envelope that is no JSON", aPayload("{", "application/cloudevents+json")],
    ["a version of the future", structured({ ...attributes, specversion: "9.0" })],
    ["only an id in its headers", aPayload("{}", "application/json", { headers: { "ce-id": "7" } })],
  ])("an event with %s is rejected with a sentence", async (_what, payload) => {
    await expect(args(payload)).rejects.toMatchObject({ code: "payload.cloudEvent" });
  });

  // A backtracking search in a text of this length would take minutes.
  const LENGTH = 50_000;
  const PARTS = ["a", "a@", "a:", "a.", "%41", "%", "/", "//a", "?", "#", "[", "0:", "1.", "1", "-", " ", "Z", "&a", "\ud83d"];
  it.each<[attribute: string, starts: string[]]>([
    ["id", [""]],
    ["type", [""]],
    ["subject", [""]],
    ["datacontenttype", ["", "text/plain;"]],
    ["source", ["", "//", "a://", "//[", "http://a:", "/", "?", "#"]],
    ["dataschema", ["http://", "http://[", "http://a:", "http://a/", "urn:"]],
    ["time", ["", "2020-01-01T00:00:00", "2020-01-01T00:00:00.", "2020-01-01 "]],
    ["tenant", [""]],
  ])("a long %s is checked in linear time", async (attribute, starts) => {
    const texts = starts.flatMap((start) =>
      PARTS.flatMap((part) => ["", "\u0001"].map((end) => start + part.repeat(LENGTH / part.length) + end)),
    );
    for (const text of texts) {
      const answer = await args(structured({ ...attributes, [attribute]: text })).catch((error: unknown) => error);
      if (answer instanceof Error) expect(answer).toMatchObject({ code: "payload.cloudEvent" });
      else expect(answer).toMatchObject({ WEBHOOK__METADATA__: { [attribute]: text.toWellFormed() } });
    }
  });
  it("a long name of an attribute is not repeated in the error", async () => {
    const error = await args(structured({ ...attributes, ["A".repeat(LENGTH)]: "x" })).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "payload.cloudEvent" });
    expect(String((error as Error).message).length).toBeLessThan(1000);
  });
});
