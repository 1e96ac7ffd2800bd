import { describe, expect, it } from "vitest";
import type { Payload } from "../../contract/payload.ts";
import { parseArguments } from "./arguments.ts";
import { buildPreprocessorArguments, splitEvent } from "./preprocessor-arguments.ts";

const options = { wrapBody: false, raw: false, headers: [], query: [], event: true };
const aPayload = (fields: Partial<Payload> & { text?: string } = {}): Payload => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  query: {},
  bytes: Buffer.from(fields.text ?? "{}"),
  ...fields,
});
const eventOf = async (fields: Parameters<typeof aPayload>[0]) => (await parseArguments(aPayload(fields), options)).event;

describe("the event of a webhook", () => {
  it("the event contains text, query and headers, and no credentials", async () => {
    const headers = { "content-type": "application/json", authorization: "Bearer t", cookie: "token=t", "x-event": "push" };
    const event = await eventOf({ text: '{"a":1}', headers, query: { token: ["t"], a: ["1"], b: ["1", "2"] } });
    expect(event).toEqual({
      kind: "webhook",
      raw_string: '{"a":1}',
      query: { a: "1", b: ["1", "2"] },
      headers: { "content-type": "application/json", "x-event": "push" },
    });
  });

  it.each([
    ["JSON, which is what the text says", { text: "[1]" }, undefined],
    ["a text", { text: "plain" }, undefined],
    ["a form", { text: "a=1", headers: { "content-type": "application/x-www-form-urlencoded" } }, { a: "1" }],
    ["an empty request", { text: "" }, {}],
    ["a GET", { method: "GET", text: "", query: { payload: [Buffer.from('{"n":7}').toString("base64")] } }, { n: 7 }],
    [
      "an event in an envelope",
      {
        text: JSON.stringify({ specversion: "1.0", id: "1", source: "/s", type: "t", data: { n: 1 } }),
        headers: { "content-type": "application/cloudevents+json" },
      },
      { n: 1 },
    ],
  ])("the event has a separate body except for %s", async (_what, fields, body) => {
    expect((await eventOf(fields))?.body).toEqual(body);
  });

  it("the event of a form with files has no text", async () => {
    const text = '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--b--\r\n';
    const event = await eventOf({ text, headers: { "content-type": "multipart/form-data; boundary=b" } });
    expect(event).toMatchObject({ raw_string: null, body: { a: "1" } });
  });

  it("the event is built only on request", async () => {
    expect(await parseArguments(aPayload(), { ...options, event: false })).toEqual({ args: {}, files: [], wrapped: false });
  });
});

describe("the arguments of a preprocessor", () => {
  const event = { kind: "webhook" as const, raw_string: "", query: {}, headers: {} };
  it("the arguments are the event, which no body can forge, and the declared arguments", () => {
    expect(buildPreprocessorArguments({ params: ["event", "a"] }, { a: 1, b: 2, event: "forged" }, event)).toEqual({ a: 1, event });
    expect(buildPreprocessorArguments({ params: null }, { a: 1, b: 2 }, event)).toEqual({ a: 1, b: 2, event });
  });
  it("the event and the other arguments can be separated", () => {
    expect(splitEvent({ a: 1, event })).toEqual({ event: { event }, others: { a: 1 } });
  });
});
