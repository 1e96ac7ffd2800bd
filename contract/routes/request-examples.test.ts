import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Route } from "../route.ts";
import { examples } from "./examples.ts";
import requestExamples from "./request-examples.json" with { type: "json" };
import { routes } from "./routes.ts";

const root = join(import.meta.dirname, "../..");
const recordedIn = join(root, "test/fixtures/replies");
const withBody = Object.values<Route>(routes).filter(
  ({ auth, body, payload, method }) => auth !== "job" && method !== "GET" && (body || payload),
);

const idOf = (n: string) => `01990000-0000-7000-8000-${n.padStart(12, "0")}`;

/** Values that differ from run to run are placeholders in a record. */
const replacePlaceholders = (body: string) =>
  body
    .replaceAll(/<id (\d+)>/g, (_, n: string) => idOf(n))
    .replaceAll(/<(job|waiting|ended|input)>/g, (_, name: string) => idOf(String(name.length)))
    .replaceAll(/<(?:delivery|instanceDelivery)>/g, `${idOf("1")}.orders`)
    .replaceAll(/(amazonaws\.com\/|sns:[\w-]+:)<hash \d+>/g, "$1123456789012")
    .replaceAll(/<hash (\d+)>/g, (_, n: string) => n.padStart(16, "0"))
    .replaceAll("<temporary>", "ab".repeat(32))
    .replaceAll("<code>", "WDJB-MJHT");

/** Requests that only an identity provider or a second service makes possible have no record. */
const unrecorded: Readonly<Record<string, unknown>> = {
  "chats.askInDiscord": { discord_resource_path: "f/ops/discord", channel_id: "1234567890", flow_step_id: "ask", message: "Deploy 1.4?" },
  "oauth.loginCallback": { code: "4/0AbCdEf", state: "c3RhdGU" },
  "oauth.connectCallback": { code: "4/0AbCdEf", state: "c3RhdGU" },
  "oauth.createAccount": { client: "github", refresh_token: "ghr_example", expires_in: 28_800 },
  "chats.postInTeams": { conversation_id: "19:0123456789abcdef@thread.tacv2", text: "The report is ready", success: true },
};

/** Returns the body of the first recorded request to each operation that the service accepts. */
function recordedBodies(): Record<string, unknown> {
  const found: Record<string, unknown> = { ...unrecorded };
  for (const file of readdirSync(recordedIn).filter((name) => name.endsWith(".txt"))) {
    const records = readFileSync(join(recordedIn, file), "utf8").split(/^## /m);
    for (const record of records) {
      const [, name = "", body = ""] =
        /^good: (\S+), sent by .*\n(?:POST|PUT|PATCH|DELETE) .*\n(?:[\w-]+: .*\n)*([{["].*)\n\n2\d\d\n/.exec(record) ?? [];
      const route = withBody.find((one) => one.name === name);
      if (!route || name in found || name in examples) continue;
      const value = parsed(replacePlaceholders(body));
      if (value !== undefined && (!route.body || route.body.safeParse(value).success)) found[name] = value;
    }
  }
  return Object.fromEntries(Object.entries(found).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

describe("the examples of request bodies", () => {
  it("are the bodies of recorded requests that the service accepts", async () => {
    const biome = join(root, "node_modules/.bin/biome");
    const input = JSON.stringify(recordedBodies(), null, 2);
    const formatted = execFileSync(biome, ["format", "--stdin-file-path=contract/routes/request-examples.json"], { cwd: root, input });
    await expect(formatted.toString()).toMatchFileSnapshot("request-examples.json");
  });

  it("exist for each operation whose body has fields", () => {
    const without = withBody.filter(({ name, body }) => body && !(name in examples) && !(name in requestExamples));
    expect(without.map(({ name }) => name)).toEqual([]);
  });

  it("fit the schemas of their operations", () => {
    const byName = new Map(withBody.map((route) => [route.name, route]));
    const wrong = Object.entries(requestExamples).filter(([name, value]) => byName.get(name)?.body?.safeParse(value).success === false);
    expect(wrong).toEqual([]);
  });
});
