import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, describe, expect, it, vi } from "vitest";
import { eventSchema, instanceEventTypes } from "../contract/events.ts";
import { signWebhook } from "../core/notifications/webhook.ts";
import { root } from "../engine/paths.ts";
import { goTestEnv } from "../test/support/engine/go-cache.ts";
import { goPath, pythonPath } from "../test/support/programs.ts";

// A cold Go compiler on a shared machine.
vi.setConfig({ hookTimeout: 240_000, testTimeout: 240_000 });

const page = readFileSync(join(root, "docs/events.md"), "utf8");
const example = (language: string) => new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, "s").exec(page)?.[1] ?? "";
/** Inside the repository, so that the example finds the package that it imports. */
const nodeFolder = mkdtempSync(join(root, ".svc/events-doc-"));
const folder = mkdtempSync(join(tmpdir(), "svc-events-doc-"));
afterAll(() => {
  for (const each of [nodeFolder, folder]) rmSync(each, { recursive: true, force: true });
});

interface Request {
  secret: string;
  headers: Record<string, string>;
  body: string;
}
/** A program around the example of a language, which reads a request from a file and prints whether it is valid. */
const programs: Record<string, () => [string, ...string[]]> = {
  js: () => {
    const file = join(nodeFolder, "verify.mjs");
    const main =
      'import { readFileSync } from "node:fs";\nconst { secret, headers, body } = JSON.parse(readFileSync(process.argv[2], "utf8"));\n' +
      'try { console.log("valid", verifyEvent(secret, headers, body).type); } catch { console.log("refused"); }\n';
    writeFileSync(file, example("js") + main);
    return [process.execPath, file];
  },
  python: () => {
    const file = join(folder, "verify.py");
    const main =
      'import sys\nrequest = json.load(open(sys.argv[1]))\ntry:\n    event = verify_event(request["secret"], request["headers"], request["body"].encode())\n' +
      '    print("valid", event["type"])\nexcept ValueError:\n    print("refused")\n';
    writeFileSync(file, `${example("python")}\n${main}`);
    return [pythonPath(), file];
  },
  go: () => {
    const file = join(folder, "verify.go");
    const packages = ["crypto/hmac", "crypto/sha256", "encoding/base64", "encoding/json", "errors", "fmt", "net/http", "os", "strconv"];
    const imports = [...packages, "strings", "time"].map((name) => `"${name}"`).join("\n");
    const main = `func main() {
	var request struct{ Secret, Body string; Headers map[string]string }
	text, _ := os.ReadFile(os.Args[1])
	json.Unmarshal(text, &request)
	header := http.Header{}
	for name, value := range request.Headers { header.Set(name, value) }
	if VerifyEvent(request.Secret, header, []byte(request.Body)) != nil { fmt.Println("refused"); return }
	var event struct{ Type string }
	json.Unmarshal([]byte(request.Body), &event)
	fmt.Println("valid", event.Type)
}`;
    writeFileSync(file, `package main\nimport (\n${imports}\n)\n${example("go")}\n${main}\n`);
    return [goPath(), "run", file];
  },
};

const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
const older = `whsec_${Buffer.alloc(32, 8).toString("base64")}`;
const id = "0198a1c0-0000-7000-8000-000000000001";
const body = JSON.stringify({ type: "CreateVariable", timestamp: "2026-11-23T08:00:00.000Z", data: { path: "f/ops/é" } });
const sign = (secrets: string[], nowMs = Date.now()) => signWebhook(secrets, id, body, nowMs);
const cases: [string, Request, string][] = [
  ["a request of the service", { secret, headers: sign([secret]), body }, "valid CreateVariable"],
  ["a request during the replacement of the secret", { secret: older, headers: sign([secret, older]), body }, "valid CreateVariable"],
  ["another body", { secret, headers: sign([secret]), body: body.replace("ops", "ops2") }, "refused"],
  ["another id", { secret, headers: { ...sign([secret]), "webhook-id": `${id}2` }, body }, "refused"],
  ["another secret", { secret: older, headers: sign([secret]), body }, "refused"],
  ["a request that is an hour old", { secret, headers: sign([secret], Date.now() - 3600_000), body }, "refused"],
];

describe.each(Object.keys(programs))("the example of docs/events.md in %s", (language) => {
  it("accepts requests of the service and refuses all others", async () => {
    const [command, ...args] = programs[language]?.() ?? [""];
    const environment = { ...process.env, ...(language === "go" ? goTestEnv : {}) };
    const outcomes: [string, string][] = [];
    for (const [title, request] of cases) {
      const file = join(folder, "request.json");
      writeFileSync(file, JSON.stringify(request));
      const { stdout } = await promisify(execFile)(command, [...args, file], { env: environment });
      outcomes.push([title, stdout.trim()]);
    }
    expect(outcomes).toEqual(cases.map(([title, , outcome]) => [title, outcome]));
  });
});

it("docs/events.md lists every type of a workspace with the fields of its data", () => {
  const rows = [...page.matchAll(/^\| `(\w+)` \| [^|]+ \| (`.*`) \|$/gm)].map(([, type = "", fields = ""]) => [
    type,
    fields.replaceAll("`", "").split(", ").sort(),
  ]);
  const expected = eventSchema.options
    .filter(({ shape }) => shape.type.value !== "svc.test" && !instanceEventTypes.some((type) => type === shape.type.value))
    .map(({ shape }) => [
      shape.type.value,
      Object.entries(shape.data.shape)
        .map(([name, field]) => (field.safeParse(undefined).success ? `${name}?` : name))
        .sort(),
    ]);
  expect(rows).toEqual(expected);
});
