import { bad, closed, found, good, type Steps, whole } from "../exchange.ts";

const none = { path: "f/t/none" };

const variables: Steps = [
  good("createVariable", { json: { path: "f/t/plain", value: "v", is_secret: false, description: "A word", labels: ["l"] } }),
  good("createVariable", { json: { path: "f/t/secret", value: "a secret value", is_secret: true } }),
  bad("createVariable", { json: { path: "f/t/plain", value: "v", is_secret: false } }),
  bad("createVariable", { json: { path: "f/t/other" } }),
  bad("createVariable", { json: { path: "f/none/other", value: "", is_secret: false } }),
  ...found("getVariable", { path: "f/t/plain" }, none),
  good("getVariable", { params: { path: "f/t/secret" } }),
  good("getVariable", { params: { path: "f/t/secret" }, query: { decrypt_secret: false } }),
  ...found("getVariableValue", { path: "f/t/secret" }, none),
  ...closed("existsVariable", { params: { path: "f/t/plain" } }),
  good("existsVariable", { params: none }),
  ...closed("listVariables"),
  good("listVariables", { query: { path_start: "f/t/s", per_page: 1 } }),
  bad("listVariables", { query: { per_page: 0 } }),
  ...found("updateVariable", { path: "f/t/plain" }, none, { json: { value: "changed" } }),
  good("updateVariable", { params: { path: "f/t/plain" }, json: { path: "f/t/moved" } }),
  bad("updateVariable", { params: { path: "f/t/moved" }, json: { path: "f/t/secret" } }),
  good("encryptValue", { json: "a text", keep: { encrypted: whole } }),
  bad("encryptValue", { json: { a: 1 } }),
  good("createVariable", { query: { already_encrypted: true }, json: { path: "f/t/sealed", value: "<encrypted>", is_secret: true } }),
  ...closed("listContextual"),
];

const store = { host: "example.com", password: "$var:f/t/secret" };
const schema = { type: "object", properties: { host: { type: "string" } }, required: ["host"] };
const resources: Steps = [
  good("createResourceType", { json: { name: "c_store", schema, description: "A store", format_extension: "ini" } }),
  bad("createResourceType", { json: { name: "c_store", schema } }),
  bad("createResourceType", { json: { name: "c store" } }),
  ...closed("listResourceTypes", { show: cStore }),
  ...closed("listResourceTypeNames", { show: cStore }),
  ...found("getResourceType", { name: "c_store" }, { name: "none" }),
  ...closed("existsResourceType", { params: { name: "c_store" } }),
  ...closed("fileResourceTypes", { show: cStore }),
  ...found("updateResourceType", { name: "c_store" }, { name: "none" }, { json: { description: "Another store" } }),
  good("createResource", { json: { path: "f/t/store", value: store, resource_type: "c_store", description: "The store" } }),
  bad("createResource", { json: { path: "f/t/store", value: store, resource_type: "c_store" } }),
  bad("createResource", { json: { path: "f/t/other", value: { host: 1 } } }),
  good("createResource", { query: { update_if_exists: true }, json: { path: "f/t/store", value: store, resource_type: "c_store" } }),
  ...found("getResource", { path: "f/t/store" }, none),
  ...found("getResourceValue", { path: "f/t/store" }, none),
  ...found("getResourceValueInterpolated", { path: "f/t/store" }, none),
  ...closed("existsResource", { params: { path: "f/t/store" } }),
  ...closed("listResources"),
  good("listResources", { query: { resource_type: "none" } }),
  ...closed("listResourceNames", { params: { name: "c_store" } }),
  ...closed("searchResources"),
  good("createResource", { json: { path: "f/t/slack", value: { token: "" }, resource_type: "slack" } }),
  ...closed("listChatResources"),
  good("deleteResource", { params: { path: "f/t/slack" } }),
  ...found("updateResource", { path: "f/t/store" }, none, { json: { description: "Changed" } }),
  bad("updateResource", { params: { path: "f/t/store" }, json: { path: "store" } }),
  ...found("updateResourceValue", { path: "f/t/store" }, none, { json: { value: { host: "other.example.com" } } }),
  bad("updateResourceValue", { params: { path: "f/t/store" }, json: {} }),
  ...found("deleteResource", { path: "f/t/store" }, none),
  bad("teamsManifest", { params: { path: "f/t/teams" }, query: { app_id: "none" }, from: "nobody" }),
  ...found("slackManifest", { path: "f/t/slack" }, { path: "slack" }, { from: "nobody" }),
  ...found("deleteResourceType", { name: "c_store" }, { name: "none" }),
  ...found("deleteVariable", { path: "f/t/moved" }, none),
];

/** The lists of types contain the whole catalogue. */
function cStore(body: string): string {
  const json = JSON.parse(body) as unknown;
  if (!Array.isArray(json)) return JSON.stringify({ c_store: (json as Record<string, unknown>)["c_store"] });
  return JSON.stringify(json.filter((one) => one === "c_store" || (one as { name?: string }).name === "c_store"));
}

/** Variables, resources and their types. */
export const values: Steps = [good("createFolder", { json: { name: "t" } }), ...variables, ...resources];
