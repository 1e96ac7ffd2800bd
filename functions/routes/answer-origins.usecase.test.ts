import { beforeAll, describe, expect, it } from "vitest";
import { routesOf } from "../../test/support/use-cases/cases/route-fixture.ts";
import { newWorld, success, type World } from "../../test/support/use-cases/world.ts";
import { addWorkspace, listJobs } from "../../test/support/use-cases/world-jobs.ts";
import type { RequestSteps } from "./answer-request.ts";

let world: World;
beforeAll(async () => {
  world = await newWorld();
  await addWorkspace(world);
});

const { aRoute, serve } = routesOf(() => world);

const SANDBOX = "sandbox allow-scripts allow-forms allow-popups allow-downloads";

describe("the origin of the console", () => {
  it("renders no answer of a route, unless routes have their own origin", async () => {
    world.answers.run = async () => success({ svc_content_type: "text/html", result: "<script>1</script>" });
    const route = await aRoute();
    expect((await serve(route).call("POST")).headers["content-security-policy"]).toBe(SANDBOX);
    const { call } = serve(route, { outcome: "admitted" }, { routesKey: "the key of the domain" });
    const own = await call("POST", { "x-svc-routes-key": "the key of the domain" });
    expect([own.statusCode, own.headers["content-security-policy"]]).toEqual([200, undefined]);
    expect(own.headers["x-content-type-options"]).toBe("nosniff");
    // Routes answer only at their domain. A guessed key has no effect.
    for (const headers of [{}, { "x-svc-routes-key": "a guess" }] as Record<string, string>[]) {
      const elsewhere = await call("POST", headers);
      expect([elsewhere.statusCode, elsewhere.headers["content-security-policy"]]).toEqual([404, SANDBOX]);
    }
    const forged = await serve(route).call("POST", { "x-svc-routes-key": "the key of the domain" });
    expect([forged.statusCode, forged.headers["content-security-policy"]]).toEqual([200, SANDBOX]);
    const file = await serve(await aRoute({ static_asset_config: { s3: "a" } })).call("POST");
    expect([file.body, file.headers["content-security-policy"]]).toEqual(["file", SANDBOX]);
  });

  it.each([
    "token=a",
    " Token=a; Path=/",
    "__Host-token=a; Secure",
    "__SECURE-TOKEN=a",
    "__Http-token=a",
    "__Host-Http-token=a",
    "\ttoken=a",
    "svc_login=a",
  ])("receives no cookie from an answer with %j", async (cookie) => {
    world.answers.run = async () => success({ svc_headers: { "Set-Cookie": cookie }, result: 1 });
    const shaped = await serve(await aRoute()).call("POST");
    expect([shaped.statusCode, shaped.headers["set-cookie"]]).toEqual([400, undefined]);
    const answerStatic = async () => ({ statusCode: 200, headers: { "Set-Cookie": cookie }, body: "" });
    const file = await serve(await aRoute({ static_asset_config: { s3: "a" } }), { outcome: "admitted" }, { answerStatic }).call("POST");
    expect([file.statusCode, file.headers["set-cookie"]]).toEqual([200, undefined]);
  });

  it.each([
    [{ route_path: "shop/:id" }, "/api/r/shop"],
    [{ route_path: "shop/:id", workspaced_route: true }, "/api/r/<workspace>/shop"],
    [{ route_path: ":id" }, "/api/r/shop/orders/7"],
    [{ route_path: ":id", workspaced_route: true }, "/api/r/shop/orders/7"],
  ])("limits the cookies of the route %j to its path, unless routes have a separate origin", async (own, path) => {
    world.answers.run = async () => success({ svc_headers: { "Set-Cookie": "cart=1; Path=/; Max-Age=999999" }, result: 1 });
    const route = await aRoute(own);
    const reply = await serve(route).call("POST");
    expect(reply.headers["set-cookie"]).toBe(`cart=1; Path=${path.replace("<workspace>", route.workspace)}; Max-Age=86400`);
    const { call } = serve(route, { outcome: "admitted" }, { routesKey: "the key of the domain" });
    const elsewhere = await call("POST", { "x-svc-routes-key": "the key of the domain" });
    expect(elsewhere.headers["set-cookie"]).toBe("cart=1; Path=/; Max-Age=999999");
  });

  it("does not send the session of its user to a route", async () => {
    const tokens: (string | undefined)[] = [];
    const authenticateRequest: RequestSteps["authenticateRequest"] = async (_ports, _found, { token }) => {
      tokens.push(token);
      return { outcome: "admitted" };
    };
    const { call } = serve(await aRoute(), undefined, { authenticateRequest });
    await call("POST", { cookie: "token=session", origin: "https://svc.example", "sec-fetch-site": "same-origin" });
    await call("POST", { authorization: "Bearer one", cookie: "token=session" });
    expect(tokens).toEqual([undefined, "one"]);
  });
});

describe("a page of another origin", () => {
  const origin = "https://shop.example";
  const preflight = { origin, "access-control-request-method": "POST", "access-control-request-headers": "authorization, x-shop" };

  it("may call a route that allows its origin, and reads its answers, refusals too", async () => {
    world.answers.run = async () => success(1);
    const route = await aRoute({ allowed_origins: [origin] });
    const allowed = await serve(route).call("OPTIONS", preflight);
    expect([allowed.statusCode, allowed.body]).toEqual([204, ""]);
    expect(allowed.headers).toMatchObject({
      "access-control-allow-origin": origin,
      "access-control-allow-methods": "POST",
      "access-control-allow-headers": "authorization, x-shop",
      vary: "Origin",
      allow: "POST, OPTIONS",
    });
    expect(allowed.headers).not.toHaveProperty("access-control-allow-credentials");
    const { call } = serve(route, { outcome: "refused", reason: "wrongKey" });
    expect((await call("POST", { origin })).headers).toMatchObject({ "access-control-allow-origin": origin, vary: "Origin" });
    expect(await listJobs(world, route.trigger.scriptPath)).toEqual([]);
  });

  it("may call a route that allows every origin", async () => {
    const { call } = serve(await aRoute({ allowed_origins: ["*"] }));
    expect((await call("OPTIONS", preflight)).headers["access-control-allow-origin"]).toBe("*");
  });

  it.each([
    ["that allows another origin", ["https://other.example"]],
    ["that names no origin", undefined],
    ["whose origin is its own part", ["https://shop.example.com", "shop.example"]],
  ])("may not call a route %s", async (_, allowed) => {
    const { call } = serve(await aRoute({ allowed_origins: allowed }));
    const reply = await call("OPTIONS", preflight);
    expect(reply.statusCode).toBe(204);
    expect(Object.keys(reply.headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
  });

  it("learns by OPTIONS the methods of an address, or that the address is unknown", async () => {
    const { call } = serve(await aRoute());
    const methods = await call("OPTIONS");
    expect([methods.statusCode, methods.headers["allow"]]).toEqual([204, "POST, OPTIONS"]);
    expect((await call("OPTIONS", preflight, { path: "x" })).statusCode).toBe(404);
  });
});
