import { expect, it } from "vitest";
import { everything, toDocumentRequest } from "./openapi.ts";

it("a document of everything needs no filters", () => {
  expect(toDocumentRequest(everything)).toEqual({ openapi_spec_format: "yaml" });
});

it("a document of webhooks lists no routes, and one of routes no webhooks", () => {
  expect(toDocumentRequest({ ...everything, contents: "webhooks", folder: "ops" })).toEqual({
    openapi_spec_format: "yaml",
    http_route_filters: [],
    webhook_filters: [
      { user_or_folder_regex: "f", user_or_folder_regex_value: "ops", path: "*", runnable_kind: "script" },
      { user_or_folder_regex: "f", user_or_folder_regex_value: "ops", path: "*", runnable_kind: "flow" },
    ],
  });
  expect(toDocumentRequest({ ...everything, format: "json", contents: "routes", route: "orders.*" })).toEqual({
    openapi_spec_format: "json",
    http_route_filters: [{ folder_regex: "*", path_regex: "*", route_path_regex: "orders.*" }],
    webhook_filters: [],
  });
});
