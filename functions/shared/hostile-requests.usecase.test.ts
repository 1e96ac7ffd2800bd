import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { describeError, SvcError } from "../../contract/errors.ts";
import { type FuzzCall, type Fuzzer, newFuzzer } from "../../test/support/fuzz/fuzzer.ts";
import { EDGE_KEY } from "../../test/support/fuzz/gateway-event.ts";
import {
  costlyBodies,
  type Hostile,
  hostileBodies,
  hostileCredentials,
  hostileHeaders,
  hostileParts,
  hostileQueryValues,
} from "../../test/support/fuzz/hostile-values.ts";
import { listEdges } from "../../test/support/fuzz/number-edges.ts";
import { type Operation, SEED, sample } from "../../test/support/fuzz/operations.ts";

let fuzzer: Fuzzer;
beforeAll(async () => {
  fuzzer = await newFuzzer();
}, 60_000);
afterAll(() => {
  console.log(`${fuzzer.countCalls()} hostile calls of ${fuzzer.operations.length} operations, seed ${SEED}`);
  fuzzer.close();
  // Modules remember the settings of the fuzzer's instance for a time, and are loaded again for the other files.
  vi.resetModules();
});

/**
 * Spreads cases over operations: each operation gets a share of them, and each function all of them. One piece of code reads a part of the
 * request for all routes of a function, so that the whole product would repeat the same work.
 */
function spread<Case>(operations: readonly Operation[], cases: readonly Case[], share: number): { operation: Operation; one: Case }[] {
  const groups = Map.groupBy(operations, ({ route }) => `${route.fn} ${route.auth}`);
  return [...groups.values()].flatMap((group) => {
    const each = Math.max(share, Math.ceil(cases.length / group.length));
    return group.flatMap((operation, at) =>
      Array.from({ length: Math.min(each, cases.length) }, (_, index) => ({
        operation,
        one: cases[(at * each + index) % cases.length] as Case,
      })),
    );
  });
}

/** Routes without a token whose caller shows a password, a code or the token of a link in the body. */
const CREDENTIAL_IN_BODY = [
  "approvals.decide",
  "auth.login",
  "auth.redeemDeviceCode",
  "auth.requestDeviceCode",
  "auth.usersLogin",
  "chats.discord",
  "chats.slack",
  "chats.teams",
  "oauth.loginCallback",
];

/** A text in the place of a number. */
const MARK = "number-at-the-edge";

const takesBody = ({ route }: Operation) => route.body !== undefined || (route.payload === true && route.method !== "GET");
const toCall = (operation: Operation, { what, ...parts }: Hostile): FuzzCall => ({ what, operation, ...parts });

describe("every function answers with a documented status and one sentence, and never with an internal error", () => {
  it("if the credentials are missing, malformed or of another kind", async () => {
    const calls = spread(fuzzer.operations, hostileCredentials, 2).map(({ operation, one }) => ({
      ...toCall(operation, one),
      anonymous: true,
      // There is no other fault, so no other one may be reported. A new key may have been published since `beat` read the keys, so its runner
      // retries.
      ...(operation.route.auth === "none" ? {} : { expected: operation.route.auth === "job" ? [401, 429] : [401] }),
    }));
    expect(await fuzzer.sendAll(calls)).toEqual([]);
  });

  it("if the request did not come through CloudFront, before anything else is read", async () => {
    const keys = [[], [""], ["guessed"], [`the-next-key,${EDGE_KEY}`], [EDGE_KEY, "guessed"]];
    const calls = fuzzer.operations.flatMap((operation) => [
      ...keys.map((edgeKeys) => ({ what: `the keys ${edgeKeys}`, operation, edgeKeys, expected: [403] })),
      {
        what: "no key and broken input",
        operation,
        edgeKeys: [],
        anonymous: true,
        body: "{",
        query: [["", "a"] as const],
        expected: [403],
      },
      { what: "no key and an unknown method", operation, edgeKeys: [], method: "PUT", expected: [403] },
    ]);
    expect(await fuzzer.sendAll(calls)).toEqual([]);
  });

  it("if headers are repeated, too long, or contain control characters", async () => {
    const calls = spread(fuzzer.operations, hostileHeaders, 1).map(({ operation, one }) => toCall(operation, one));
    expect(await fuzzer.sendAll(calls)).toEqual([]);
  });

  it("if a part of the path is of another kind, encoded wrongly or too long", async () => {
    const parts = fuzzer.operations.flatMap((operation) =>
      Object.keys(sample(operation.params, 1)[0] ?? {}).map((name) => ({ ...operation, name })),
    );
    const calls = spread(parts, hostileParts, 6).map(({ operation: part, one }) => {
      const { name } = part as (typeof parts)[number];
      const operation = fuzzer.operations.find(({ route }) => route === part.route) as Operation;
      return { what: `${name} ${JSON.stringify(one.slice(0, 40))}`, operation, rawParams: { [name]: one } };
    });
    expect(await fuzzer.sendAll(calls)).toEqual([]);
  });

  it("if a query parameter is of another kind, repeated or too long", async () => {
    const parameters = fuzzer.operations.flatMap((operation) => operation.queryNames.map((name) => ({ ...operation, name })));
    const single = spread(parameters, hostileQueryValues, 2).map(({ operation: parameter, one }) => {
      const { name } = parameter as (typeof parameters)[number];
      const operation = fuzzer.operations.find(({ route }) => route === parameter.route) as Operation;
      return { what: `${name}=${JSON.stringify(one.slice(0, 40))}`, operation, query: [[name, one] as const] };
    });
    const unusual = fuzzer.operations.map((operation) => ({
      what: "unusual names",
      operation,
      query: [
        ...operation.queryNames.slice(0, 5).flatMap((name) => [[`${name}[]`, "a"] as const]),
        ["\u0000", ""],
        ["__proto__", "a"],
        ["", "a"],
      ] as const,
    }));
    expect(await fuzzer.sendAll([...single, ...unusual])).toEqual([]);
  });

  it("if the body is deep, broken, binary, too large or of another kind", async () => {
    const calls = spread(fuzzer.operations.filter(takesBody), hostileBodies, 3).map(({ operation, one }) => toCall(operation, one));
    expect(await fuzzer.sendAll(calls)).toEqual([]);
  });

  it("if the encoding of the body is unknown, or the body is not in its encoding", async () => {
    // A call without a token that its route requires, such as that of a job, is refused before its body is read. So is a call of an unknown
    // route.
    const calls = fuzzer.operations.filter(takesBody).flatMap((operation) =>
      [["zstd", 415] as const, ["gzip", 400] as const].map(([encoding, status]) => ({
        ...toCall(operation, { what: encoding, headers: [["Content-Encoding", encoding]], body: Buffer.from("{}") }),
        expected: operation.route.auth === "job" ? [401] : operation.route.payload ? [status, 404] : [status],
      })),
    );
    expect(await fuzzer.sendAll(calls)).toEqual([]);
  });

  it("if the credentials are wrong and the body is costly or broken", async () => {
    const closed = fuzzer.operations.filter((operation) => takesBody(operation) && operation.route.auth !== "none");
    const withToken = spread(closed, costlyBodies, 2).map(({ operation, one }) => ({
      ...toCall(operation, one),
      anonymous: true,
      expected: [401],
    }));
    const links = fuzzer.operations.filter((operation) => takesBody(operation) && operation.route.path.includes("{signature}"));
    const byLink = links.flatMap((operation) =>
      costlyBodies.map((one) => ({
        ...toCall(operation, one),
        anonymous: true,
        rawParams: { signature: "0".repeat(64), id: "0198c0de-0000-7000-8000-000000000000", resume_id: "1" },
        expected: [describeError(new SvcError("approval.link", {})).status],
      })),
    );
    expect(links).toHaveLength(2);
    expect(await fuzzer.sendAll([...withToken, ...byLink])).toEqual([]);
  });

  it("unless the credential is in the body: these routes read it, and a form of many parts is refused before it is parsed", async () => {
    const open = fuzzer.operations.filter((operation) => takesBody(operation) && operation.route.auth === "none");
    expect(
      open
        .map(({ route }) => route.name)
        .filter((name) => !/ByLink$/.test(name))
        .sort(),
    ).toEqual(CREDENTIAL_IN_BODY);
    const forms = costlyBodies.filter(({ what }) => what.includes("parts"));
    const calls = open
      .filter(({ route }) => route.form)
      .flatMap((operation) => forms.map((one) => ({ ...toCall(operation, one), expected: [400] })));
    expect(calls.length).toBeGreaterThan(0);
    expect(await fuzzer.sendAll(calls)).toEqual([]);
  });

  it("if any value within the body is hostile", async () => {
    const calls = fuzzer.operations.flatMap((operation) =>
      operation.hostileBody
        ? sample(operation.hostileBody, 8).map((json) => {
            const text = JSON.stringify(json) ?? "";
            return { what: `the body ${text.slice(0, 300)}`, operation, body: Buffer.from(text) };
          })
        : [],
    );
    expect(await fuzzer.sendAll(calls)).toEqual([]);
  });

  it("if a number is at the edge of its type, or beyond it", async () => {
    let turn = 0;
    // Each field gets some of the edge cases in turn, because several routes have the same schemas.
    const someOf = (texts: string[], count: number) => {
      turn += count;
      return texts.map((_, at) => texts[(turn + at) % texts.length] ?? "").slice(0, count);
    };
    const inQuery = fuzzer.operations.flatMap((operation) =>
      operation.queryNumbers.flatMap(({ path, schema }) =>
        someOf([...listEdges(schema).map(String), "1e999"], 3).map((text) => ({
          what: `${path}=${text}`,
          operation,
          query: [...sample(operation.requiredQuery, 1).flat(), [path.slice(1), text] as const],
        })),
      ),
    );
    // The numbers of a flow are the same in each body that contains one.
    const known = new Map<string, number>();
    const isNew = (path: string) => {
      const end = /\.(modules|retry)\b.*$/.exec(path)?.[0];
      if (end !== undefined) known.set(end, (known.get(end) ?? 0) + 1);
      return end === undefined || (known.get(end) ?? 0) <= 2;
    };
    const inBody = fuzzer.operations.flatMap((operation) =>
      operation.bodyNumbers
        .filter(({ path }) => isNew(path))
        .flatMap(({ path, schema, build }) => {
          const values = listEdges(schema).map((value) => (Object.is(value, -0) ? "-0" : String(value)));
          return someOf(values, 4).map((text) => ({
            what: `${path} ${text.slice(0, 40)}`,
            operation,
            body: JSON.stringify(build(MARK)).replace(JSON.stringify(MARK), text),
          }));
        }),
    );
    expect([inQuery.length > 500, inBody.length > 1000]).toEqual([true, true]);
    expect(await fuzzer.sendAll([...inQuery, ...inBody])).toEqual([]);
  });

  it("if the signature of an approval link is malformed", async () => {
    const links = fuzzer.operations.filter(({ route }) => route.fn === "approve" && route.path.endsWith("/{signature}"));
    const texts = [
      ...hostileParts.filter((part) => part.length <= 200),
      "0".repeat(63),
      "F".repeat(64),
      `${"0".repeat(64)}%0a`,
      `%0d${"0".repeat(64)}`,
    ];
    const calls = links.flatMap((operation) =>
      texts.map((signature) => ({
        what: JSON.stringify(signature),
        operation,
        rawParams: { signature },
        headers: [["Accept", "text/html"] as const, ["Sec-Fetch-Mode", "navigate"] as const],
        query: [],
        expected: [404],
      })),
    );
    expect(links.length).toBe(5);
    expect(await fuzzer.sendAll(calls)).toEqual([]);
  });

  it("if several parts are hostile at once", async () => {
    const anyOf = <T>(cases: readonly T[]) => fc.constantFrom(...cases);
    const combination = fc.record({
      operation: anyOf(fuzzer.operations),
      credentials: fc.option(anyOf(hostileCredentials)),
      headers: fc.array(anyOf(hostileHeaders), { maxLength: 3 }),
      part: anyOf(hostileParts),
      value: anyOf(hostileQueryValues),
      body: fc.option(anyOf(hostileBodies)),
    });
    const calls = sample(combination, 400).map(({ operation, credentials, headers, part, value, body }): FuzzCall => {
      const parts = [...(credentials ? [credentials] : []), ...headers, ...(body ? [body] : [])];
      const name = Object.keys(sample(operation.params, 1)[0] ?? {}).at(-1);
      return {
        what: [...parts.map(({ what }) => what), JSON.stringify(part.slice(0, 40)), JSON.stringify(value.slice(0, 40))].join(", "),
        operation,
        anonymous: credentials !== null,
        headers: parts.flatMap((one) => one.headers ?? []),
        query: [...parts.flatMap((one) => one.query ?? []), ...operation.queryNames.slice(0, 3).map((each) => [each, value] as const)],
        ...(name === undefined || name === "workspace" ? {} : { rawParams: { [name]: part } }),
        ...(body ? { body: body.body, isBase64: body.isBase64 } : {}),
      };
    });
    expect(await fuzzer.sendAll(calls)).toEqual([]);
  });
});
