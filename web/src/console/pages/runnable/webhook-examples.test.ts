import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import { curlOf, exampleArguments, javascriptOf, pythonOf } from "./webhook-examples.ts";

const webhook = { kind: "async", method: "POST", url: "https://svc.example.com/api/w/demo/jobs/run/p/f/ops/hello" };

describe("the examples of a webhook", () => {
  it("have the required arguments of the schema", () => {
    const properties = {
      name: { type: "string" },
      age: { type: "integer", default: 7 },
      size: { enum: ["S"] },
      rest: {},
      other: { type: "string" },
    };
    const required = ["name", "age", "size", "rest"];
    expect(exampleArguments({ properties, required })).toEqual({ name: "text", age: 7, size: "S", rest: null });
    expect(exampleArguments(undefined)).toEqual({});
  });

  it("read the token from the environment, and no argument ends a text", () => {
    const args = { name: `"; import os; os.exit() #'''`, flag: true };
    const javascript = javascriptOf(webhook, args);
    const python = pythonOf(webhook, args);
    for (const program of [javascript, python]) {
      expect(program).toContain("TOKEN");
      expect(program).toContain(webhook.url);
    }
    const checked = spawnSync(process.execPath, ["--input-type=module", "--check", "-"], { input: javascript, encoding: "utf8" });
    expect([checked.status, checked.stderr]).toEqual([0, ""]);
    expect(python).toContain(String.raw`json.loads("{\"name\":\"\\\"; import os; os.exit() #'''\",\"flag\":true}")`);
  });

  it("are commands for a shell that no argument ends", () => {
    const command = curlOf(webhook, { name: "it's; rm -rf /" });
    expect(command).toContain(String.raw`-d '{"name":"it'\''s; rm -rf /"}'`);
    expect(command).toContain(`-X POST '${webhook.url}'`);
    expect(curlOf({ ...webhook, kind: "stream" }, {})).toMatch(/^curl -sS -N -X POST/);
  });

  it("send the arguments in the address by GET", () => {
    const get = { ...webhook, method: "GET" };
    const args = { name: "Zoë?>" };
    const [, coded = ""] = /\?payload=([\w-]+)/.exec(curlOf(get, args)) ?? [];
    expect(JSON.parse(Buffer.from(coded, "base64url").toString())).toEqual(args);
    expect(javascriptOf(get, args)).toContain(`${webhook.url}?payload=${coded}"`);
    expect(javascriptOf(get, args)).not.toContain("body");
    expect(pythonOf(get, args)).toContain(`${webhook.url}?payload=${coded}"`);
    expect(pythonOf(get, args)).not.toContain("data=");
    expect(curlOf(get, {})).toContain(`'${webhook.url}'`);
  });

  it("show a stream as it arrives", async () => {
    const server = createServer((_, response) => response.write("data: first\n\n"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    for (const [command, options, program] of [
      [process.execPath, ["--input-type=module", "-e"], javascriptOf({ kind: "stream", method: "POST", url }, {})],
      ["python3", ["-c"], pythonOf({ kind: "stream", method: "POST", url }, {})],
    ] as const) {
      const started = spawn(command, [...options, program], { env: { ...process.env, TOKEN: "t" } });
      const [shown] = await once(started.stdout, "data");
      expect(String(shown)).toContain("data: first");
      started.kill();
      await once(started, "close");
    }
    server.closeAllConnections();
    server.close();
  });
});
