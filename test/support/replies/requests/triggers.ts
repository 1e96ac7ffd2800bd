import { bad, closed, found, good, type RouteKey, type Steps } from "../exchange.ts";
import { aScript } from "./objects-in-use.ts";

const none = { path: "f/t/none" };
const runs = { script_path: "f/t/script", is_flow: false };

/** The requests of each kind of trigger. `change`: fields of a changed trigger, `fault`: fields that the kind refuses. */
function kind(name: "http" | "sqs" | "aws" | "email", fields: object, change: object, fault: object): Steps {
  const path = `f/t/${name}`;
  const route = (verb: string) => `${name}_triggers.${verb}` as RouteKey;
  return [
    good(route("create"), { json: { path, ...runs, ...fields } }),
    bad(route("create"), { json: { path, ...runs, ...fields } }),
    bad(route("create"), { json: { path: `${path}2`, ...runs, ...fields, ...fault } }),
    bad(route("create"), { json: { path: `${path}2`, ...runs, ...fields, ...change, script_path: "f/t/none" } }),
    ...found(route("get"), { path }, none),
    ...closed(route("exists"), { params: { path } }),
    ...closed(route("list")),
    bad(route("list"), { query: { page: "first" } }),
    ...found(route("update"), { path }, none, { json: { path, ...runs, ...fields, ...change } }),
    bad(route("update"), { params: { path }, json: { path, ...runs, ...fields, ...fault } }),
    ...found(route("setMode"), { path }, none, { json: { mode: "disabled" } }),
    bad(route("setMode"), { params: { path }, json: { mode: "fast" } }),
  ];
}
const remove = (name: "http" | "sqs" | "aws" | "email") => found(`${name}_triggers.delete` as RouteKey, { path: `f/t/${name}` }, none);

const missing = ["websocket", "kafka", "nats", "postgres", "mqtt", "amqp", "gcp", "azure"] as const;
const queue_url = "https://sqs.us-east-1.amazonaws.com/000000000000/orders";

export const triggers: Steps = [
  ...aScript,
  ...kind(
    "http",
    { route_path: "orders/:id", http_method: "post", workspaced_route: true, authentication_method: "none", is_static_website: false },
    { route_path: "purchases/:id" },
    { route_path: "//" },
  ),
  ...closed("http_triggers.routeExists", { json: { route_path: "purchases/:id", http_method: "post", workspaced_route: true } }),
  bad("http_triggers.routeExists", { json: { route_path: 1 } }),
  ...kind("sqs", { queue_url }, { queue_url: `${queue_url}2` }, { queue_url: "none" }),
  good("setGlobal", {
    params: { key: "aws_trigger_sources" },
    json: { value: { triggers: ["arn:aws:sns:us-east-1:000000000000:news", "arn:aws:sns:us-east-1:000000000000:other"] } },
    alone: true,
  }),
  ...kind(
    "aws",
    { source: "sns", topic_arn: "arn:aws:sns:us-east-1:000000000000:news" },
    { topic_arn: "arn:aws:sns:us-east-1:000000000000:other" },
    { topic_arn: "none" },
  ),
  ...closed("aws_triggers.getSetup"),
  ...kind("email", { local_part: "orders" }, { local_part: "purchases" }, { local_part: "not a name" }),
  ...missing.flatMap((name) => closed(`${name}_triggers.list` as RouteKey)),
  ...closed("generateOpenapi", { json: { http_route_filters: [{ folder_regex: "t" }], webhook_filters: [{ runnable_kind: "script" }] } }),
  bad("generateOpenapi", { json: { info: { title: 1 } } }),
  ...closed("downloadOpenapi", { json: { openapi_spec_format: "json", http_route_filters: [{ folder_regex: "t" }] } }),
  good("countScriptTriggers", { params: { path: "f/t/script" }, alone: true }),
  ...remove("http"),
  ...remove("sqs"),
  ...remove("aws"),
  ...remove("email"),
];
