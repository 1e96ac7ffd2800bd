import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { limits } from "../../contract/limits.ts";
import { pythonPath } from "../../test/support/programs.ts";
import { addFilesToEvent, mergeStoredFiles, type PayloadOptions, parseArguments } from "./arguments.ts";
import { parseFormText } from "./form-text.ts";
import { readMultipart } from "./multipart.ts";
import { buildPreprocessorArguments, restoreEventBody } from "./preprocessor-arguments.ts";

/** The arguments, and the body that a preprocessor receives, of a request whose files are stored under their names. */
async function read(contentType: string | undefined, body: string | Buffer, options: Partial<PayloadOptions> = {}) {
  const payload = {
    method: "POST",
    headers: contentType === undefined ? {} : { "content-type": contentType },
    query: { body: ["from the query"] },
    bytes: Buffer.from(body as string),
  };
  const parsed = await parseArguments(payload, { wrapBody: false, raw: false, headers: [], query: [], event: true, ...options });
  const stored = Object.fromEntries(
    [...Map.groupBy(parsed.files, ({ argument }) => argument)].map(([name, files]) => [
      name,
      files.map(({ filename }) => ({ s3: filename })),
    ]),
  );
  const args = mergeStoredFiles(parsed, stored);
  const { event } = buildPreprocessorArguments(
    { params: null },
    args,
    addFilesToEvent(parsed.event as NonNullable<typeof parsed.event>, stored),
  );
  return { args, eventBody: (restoreEventBody(event) as { body: unknown }).body };
}

const FORM = "application/x-www-form-urlencoded";
const MULTIPART = "multipart/form-data; boundary=cut";
const part = (head: string, text: string) => `--cut\r\nContent-Disposition: form-data; ${head}\r\n\r\n${text}\r\n`;

interface Case {
  what: string;
  type: string | undefined;
  body: string;
  /** The value of the body: `json` contains its JSON; `text` is not JSON. */
  value: { json: unknown } | { text: string };
}
const cases: Case[] = [
  ...[undefined, "application/json", "text/plain", "application/vnd.api+json; charset=utf-8", "image/png", FORM].flatMap((type): Case[] => [
    { what: "an object", type, body: '{"a":[1]}', value: { json: { a: [1] } } },
    { what: "a list", type, body: "[1,2]", value: { json: [1, 2] } },
    { what: "an empty list", type, body: "[]", value: { json: [] } },
  ]),
  ...[undefined, "application/json", "text/plain"].flatMap((type): Case[] => [
    { what: "a text in JSON", type, body: '"abc"', value: { json: "abc" } },
    { what: "an empty text in JSON", type, body: '""', value: { json: "" } },
    { what: "null", type, body: "null", value: { json: null } },
    { what: "a number", type, body: "0", value: { json: 0 } },
    { what: "false", type, body: "false", value: { json: false } },
    { what: "text", type, body: "abc", value: { text: "abc" } },
    { what: "a constant of Python", type, body: "NaN", value: { text: "NaN" } },
    { what: "JSON after a byte order mark", type, body: '\ufeff{"a":1}', value: { json: { a: 1 } } },
    { what: "text after a byte order mark", type, body: "\ufeffabc", value: { text: "\ufeffabc" } },
    { what: "nothing", type, body: "", value: { json: {} } },
  ]),
  { what: "a form", type: FORM, body: "a=1&b=2&a=3", value: { json: { a: ["1", "3"], b: "2" } } },
  { what: "a form that begins with a question mark", type: FORM, body: "?a=1", value: { json: { "?a": "1" } } },
  { what: "a form with an empty name", type: FORM, body: "=1&b", value: { json: { "": "1", b: "" } } },
  { what: "a multipart form", type: MULTIPART, body: `${part('name="a"', "1")}--cut--\r\n`, value: { json: { a: "1" } } },
  {
    what: "a text and files of one name",
    type: MULTIPART,
    body: `${part('name="a"', "one")}${part('name="a"; filename="f"', "two")}${part('name="b"; filename="g"', "three")}--cut--\r\n`,
    value: { json: { a: ["one", { s3: "f" }], b: [{ s3: "g" }] } },
  },
];

describe.each(cases)("$what with the type $type", ({ type, body, value }) => {
  const whole = "json" in value ? value.json : value.text;
  const isObject = typeof whole === "object" && whole !== null && !Array.isArray(whole);
  const plainArgs = "text" in value ? { raw_string: whole } : isObject ? whole : { body: whole };
  const wrappedArgs = { body: whole, ...("text" in value ? { raw_string: whole } : {}) };

  it("a script gets its keys, or the body", async () => {
    expect((await read(type, body)).args).toEqual(expect.objectContaining(plainArgs as object));
  });
  it("a script gets the unchanged body with wrap_body", async () => {
    const { event: _, ...args } = (await read(type, body, { wrapBody: true })).args;
    expect(args).toEqual(wrappedArgs);
  });
  it("a query parameter named body replaces the whole body", async () => {
    const { args } = await read(type, body, { wrapBody: true, query: ["body"] });
    expect(args["body"]).toBe("from the query");
  });
  it("a preprocessor gets the same body as the script, with each option", async () => {
    for (const options of [{}, { wrapBody: true }, { raw: true }]) expect((await read(type, body, options)).eventBody).toEqual(whole);
  });
});

describe("the files of a multipart form", () => {
  const read = (files: number) => readMultipart(MULTIPART, Buffer.from(`${part('name="a"; filename="f"', "1").repeat(files)}--cut--\r\n`));

  it("are limited, because each is stored separately", async () => {
    expect((await read(limits.formFiles)).files).toHaveLength(limits.formFiles);
    await expect(read(limits.formFiles + 1)).rejects.toMatchObject({ details: { reason: `it has more than ${limits.formFiles} files` } });
  });
});

describe("a multipart form with a part without a name", () => {
  it.each(['filename="f"', 'name=""', "x=1"])("is refused: %s", async (head) => {
    await expect(read(MULTIPART, `${part(head, "1")}--cut--\r\n`)).rejects.toMatchObject({ code: "payload.form" });
  });
});

/** The pairs of a form according to the parser of the Fetch API. Names of files represent the files. */
async function readWithFetch(contentType: string, body: string | Buffer): Promise<Record<string, unknown[]>> {
  const sent = new Request("http://127.0.0.1/", {
    method: "POST",
    headers: { "content-type": contentType },
    body: Buffer.from(body as string),
  });
  const pairs = [...(await sent.formData())].map(
    ([name, value]) => [name, typeof value === "string" ? value : { s3: value.name }] as const,
  );
  return Object.fromEntries([...Map.groupBy(pairs, ([name]) => name)].map(([name, list]) => [name, list.map(([, value]) => value)]));
}
const toLists = (args: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(args).flatMap(([name, value]) => (name === "event" ? [] : [[name, [value].flat()]])));
/** Files follow the texts of the same name. */
const textsFirst = (lists: Record<string, unknown[]>) =>
  Object.fromEntries(
    Object.entries(lists).map(([name, list]) => {
      const { texts = [], files = [] } = Object.groupBy(list, (one) => (typeof one === "string" ? "texts" : "files"));
      return [name, [...texts, ...files]];
    }),
  );

describe("the parser of the Fetch API", () => {
  const word = fc.string({ unit: fc.constantFrom("a", "b", "?", "&", "=", "+", "%", " ", "é", "😀", ";", "%41", "%ff"), maxLength: 6 });
  it("reads every URL-encoded form in the same way", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(word, word), { minLength: 1, maxLength: 5 }), async (pairs) => {
        const body = pairs.map(([name, value]) => `${name}=${value}`).join("&");
        // Node drops a leading question mark, which violates the standard.
        fc.pre(!body.startsWith("?"));
        expect(toLists((await read(FORM, body)).args)).toEqual(await readWithFetch(FORM, body));
      }),
    );
  });

  it("reads every form that it writes in the same way", async () => {
    const name = fc.string({ unit: fc.constantFrom("a", "b", "é", "😀", " ", "'", ";", "="), minLength: 1, maxLength: 4 });
    const value = fc.oneof(
      fc.string(),
      fc.record({ name: fc.string({ unit: fc.constantFrom("f", "ü", ".", " "), maxLength: 5 }).map((end) => `f${end}`) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(name, value), { minLength: 1, maxLength: 5 }), async (pairs) => {
        const form = new FormData();
        for (const [key, one] of pairs) typeof one === "string" ? form.append(key, one) : form.append(key, new Blob(["x"]), one.name);
        const sent = new Request("http://127.0.0.1/", { method: "POST", body: form });
        const [type, body] = [sent.headers.get("content-type") ?? "", Buffer.from(await sent.arrayBuffer())];
        expect(textsFirst(toLists((await read(type, body)).args))).toEqual(textsFirst(await readWithFetch(type, body)));
      }),
    );
  });
});

/** Each line of JSON is a form; the multipart form follows its type. */
const PYTHON = `
import email.parser, email.policy, json, sys, urllib.parse
def lists(pairs):
    found = {}
    for name, value in pairs:
        found.setdefault(name, []).append(value)
    return found
def multipart(kind, body):
    message = email.parser.BytesParser(policy=email.policy.HTTP).parsebytes(b"content-type: " + kind.encode() + b"\\r\\n\\r\\n" + body.encode())
    return [(part.get_param("name", header="content-disposition"), part.get_payload(decode=True).decode() if part.get_filename() is None else {"s3": part.get_filename()}) for part in message.iter_parts()]
for line in sys.stdin:
    kind, body = json.loads(line)
    pairs = multipart(kind, body) if kind.startswith("multipart/") else urllib.parse.parse_qsl(body, keep_blank_values=True)
    print(json.dumps(lists(pairs)))
`;

describe("Python's parsers", () => {
  it("read the same forms in the same way", async () => {
    const forms = [
      ...["?a=1", "a=1&a=2", "a", "a=&=b", "a=%C3%A9&b=x+y&c=%2B", "a=1=2", "a=%ff", "a%26=1", "&&a=1&"].map(
        (body) => [FORM, body] as const,
      ),
      ...cases.flatMap(({ type, body }) => (type === MULTIPART ? [[type, body] as const] : [])),
      [MULTIPART, `${part('name="a b;c"', "x\r\ny")}${part('name="é"', "ü")}--cut--\r\n`] as const,
    ];
    const input = forms.map((form) => `${JSON.stringify(form)}\n`).join("");
    const answers = execFileSync(pythonPath(), ["-c", PYTHON], { input, encoding: "utf8", env: { ...process.env, PYTHONUTF8: "1" } });
    const expected = answers
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown[]>);
    const ours = await Promise.all(forms.map(async ([type, body]) => toLists((await read(type, body)).args)));
    expect(ours.map(textsFirst)).toEqual(expected.map(textsFirst));
  });
});

describe("a form", () => {
  const character = fc.constantFrom(
    "a",
    "b",
    "=",
    "&",
    "+",
    "%",
    "%41",
    "%3d",
    "%26",
    "%zz",
    "%e4",
    "%c3%a4",
    "?",
    "[",
    "ü",
    "😀",
    "\ud800",
    "\ufeff",
    "\0",
    " ",
  );
  it("has the names and values that URLSearchParams reads", () => {
    const text = fc.array(character, { maxLength: 12 }).map((characters) => characters.join(""));
    fc.assert(
      fc.property(text, (form) => {
        fc.pre(!/^\s*[[{]/.test(form));
        // URLSearchParams drops a leading question mark.
        const pairs = [...new URLSearchParams(`&${form}`)];
        const expected = Object.fromEntries(
          [...Map.groupBy(pairs, ([name]) => name)].map(([name, all]) => [name, all.map(([, value]) => value)]),
        );
        const lists = Object.fromEntries(Object.entries(parseFormText(form) as object).map(([name, value]) => [name, [value].flat()]));
        expect(lists).toEqual(expected);
      }),
      { numRuns: 3000 },
    );
  });

  it("has at most as many parts as a multipart form", () => {
    const form = (parts: number) => Array.from({ length: parts }, (_, at) => `a${at}`).join("&");
    expect(Object.keys(parseFormText(form(limits.formParts)) as object)).toHaveLength(limits.formParts);
    for (const many of [form(limits.formParts + 1), "&".repeat(limits.formParts), "a&".repeat(2_000_000)])
      expect(() => parseFormText(many)).toThrow(
        expect.objectContaining({ code: "payload.form", details: { reason: `it has more than ${limits.formParts} parts` } }),
      );
  });
});
