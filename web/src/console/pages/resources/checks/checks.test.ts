import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { catalogue } from "../../../../../../core/resources/catalogue/catalogue.ts";
import { checkedTypes, checkOf } from "./checks.ts";
import { httpRequests } from "./http.ts";

const bun = join("node_modules", `@oven/bun-${process.platform}-${process.arch === "arm64" ? "aarch64" : process.arch}`, "bin/bun");
const folder = mkdtempSync(join(tmpdir(), "checks-"));
const servers: Server[] = [];
afterAll(() => {
  for (const server of servers) server.close();
  rmSync(folder, { recursive: true });
});

interface Outcome {
  result?: unknown;
  error?: string;
}

/** Runs the check of a type as Bun does. */
const run = (type: string, resource: object) =>
  new Promise<Outcome>((done, fail) => {
    const file = join(folder, `${type}-${servers.length}.ts`);
    const call = `main(${JSON.stringify(resource)}).then((result) => ({ result }), ({ message }) => ({ error: message }))`;
    writeFileSync(file, `${checkOf(type)?.content}\nconsole.log(JSON.stringify(await ${call}));\nprocess.exit(0);\n`);
    execFile(bun, [file], (error, stdout) => (error ? fail(error) : done(JSON.parse(stdout) as Outcome)));
  });

async function listen(server: Server): Promise<number> {
  servers.push(server);
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return (server.address() as AddressInfo).port;
}
/** A server that answers each line by its beginning. */
const serverOfLines = (greeting: string, answers: Record<string, string>, seen: string[] = []) =>
  listen(
    createServer((socket: Socket) => {
      socket.write(greeting);
      socket.on("error", () => undefined);
      socket.on("data", (part) => {
        for (const line of part.toString().split("\r\n").filter(Boolean)) {
          seen.push(line);
          const [, answer] = Object.entries(answers).find(([begin]) => line.startsWith(begin)) ?? [];
          if (answer) socket.write(answer);
        }
      });
    }),
  );

describe("the tests of resources", () => {
  it("exist for built-in types, and read fields that the type has", () => {
    const types = new Map(catalogue.map(({ name, schema }) => [name, schema?.properties ?? {}]));
    expect(checkedTypes().filter((type) => !types.has(type))).toEqual([]);
    const missing = Object.entries(httpRequests).flatMap(([type, request]) =>
      [...JSON.stringify(request).matchAll(/\{(\w+)[}|]/g)].flatMap(([, field = ""]) =>
        Object.hasOwn(types.get(type) ?? {}, field) ? [] : [`${type}.${field}`],
      ),
    );
    expect(missing).toEqual([]);
    expect([checkOf("any"), checkOf("constructor"), checkOf("__proto__")]).toEqual([undefined, undefined, undefined]);
  });

  it("send the credentials of an API, and say what it answered without the address, which may be a secret", async () => {
    const seen: (string | undefined)[] = [];
    const port = await listen(
      createHttpServer(({ url, headers }, response) => {
        seen.push(`${url} ${headers.authorization}`);
        response.writeHead(headers.authorization?.endsWith("good") || url === "/hook/good" ? 200 : 401).end("{}");
      }) as Server,
    );
    const at = `http://127.0.0.1:${port}`;
    expect(await run("openai", { base_url: `${at}/v1/`, api_key: "good" })).toEqual({ result: { host: `127.0.0.1:${port}`, status: 200 } });
    expect(await run("github", { base_url: at, token: "old" })).toEqual({ error: `127.0.0.1:${port} answered with status 401.` });
    expect(await run("discord_webhook", { webhook_url: `${at}/hook/secret` })).toEqual({
      error: `127.0.0.1:${port} answered with status 401.`,
    });
    expect(await run("http_bearer", { token: "good" })).toEqual({ error: "The resource has no base_url." });
    expect(await run("git_repository", { url: "http://ann:secret@127.0.0.1:1/x.git" })).toEqual({
      error: expect.stringMatching(/^127\.0\.0\.1:1 cannot be reached: \w+$/),
    });
    expect(seen).toEqual(["/v1/models Bearer good", "/rate_limit Bearer old", "/hook/secret undefined"]);
  });

  it("send no password to a mail server without TLS, and no mail", async () => {
    const seen: string[] = [];
    const port = await serverOfLines("220 mail\r\n", { EHLO: "250-mail\r\n250 SIZE 1000\r\n", QUIT: "221 bye\r\n" }, seen);
    expect(await run("smtp", { host: "127.0.0.1", port })).toEqual({ result: { host: "127.0.0.1", tls: false, signedIn: false } });
    expect(await run("smtp", { host: "127.0.0.1", port, user: "ann", password: "secret" })).toEqual({
      error: "The server offers no TLS, so the test does not send the password.",
    });
    expect(seen).toEqual(["EHLO svc", "QUIT", "EHLO svc"]);
  });

  it("report a database, a cache and a cluster that cannot be reached", async () => {
    const at = { host: "127.0.0.1", port: 1 };
    for (const [type, resource] of Object.entries({
      postgresql: { ...at, dbname: "d" },
      mysql: { ...at, database: "d" },
      redis: at,
      mongodb: { db: "d", servers: [at] },
    })) {
      expect([type, await run(type, resource)]).toEqual([type, { error: expect.stringMatching(/./) }]);
    }
  });
});
