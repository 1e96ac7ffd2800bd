import { execFileSync, spawnSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createContext, runInContext } from "node:vm";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { typescriptCommand } from "../../test/support/clients/client-driver.ts";
import { installTypescriptClient } from "../../test/support/clients/client-package.ts";

// The compiler, on a shared machine.
vi.setConfig({ hookTimeout: 120_000, testTimeout: 60_000 });

describe("the complete bundle", () => {
  const bundle = async () => {
    const { outputFiles, metafile } = await build({
      entryPoints: [join(import.meta.dirname, "src/index.ts")],
      bundle: true,
      minify: true,
      write: false,
      metafile: true,
      format: "iife",
      globalName: "svc",
      platform: "browser",
    });
    return { text: outputFiles[0]?.text ?? "", inputs: Object.keys(metafile.inputs) };
  };

  it("the bundle is under 15 KB minified, and has no dependency", async () => {
    const { text, inputs } = await bundle();
    expect(Buffer.byteLength(text)).toBeLessThan(15 * 1024);
    expect(inputs.filter((path) => !path.includes("clients/typescript/src/"))).toEqual([]);
  });

  it("the bundle runs without a process object, as in a browser", async () => {
    const requests: unknown[] = [];
    const fetch = async (url: string, init: RequestInit) => {
      requests.push([init.method, url, init.headers]);
      return new Response('"value"', { headers: { "content-type": "application/json" } });
    };
    const page = createContext({ fetch, URLSearchParams });
    runInContext(`${(await bundle()).text}; globalThis.svc = svc;`, page);
    const read = runInContext('svc.setClient("t", "https://svc.example", "demo"); svc.getVariable("f/ops/x")', page);
    expect(await read).toBe("value");
    expect(requests).toEqual([["GET", "https://svc.example/api/w/demo/variables/get_value/f/ops/x", { authorization: "Bearer t" }]]);
  });
});

describe("the published package", () => {
  let installed: Awaited<ReturnType<typeof installTypescriptClient>>;
  beforeAll(async () => {
    installed = await installTypescriptClient();
  });
  afterAll(() => rmSync(installed.dir, { recursive: true, force: true }));

  it("the package contains only code, types, licence and README", () => {
    const modules = ["approvals", "connection", "files", "index", "jobs", "stored", "stream"];
    expect(installed.files).toEqual([
      "LICENSE",
      "README.md",
      ...modules.flatMap((name) => [`dist/${name}.d.ts`, `dist/${name}.js`]),
      "package.json",
    ]);
  });

  it.each(["bun", "deno", "nodejs"] as const)("the package can be imported by its name in %s", (client) => {
    const program = join(installed.dir, "names.mjs");
    writeFileSync(program, 'import * as svc from "svc-workflow-client";\nconsole.log(typeof svc.getResource, typeof svc.JobError);\n');
    const [command, ...args] = typescriptCommand(client, program);
    expect(execFileSync(command, args, { cwd: installed.dir, encoding: "utf8" }).trim()).toBe("function function");
  });

  it("the package needs no other deno permission than the network if the address is configured", () => {
    const program = join(installed.dir, "alone.mjs");
    const lines = [
      'import * as svc from "svc-workflow-client";',
      'const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, () => Response.json("value"));',
      "svc.setClient('t', 'http://127.0.0.1:' + server.addr.port, 'demo');",
      "console.log(await svc.getVariable('f/ops/x'));",
      "await server.shutdown();",
    ];
    writeFileSync(program, lines.join("\n"));
    const [command] = typescriptCommand("deno", program);
    const args = ["run", "--quiet", "--no-prompt", "--no-lock", "--allow-net", "--allow-read", program];
    const { stdout, stderr } = spawnSync(command, args, { cwd: installed.dir, encoding: "utf8" });
    expect([stdout.trim(), stderr]).toEqual(["value", ""]);
  });

  it("the types of the package compile in a strict program", () => {
    const program = [
      'import { getResource, JobError, type S3Object, waitJob, writeS3File } from "svc-workflow-client";',
      "const host: string | undefined = (await getResource<{ host: string }>('f/a/b', true))?.host;",
      "const file: S3Object = await writeS3File(undefined, new Uint8Array(1));",
      "export const all: [string | undefined, S3Object, number] = [host, file, await waitJob<number>('x')];",
      "export const failed = new JobError('x', { name: 'A', message: 'b' }).error.message;",
    ].join("\n");
    writeFileSync(join(installed.dir, "use.ts"), program);
    const compilerOptions = { noEmit: true, strict: true, module: "nodenext", target: "es2022", lib: ["es2022", "dom"], types: [] };
    writeFileSync(join(installed.dir, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["use.ts"] }));
    const tsc = join(import.meta.dirname, "../../node_modules/typescript/bin/tsc");
    const { stdout, status } = spawnSync(process.execPath, [tsc, "-p", installed.dir], { encoding: "utf8" });
    expect([stdout, status]).toEqual(["", 0]);
  });
});
