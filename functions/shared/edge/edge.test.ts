import type { APIGatewayProxyEvent, Context } from "aws-lambda";
import { afterEach, describe, expect, it, vi } from "vitest";
import { env } from "../../../contract/env.ts";
import { CHANGE_HEADER, ISSUES_HEADER } from "../../../contract/errors/answer.ts";
import { SvcError } from "../../../contract/errors.ts";
import { runRoutes } from "../../../contract/routes/jobs/runs.ts";
import { logger } from "../observe.ts";
import { json, type Reply } from "../reply/reply.ts";
import { apiHandler, on, toErrorReply } from "./edge.ts";

const anEvent = (over: Partial<APIGatewayProxyEvent> = {}) =>
  ({
    httpMethod: "POST",
    path: "/api/w/ws/jobs/run/p/f/t/echo",
    headers: {},
    multiValueHeaders: {},
    queryStringParameters: null,
    multiValueQueryStringParameters: null,
    body: "{}",
    isBase64Encoded: false,
    ...over,
  }) as unknown as APIGatewayProxyEvent;
const calling = (handle: (headers: Record<string, unknown>) => Reply, event?: Partial<APIGatewayProxyEvent>): Promise<Reply> =>
  apiHandler([on(runRoutes.runScriptByPath, async ({ readPayload }) => handle((await readPayload()).headers))], async () => ({}))(
    anEvent(event),
    {
      awsRequestId: "r",
    } as Context,
  );

describe("apiHandler with request headers", () => {
  it("joins repeated headers as HTTP does, and cookies as cookies", async () => {
    const { body } = await calling((headers) => json(200, headers), {
      headers: { "X-Many": "b", Cookie: "d=2", "X-One": "1" },
      multiValueHeaders: { "X-Many": ["a", "b"], Cookie: ["c=1", "d=2"], "X-One": ["1"] },
    });
    expect(JSON.parse(body)).toEqual({ "x-many": "a, b", cookie: "c=1; d=2", "x-one": "1" });
  });
});

describe("apiHandler with reply headers", () => {
  it("lets the reply override headers of the service, except those that protect the whole origin", async () => {
    const { headers } = await calling(() => json(200, 1, { "referrer-policy": "origin", "strict-transport-security": "max-age=0" }));
    const found = Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]);
    expect(found.filter(([name]) => name === "referrer-policy")).toEqual([["referrer-policy", "origin"]]);
    expect(found.filter(([name]) => name === "strict-transport-security")).toEqual([
      ["strict-transport-security", expect.stringMatching(/max-age=[1-9]/)],
    ]);
  });

  it.each<[string, () => Reply, string]>([
    ["a reply that names no rule", () => json(200, 1), "no-store"],
    ["a reply that names another rule, in any spelling", () => json(200, 1, { "Cache-control": "max-age=5" }), "max-age=5"],
    [
      "an error",
      () => {
        throw new SvcError("queue.full", { limit: 3 });
      },
      "no-store",
    ],
    [
      "an internal error",
      () => {
        throw new Error("planned");
      },
      "no-store",
    ],
  ])("lets no cache store %s", async (_, handle, expected) => {
    const { headers } = await calling(handle);
    const named = Object.entries(headers ?? {}).filter(([name]) => name.toLowerCase() === "cache-control");
    expect(named.map(([, value]) => value)).toEqual([expected]);
  });

  const hostile = [
    "\r\nSet-Cookie: token=1",
    "\n",
    "\u0000",
    '"',
    "<script>",
    "\\",
    " ",
    "\t",
    "é",
    "\u2028",
    "\u{1f511}",
    "\ud800",
    "\u007f",
  ];
  it.each(hostile.flatMap((text) => ["Location", "location", "LOCATION"].map((name) => [name, text] as const)))(
    "encodes the target of a redirect: %s with %j",
    async (name, text) => {
      for (const target of ["/approve/", "https://host.example/a%20b?c=%0D&d="]) {
        const { headers, statusCode } = await calling(() => ({ statusCode: 303, headers: { [name]: `${target}${text}` }, body: "" }));
        const sent = String(Object.entries(headers ?? {}).find(([one]) => one.toLowerCase() === "location")?.[1]);
        expect(sent).toMatch(/^[!#-;=?-[\]_a-z~]+$/);
        expect([statusCode, decodeURIComponent(sent.slice(target.length))]).toEqual([303, text.toWellFormed()]);
        expect(sent.startsWith(target)).toBe(true);
      }
    },
  );

  it("names the job for which a call has waited too long", async () => {
    const { statusCode, headers } = await calling(() => {
      throw new SvcError("job.syncTimeout", { id: "job-1", limitMs: 25_000 });
    });
    expect([statusCode, headers?.["x-svc-job-id"]]).toEqual([504, "job-1"]);
  });
});

describe("a response to a refused value", () => {
  const headerOf = (issues: { path: string; reason: string; at?: string[]; step?: string }[]) =>
    toErrorReply(new SvcError("approval.form", { issues })).headers?.[ISSUES_HEADER];

  it("has the places in a header of ASCII without line ends, as far as they fit", () => {
    const issue = { at: ["a.b", "ü\r\nx-svc-other: 1"], reason: "is missing “here”" };
    const header = String(
      headerOf([
        { path: "a", reason: "has no place" },
        { path: "b", ...issue },
      ]),
    );
    expect(header).toMatch(/^[ -~]*$/);
    expect(JSON.parse(header)).toEqual([issue]);
    const many = Array.from({ length: 100 }, () => ({ path: "", at: ["x".repeat(500)], reason: "is missing" }));
    expect(JSON.parse(String(headerOf(many)))).toHaveLength(7);
    expect(headerOf([{ path: "", at: [], reason: "is too large" }])).toBeUndefined();
    const ofStep = { step: "load", reason: "is missing" };
    expect(JSON.parse(String(headerOf([{ path: "value.modules.0", ...ofStep }])))).toEqual([ofStep]);
  });
});

describe("a response to a write over another version", () => {
  const headerOf = (details: { by?: string; at?: string }) =>
    toErrorReply(new SvcError("object.versionChanged", { path: "f/a/b", version: "2", ...details })).headers?.[CHANGE_HEADER];

  it("names the author and the time of the newer version in a header of ASCII without line ends, if they are known", () => {
    const change = { by: "böb\r\nx-svc-other: 1", at: "2026-01-02T03:04:05.000Z" };
    expect(headerOf(change)).toMatch(/^[ -~]*$/);
    expect(JSON.parse(String(headerOf(change)))).toEqual(change);
    expect(headerOf({})).toBeUndefined();
  });
});

describe("a response with status 429", () => {
  it("has in Retry-After the seconds that its error names, or else 1 second", () => {
    const again = toErrorReply(new SvcError("approval.noticeAgain", { seconds: 60, retryAfterS: 42 }));
    expect([again.statusCode, again.headers?.["Retry-After"]]).toEqual([429, "42"]);
    const full = toErrorReply(new SvcError("queue.full", { limit: 3 }));
    expect([full.statusCode, full.headers?.["Retry-After"]]).toEqual([429, "1"]);
  });
});

describe("the log line of a request", () => {
  afterEach(() => {
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
  });

  it.each([
    ["none", undefined],
    ["shortened", "203.0.113.0/24"],
    ["full", "203.0.113.9"],
  ])("contains the address of the client in the form %s, and neither the path nor the query", async (mode, client) => {
    vi.stubEnv(env.clientAddresses, mode);
    // Other files of this process silence the logger.
    logger.setLogLevel("INFO");
    const lines: string[] = [];
    // The logger has its own console.
    vi.spyOn(process.stdout, "write").mockImplementation((line) => {
      lines.push(String(line));
      return true;
    });
    const event = { headers: { "X-Forwarded-For": "198.51.100.1, 203.0.113.9" }, queryStringParameters: { token: "from-the-query" } };
    await calling(() => json(200, 1), { ...event, path: "/api/w/ws/jobs/run/p/f/t/secret-part" });
    const line = lines.find((one) => one.includes('"message":"request"')) ?? "";
    expect(JSON.parse(line)).toMatchObject({ route: "jobs.run.scripts", workspace: "ws", status: 200, ...(client ? { client } : {}) });
    expect([line.includes('"client"'), line.includes("from-the-query"), line.includes("secret-part")]).toEqual([
      client !== undefined,
      false,
      false,
    ]);
  });
});
