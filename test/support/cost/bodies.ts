import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import type { Route } from "../../../contract/route.ts";
import { routes } from "../../../contract/routes/routes.ts";
import { parseRunnerAnswer } from "../../../core/jobs/runner-answer.ts";
import { parseArguments, parseJsonParameter } from "../../../core/payload/arguments.ts";
import { isBase64 } from "../../../core/payload/base64.ts";
import { parseFormText } from "../../../core/payload/form-text.ts";
import { parseJson, tryParseJson } from "../../../core/payload/json.ts";
import { removeStacks } from "../../../core/reply/remove-stacks.ts";
import { buildReply } from "../../../core/reply/reply.ts";
import { escapeReferences, findReferences } from "../../../core/resources/references.ts";
import { decodeBody } from "../../../functions/shared/request/decode-body.ts";
import { parseBody } from "../../../functions/shared/request/parse-body.ts";
import { checkFields } from "../../../functions/shared/request/unknown-input.ts";
import { wholeAnswer } from "../../builders/runner-answers.ts";
import { type CostCase, feed } from "./growth.ts";
import { type Build, between, mix, nest, numbered, repeat } from "./shapes.ts";

const MOST = 256 * 1024;

const forms: Record<string, Build> = mix("a", "a&", "a=1&", "=", "&", "+", "%41", "%e4", "%", "ü", "?", "[");
const json: Record<string, Build> = {
  lists: nest("[", "]"),
  "lists without an end": repeat("["),
  objects: nest('{"a":', "}", "1"),
  "many numbers": between("[0", repeat(",1"), "]"),
  "many long numbers": between("[0", repeat(",12345678901234567890"), "]"),
  "one number": between("[", repeat("1"), "]"),
  "one exponent": between("[1e", repeat("0"), "]"),
  "many exponents": between("[0", repeat(",1e999"), "]"),
  "one text": between('"', repeat("a"), '"'),
  "a text without an end": between('"', repeat("a")),
  backslashes: between('"', repeat("\\\\"), '"'),
  "escaped quotes": between('"', repeat('\\"'), '"'),
  "halves of characters": between('"', repeat("\\ud800"), '"'),
  "halves in the wrong order": between('"', repeat("\\udc00\\ud800"), '"'),
  digits: between('"', repeat("1234567890123456 "), '"'),
  names: between(
    "{",
    numbered((at) => `"k${at}":1,`),
    '"a":1}',
  ),
  "the same name": between("{", repeat('"a":1,'), '"a":1}'),
  "numbers as names": between(
    "{",
    numbered((at) => `"${at * 4099}":1,`),
    '"a":1}',
  ),
  "empty texts": between("[1", repeat(',""'), "]"),
  commas: repeat(","),
  spaces: between("", repeat(" "), "1"),
  "lines that end nowhere": between('{"a":', repeat("\n")),
  "byte order marks": repeat("\ufeff"),
  "stack traces": between("[1", repeat(',{"message":"a","stack":"b"}'), "]"),
  references: between("[1", repeat(',"$var:f/a/b"'), "]"),
};

const MULTIPART = "multipart/form-data; boundary=cut";
const part = (head: string, text = "1") => `--cut\r\nContent-Disposition: form-data; ${head}\r\n\r\n${text}\r\n`;
const parts: Record<string, Build> = {
  fields: between("", repeat(part('name="a"')), "--cut--\r\n"),
  files: between("", repeat(part('name="a"; filename="b"')), "--cut--\r\n"),
  "parts without a name": repeat(part("x=1")),
  "one long field": between(part('name="a"').slice(0, -3), repeat("a"), "\r\n--cut--\r\n"),
  "one long name": between('--cut\r\nContent-Disposition: form-data; name="', repeat("a"), '"\r\n\r\n1\r\n--cut--\r\n'),
  "quotes in a name": between('--cut\r\nContent-Disposition: form-data; name="', repeat('\\"'), '"\r\n\r\n1\r\n--cut--\r\n'),
  parameters: between("--cut\r\nContent-Disposition: form-data", repeat("; a=b"), "\r\n\r\n1\r\n--cut--\r\n"),
  "encoded parameters": between("--cut\r\nContent-Disposition: form-data", repeat("; name*=utf-8''%41"), "\r\n\r\n1\r\n--cut--\r\n"),
  "headers of one part": between("--cut\r\n", repeat("a: b\r\n"), "\r\n1\r\n--cut--\r\n"),
  "a header on many lines": between("--cut\r\na:", repeat(" b\r\n"), "\r\n1\r\n--cut--\r\n"),
  boundaries: repeat("--cut\r\n"),
  "beginnings of boundaries": between(part('name="a"').slice(0, -3), repeat("\r\n--cu")),
  dashes: between(part('name="a"').slice(0, -3), repeat("-")),
  "ends of lines": between(part('name="a"').slice(0, -3), repeat("\r\n")),
  "a boundary that never comes": repeat("a"),
};

const options = { wrapBody: false, raw: true, headers: [], query: [], event: true };
/** Reads a body with the content type, as each route that runs a script does. */
const readAs = (contentType: string) => (body: string) =>
  parseArguments({ method: "POST", headers: { "content-type": contentType }, query: {}, bytes: Buffer.from(body) }, options);

const toForms = (build: Build) => (size: number) => `--cut\r\nContent-Disposition: form-data; name="a"\r\n\r\n${build(size)}`;

/** Bodies of requests, as strangers send them. */
export const bodies: CostCase[] = [
  ...feed("a form", MOST, parseFormText, forms),
  ...feed("a body of JSON", MOST, parseJson, json),
  ...feed("a body that may be JSON", MOST, tryParseJson, json),
  ...feed("a webhook's body", MOST, readAs("application/json"), json),
  ...feed("a webhook's form", MOST, readAs("application/x-www-form-urlencoded"), forms),
  ...feed("a webhook's multipart form", MOST, readAs(MULTIPART), parts),
  ...feed(
    "a multipart form with other characters",
    MOST,
    readAs(MULTIPART),
    Object.fromEntries(Object.entries(forms).map(([what, build]) => [what, toForms(build)])),
  ),
  ...feed("an event in an envelope", MOST, readAs("application/cloudevents+json"), json),
  ...feed("a body in another character set", MOST, readAs("text/plain; charset=utf-16"), {
    letters: repeat("a"),
    halves: repeat("\ud800"),
  }),
  ...feed("base64", MOST, isBase64, { digits: repeat("A"), padding: repeat("="), "digits and padding": nest("A", "=") }),
  ...feed("the payload of a GET request", MOST, parseJsonParameter, {
    "base64 of lists": (size) => Buffer.from(nest("[", "]")(size)).toString("base64"),
    spaces: repeat(" "),
    padding: between("", repeat("="), "a"),
  }),
  ...feed("a result that may shape its reply", MOST, (text: string) => buildReply("job", text, { cookies: "origin" }), {
    ...json,
    headers: between(
      '{"svc_headers":{',
      numbered((at) => `"k${at}":"1",`),
      '"a":"b"},"result":1}',
    ),
    "a content type": between('{"svc_content_type":"', repeat("json "), '","result":1}'),
    "a cookie": between('{"svc_headers":{"set-cookie":"a=b', repeat("; a"), '"},"result":1}'),
  }),
  ...feed("the answer of a runner", MOST, parseRunnerAnswer, {
    ...json,
    results: (size) => JSON.stringify({ ...wholeAnswer, result: "a".repeat(size) }),
    "outcomes of later runs": (size) =>
      JSON.stringify({ ...wholeAnswer, next: Array.from({ length: size / 256 }, () => wholeAnswer.next[0]) }),
  }),
  ...feed("a result without its stack traces", MOST, removeStacks, json),
  ...feed("references in arguments", MOST, (text: string) => [escapeReferences(parseJson(text)), findReferences(parseJson(text))], json),
  ...Object.entries({ gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync }).flatMap(([encoding, encode]) =>
    feed(`a body in ${encoding}`, MOST, (bytes: Buffer) => decodeBody(bytes, encoding), {
      zeros: (size) => encode(Buffer.alloc(size)),
      "half of it": (size) => encode(Buffer.alloc(size, "abc")).subarray(0, -9),
    }),
  ),
];

const withBodies = Object.values<Route>(routes).filter(({ body }) => body !== undefined);
/** Checks a body as the edge of each function does. */
const checkBody = (route: Route) => (text: string) => {
  const sent: unknown = JSON.parse(text);
  if (route.body) parseBody(route.body, sent);
  return checkFields(route, {}, sent);
};

/** The checks of every body of the contract. */
export const checkedBodies: CostCase[] = withBodies.flatMap((route) =>
  feed(`the body of ${route.name}`, MOST / 8, checkBody(route), {
    "unknown names": json["names"] as Build,
    "a long name": between('{"', repeat("a_"), '":1}'),
  }),
);
