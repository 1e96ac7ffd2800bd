import { isJsonObject } from "../../../../../contract/json/json-object.ts";

export interface Webhook {
  kind: string;
  method: string;
  url: string;
}

/** Returns arguments with the required fields of a schema, as an example. */
export function exampleArguments(schema: Record<string, unknown> | undefined): Record<string, unknown> {
  const properties = isJsonObject(schema?.["properties"]) ? schema["properties"] : {};
  const required = Array.isArray(schema?.["required"]) ? schema["required"] : [];
  const named = Object.entries(properties).filter(([name]) => required.includes(name));
  return Object.fromEntries(named.map(([name, field]) => [name, exampleValue(field)]));
}

const byType: Readonly<Record<string, unknown>> = { string: "text", number: 1, integer: 1, boolean: true, array: [], object: {} };

function exampleValue(field: unknown): unknown {
  if (!isJsonObject(field)) return null;
  if (field["default"] !== undefined) return field["default"];
  if (Array.isArray(field["enum"])) return field["enum"][0];
  return byType[String(field["type"])] ?? null;
}

/** A program for Node, Deno, Bun and browsers. The token comes from the environment. */
export function javascriptOf({ method, url }: Webhook, args: object): string {
  const content = method === "GET" ? "" : `\n    "Content-Type": "application/json",`;
  const body = method === "GET" ? "" : `\n  body: JSON.stringify(${JSON.stringify(args)}),`;
  return `const response = await fetch(${JSON.stringify(url)}, {
  method: "${method}",
  headers: {
    Authorization: \`Bearer \${process.env.TOKEN}\`,${content}
  },${body}
});
console.log(response.status, await response.text());
`;
}

/** A program that needs only Python itself. */
export function pythonOf({ method, url }: Webhook, args: object): string {
  const data = method === "GET" ? "" : `\n    data=json.dumps(json.loads(${JSON.stringify(JSON.stringify(args))})).encode(),`;
  const content = method === "GET" ? "" : `, "Content-Type": "application/json"`;
  return `import json
import os
import urllib.request

request = urllib.request.Request(
    ${JSON.stringify(url)},
    method="${method}",${data}
    headers={"Authorization": "Bearer " + os.environ["TOKEN"]${content}},
)
with urllib.request.urlopen(request) as response:
    print(response.status, response.read().decode())
`;
}
