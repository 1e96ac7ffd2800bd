import type { APIGatewayProxyEvent, Context } from "aws-lambda";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Route } from "../../../contract/route.ts";
import { routes } from "../../../contract/routes/routes.ts";
import { scriptRoutes } from "../../../contract/routes/stored/scripts.ts";
import { fillPath } from "../../../test/support/fuzz/operations.ts";
import { apiHandler } from "../edge/edge.ts";
import { logger } from "../observe.ts";
import { json } from "../reply/reply.ts";

logger.setLogLevel("ERROR");

// `job_u` is another spelling of `jobs_u`, under which the edge finds its routes.
const withParameters = Object.values<Route>(routes).filter(({ path }) => path.includes("{") && !path.includes("/job_u/"));
const namesOf = ({ path }: Route) => [...path.matchAll(/\{(\w+)\+?\}/g)].map(([, name = ""]) => name);

/** Answers the requests of each route, without the schemas and audit log of the route, with the parameters that `authenticate` receives. */
const readers = new Map(
  withParameters.map((route) => {
    const { name, summary, method, path, fn, status, reply, errors } = route;
    const bare: Route = { name, summary, method, path, fn, status, reply, errors, auth: "none", access: "open", audits: "nothing" };
    const handle = async ({ auth }: { auth: object }) => json(200, auth);
    return [route, apiHandler([{ route: bare, handle }], async (_token, _route, params) => params)];
  }),
);

async function readParameters(route: Route, path: string): Promise<unknown> {
  const event = { httpMethod: route.method, path, headers: {}, body: null } as unknown as APIGatewayProxyEvent;
  const reply = await readers.get(route)?.(event, { awsRequestId: "r" } as Context);
  return reply?.statusCode === 200 ? JSON.parse(reply.body) : reply?.statusCode;
}

// API Gateway passes the path unchanged.
describe("the edge decodes every path parameter of every route once", () => {
  it.each(["100%", "100%25", "a%2Fb", "a/b", "a+b", "a b", "%", "grüße 😀", "?a=1#b", "a\nb", "%zz", "a;b:c@d"])(
    "if it is %j",
    async (value) => {
      for (const route of withParameters) {
        const params = Object.fromEntries(namesOf(route).map((name) => [name, value]));
        expect(await readParameters(route, fillPath(route, params)), route.path).toEqual(params);
      }
    },
  );

  it("if it is any text", async () => {
    const text = fc.string({ unit: "binary", minLength: 1, maxLength: 12 }).filter((value) => !/^\/|\/$/.test(value));
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...withParameters), text, async (route, value) => {
        const params = Object.fromEntries(namesOf(route).map((name) => [name, value]));
        expect(await readParameters(route, fillPath(route, params))).toEqual(params);
      }),
      { numRuns: 500 },
    );
  });

  it("and keeps a plus sign and a stray percent sign as they were sent", async () => {
    const { getScriptByPath } = scriptRoutes;
    const path = "/api/w/a+b/scripts/get/p/f/a+b/100%";
    expect(await readParameters(getScriptByPath, path)).toEqual({ workspace: "a+b", path: "f/a+b/100%" });
  });
});
