import { isJsonObject } from "../../../../../contract/json/json-object.ts";
import { quoteForShell } from "../../parts/quote-for-shell.ts";

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

const isGet = ({ method }: Webhook) => method === "GET";
const isStream = ({ kind }: Webhook) => kind.startsWith("stream");

/** A request by GET has its arguments in the address. */
function addressOf(webhook: Webhook, args: object): string {
  if (!isGet(webhook) || Object.keys(args).length === 0) return webhook.url;
  const bytes = new TextEncoder().encode(JSON.stringify(args));
  const coded = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  return `${webhook.url}?payload=${coded.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")}`;
}

/** A command for a shell. It shows a stream as it arrives. */
export function curlOf(webhook: Webhook, args: object): string {
  const address = quoteForShell(addressOf(webhook, args));
  return [
    `curl -sS${isStream(webhook) ? " -N" : ""}${isGet(webhook) ? "" : " -X POST"} ${address}`,
    `-H "Authorization: Bearer $TOKEN"`,
    ...(isGet(webhook) ? [] : [`-H 'Content-Type: application/json'`, `-d ${quoteForShell(JSON.stringify(args))}`]),
  ].join(" \\\n  ");
}

const JAVASCRIPT_STREAM = `const decoder = new TextDecoder();
for await (const chunk of response.body) console.log(decoder.decode(chunk, { stream: true }));`;

/** A program for Node, Deno and Bun. The token comes from the environment. */
export function javascriptOf(webhook: Webhook, args: object): string {
  const content = isGet(webhook) ? "" : `\n    "Content-Type": "application/json",`;
  const body = isGet(webhook) ? "" : `\n  body: JSON.stringify(${JSON.stringify(args)}),`;
  return `const response = await fetch(${JSON.stringify(addressOf(webhook, args))}, {
  method: "${webhook.method}",
  headers: {
    Authorization: \`Bearer \${process.env.TOKEN}\`,${content}
  },${body}
});
${isStream(webhook) ? JAVASCRIPT_STREAM : "console.log(response.status, await response.text());"}
`;
}

const PYTHON_STREAM = `for line in response:
        print(line.decode(), end="", flush=True)`;

/** A program that needs only Python itself. */
export function pythonOf(webhook: Webhook, args: object): string {
  const data = isGet(webhook) ? "" : `\n    data=json.dumps(json.loads(${JSON.stringify(JSON.stringify(args))})).encode(),`;
  const content = isGet(webhook) ? "" : `, "Content-Type": "application/json"`;
  return `${isGet(webhook) ? "" : "import json\n"}import os
import urllib.request

request = urllib.request.Request(
    ${JSON.stringify(addressOf(webhook, args))},
    method="${webhook.method}",${data}
    headers={"Authorization": "Bearer " + os.environ["TOKEN"]${content}},
)
with urllib.request.urlopen(request) as response:
    ${isStream(webhook) ? PYTHON_STREAM : "print(response.status, response.read().decode())"}
`;
}
