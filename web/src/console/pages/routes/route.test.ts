import { expect, it } from "vitest";
import { addressOf, fromRoute, type HttpRoute, parseHeaders, toCurl, toRoute, variableParts } from "./route.ts";

const stored = {
  path: "f/ops/orders",
  route_path: "orders/:id",
  http_method: "post",
  workspaced_route: true,
  script_path: "f/ops/order",
  is_flow: true,
  request_type: "sync",
  authentication_method: "windmill",
  is_static_website: false,
  wrap_body: false,
  raw_string: true,
  allowed_origins: ["https://shop.example"],
  mode: "enabled",
  permissioned_as: "u/ann",
  workspace_id: "demo",
  extra_perms: {},
  edited_by: "ann",
  edited_at: "2026-01-01T00:00:00Z",
  failed_status: 502,
} as unknown as HttpRoute;

it("a save of a route sends the settings that the form does not show, and nothing that the service sets", () => {
  expect(toRoute(fromRoute(stored))).toEqual({
    path: "f/ops/orders",
    route_path: "orders/:id",
    http_method: "post",
    workspaced_route: true,
    script_path: "f/ops/order",
    is_flow: true,
    request_type: "sync",
    authentication_method: "svc",
    authentication_resource_path: null,
    is_static_website: false,
    labels: null,
    static_asset_config: null,
    wrap_body: false,
    raw_string: true,
    allowed_origins: ["https://shop.example"],
    summary: null,
    description: null,
    mode: "enabled",
    failed_status: 502,
  });
});

it("a route of files has the method get, and its files are in the storage of the deployment", () => {
  const site = { ...fromRoute(stored), serving: "site", fileKey: "f/site/shop ", fileName: "" } as const;
  expect(toRoute(site)).toMatchObject({
    http_method: "get",
    is_static_website: true,
    static_asset_config: { s3: "f/site/shop", storage: "_stack_", filename: null },
  });
  const file = { s3: "f/site/a.pdf", storage: "_stack_", filename: "b.pdf" };
  expect(fromRoute({ ...stored, is_static_website: false, static_asset_config: file } as HttpRoute)).toMatchObject({
    serving: "file",
    fileKey: "f/site/a.pdf",
    fileName: "b.pdf",
  });
});

it("the address of a route contains the values of its variable parts", () => {
  expect(variableParts("orders/:id/*rest")).toEqual(["id", "rest"]);
  const parts = { id: "a b/c", rest: "x/y z" };
  const address = { workspace: "demo", route: "orders/:id/*rest", isWorkspaced: true, parts, query: "?a=1" };
  expect(addressOf(address)).toBe("/api/r/demo/orders/a%20b%2Fc/x/y%20z?a=1");
  expect(addressOf({ ...address, isWorkspaced: false, parts: {}, query: "" })).toBe("/api/r/orders/:id/*rest");
});

it("headers are read from lines", () => {
  expect(parseHeaders("X-API-Key: a:b\n\nno header\nAccept:text/plain")).toEqual([
    ["X-API-Key", "a:b"],
    ["Accept", "text/plain"],
  ]);
});

it("a request is written as a shell command, and no value leaves its quotes", () => {
  const request = { method: "post", url: "https://svc.example/api/r/a?b='", headers: [["X-Key", "it's"]], body: "{}" } as const;
  expect(toCurl(request)).toBe("curl -sS -X POST \\\n  -H 'X-Key: it'\\''s' \\\n  -d '{}' \\\n  'https://svc.example/api/r/a?b='\\'''");
});
