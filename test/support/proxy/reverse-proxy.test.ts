import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, request as httpRequest, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import httpProxy from "http-proxy";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { until } from "../until.ts";

/** A request as the service receives it. */
interface Received {
  url: string | undefined;
  authorization: string | undefined;
  cookie: string | undefined;
  host: string | undefined;
  body: string;
}

const TARGET = "/api/w/shop/jobs/run_wait_result/p/f/shop/order";
const TOKEN = "token-of-the-proxy";
const page = readFileSync(path.join(import.meta.dirname, "../../../docs/reverse-proxy.md"), "utf8");
const blockOf = (language: string) => new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``).exec(page)?.[1] ?? "";

const received: Received[] = [];
let finishStream: () => void = () => undefined;
/** Takes the place of the service. A request with `?stream` receives one event, and a second one when the test sends it. */
const service = createServer(async (request, response) => {
  let body = "";
  for await (const chunk of request) body += String(chunk);
  const { authorization, cookie, host } = request.headers;
  received.push({ url: request.url, authorization, cookie, host, body });
  if (!request.url?.includes("stream")) return void response.end("done");
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.write("data: first\n\n");
  finishStream = () => response.end("data: second\n\n");
});

const portOf = (server: Server) => (server.address() as AddressInfo).port;
const listen = (server: Server) => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
beforeAll(() => listen(service));
afterAll(() => void service.close());

async function findFreePort(): Promise<number> {
  const server = createServer();
  await listen(server);
  const port = portOf(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function send(port: number, target: string): Promise<{ status: number | undefined; response: IncomingMessage }> {
  return new Promise((resolve, reject) => {
    const headers = { host: "hooks.example.com", authorization: "Bearer of-the-caller", cookie: "token=of-the-caller" };
    const sent = httpRequest({ host: "127.0.0.1", port, path: target, method: "POST", headers }, (response) =>
      resolve({ status: response.statusCode, response }),
    );
    sent.on("error", reject).end('{"id":7}');
  });
}

async function checkProxy(port: number): Promise<void> {
  received.length = 0;
  const { status, response } = await send(port, "/hooks/orders?from=shop");
  expect([status, await readAll(response)]).toEqual([200, "done"]);
  const host = `127.0.0.1:${portOf(service)}`;
  const expected = { url: `${TARGET}?from=shop`, authorization: `Bearer ${TOKEN}`, cookie: undefined, host, body: '{"id":7}' };
  expect(received).toEqual([expected]);
  for (const other of ["/hooks/orders/more", "/hooks", "/api/users/whoami"]) {
    const refused = await send(port, other);
    expect([other, refused.status]).toEqual([other, 404]);
    refused.response.resume();
  }
  expect(received).toHaveLength(1);
  const stream = await send(port, "/hooks/orders?stream");
  const chunks = stream.response.setEncoding("utf8")[Symbol.asyncIterator]();
  // The service has not sent the second event yet, so a proxy that buffers would never answer.
  expect((await chunks.next()).value).toBe("data: first\n\n");
  finishStream();
  expect((await chunks.next()).value).toBe("data: second\n\n");
}

async function readAll(response: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of response) text += String(chunk);
  return text;
}

const isInstalled = (program: string, ...version: string[]) => {
  try {
    execFileSync(program, version, { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
};

/** Runs a proxy in its own folder until `check` has ended. */
async function runProxy(
  port: number,
  files: Record<string, string>,
  command: (folder: string) => [string, ...string[]],
  check: () => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), "proxy-"));
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text.replaceAll("FOLDER", folder));
  const [program, ...args] = command(folder);
  const env = { ...process.env, HOME: folder, SVC_TOKEN: TOKEN };
  const running = spawn(program, args, { env, stdio: "ignore" });
  const ended = new Promise((resolve) => running.once("exit", resolve));
  try {
    await until(() =>
      send(port, "/").then(
        ({ response }) => Boolean(response.resume()),
        () => false,
      ),
    );
    await check();
  } finally {
    running.kill("SIGTERM");
    await ended;
    rmSync(folder, { recursive: true, force: true });
  }
}

describe("the configuration of docs/reverse-proxy.md sends one address to one webhook with its own token, and streams at once,", () => {
  // nginx is optional: the same rewrite always runs in the test below.
  it("with nginx", async ({ skip }) => {
    skip(!isInstalled("nginx", "-v"), "nginx is not installed");
    const port = await findFreePort();
    const server = blockOf("nginx")
      .replace("listen 8080", `listen 127.0.0.1:${port}`)
      .replace("https://svc.example.com", `http://127.0.0.1:${portOf(service)}`)
      .replace("/etc/nginx/svc-token.conf", "FOLDER/svc-token.conf");
    const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) => `${name}_temp_path FOLDER/${name};`).join("\n");
    const main = `daemon off; pid FOLDER/pid; error_log FOLDER/error.log; events {} http { access_log off; ${temporary} ${server} }`;
    const token = `proxy_set_header Authorization "Bearer ${TOKEN}";`;
    const files = { "nginx.conf": main, "svc-token.conf": token };
    await runProxy(
      port,
      files,
      (folder) => ["nginx", "-p", folder, "-c", `${folder}/nginx.conf`],
      () => checkProxy(port),
    );
  });

  // Caddy is optional as well.
  it("with Caddy", async ({ skip }) => {
    skip(!isInstalled("caddy", "version"), "Caddy is not installed");
    const port = await findFreePort();
    const site = blockOf("caddyfile")
      .replace("hooks.example.com:8080", `hooks.example.com:${port}`)
      .replace("https://svc.example.com", `http://127.0.0.1:${portOf(service)}`);
    const files = { Caddyfile: `{\n\tadmin off\n}\n${site}` };
    const command = (folder: string): [string, ...string[]] => [
      "caddy",
      "run",
      "--adapter",
      "caddyfile",
      "--config",
      `${folder}/Caddyfile`,
    ];
    await runProxy(port, files, command, () => checkProxy(port));
  });

  it("with the same rewrite in http-proxy, whose address both pages name", async () => {
    const from = /location = (\S+) \{/.exec(blockOf("nginx"))?.[1];
    const to = /proxy_pass https:\/\/svc\.example\.com(\S+);/.exec(blockOf("nginx"))?.[1];
    expect([from, to]).toEqual(["/hooks/orders", TARGET]);
    expect(/handle (\S+) \{\s+rewrite \* (\S+)/.exec(blockOf("caddyfile"))?.slice(1)).toEqual([from, to]);
    const proxy = httpProxy.createProxyServer({ target: `http://127.0.0.1:${portOf(service)}`, changeOrigin: true });
    proxy.on("proxyReq", (outgoing) => {
      outgoing.setHeader("authorization", `Bearer ${TOKEN}`);
      outgoing.removeHeader("cookie");
    });
    const front = createServer((request: IncomingMessage, response: ServerResponse) => {
      const { pathname, search } = new URL(request.url ?? "/", "http://proxy");
      if (pathname !== from) return void response.writeHead(404).end();
      request.url = `${to}${search}`;
      proxy.web(request, response);
    });
    await listen(front);
    try {
      await checkProxy(portOf(front));
    } finally {
      front.close();
      proxy.close();
    }
  });
});
