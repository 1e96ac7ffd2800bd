import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Context } from "aws-lambda";
import { unzipSync } from "fflate";
import { afterAll, beforeAll } from "vitest";
import type { BuildRequest, BuildResult, BuildTarget } from "../../core/builds/build.ts";

const hostTarget: BuildTarget = {
  os: process.platform === "darwin" ? "darwin" : "linux",
  arch: process.arch === "arm64" ? "arm64" : "x64",
  python: "3.12",
  node: "24",
};

export interface Built {
  result: BuildResult;
  /** The uploaded files, unpacked. */
  files: Record<string, string>;
  /** The uploaded declarations. */
  declarations: Record<string, string> | undefined;
  /** The directory into which the files were unpacked. */
  dir: string;
}

interface Builder {
  build(language: BuildRequest["language"], files: string | Record<string, string>, more?: Partial<BuildRequest>): Promise<Built>;
  /** Serves one package under `<origin>/<name>`, as npm's registry does. */
  publish(manifest: { name: string; version: string } & Record<string, unknown>, files: Record<string, string>): void;
  /** Serves bytes and returns their URL. */
  serve(path: `/${string}`, bytes: Buffer): string;
  origin(): string;
  workDir(): string;
}

/** Returns the lock of a build that succeeded. Throws an error with the log of one that failed. */
export function lockOf(result: BuildResult): string {
  if (!result.ok) throw new Error(`${result.error}\n${result.log}`);
  return result.lock;
}

export const ENTRY = "f/ops/hello";

/** Builds in a separate work directory and receives the artefacts on the loopback. */
export function useBuilder(): Builder {
  let root = "";
  let server: Server;
  const uploads = new Map<string, Buffer>();
  const served = new Map<string, Buffer>();
  const origin = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  beforeAll(async () => {
    root = mkdtempSync(join(tmpdir(), "svc-build-test-"));
    process.env["SVC_WORK_DIR"] = join(root, "work");
    server = createServer((request, response) => {
      const path = decodeURIComponent(request.url ?? "");
      if (request.method === "GET") {
        const body = served.get(path);
        response.writeHead(body ? 200 : 404, { "content-type": path.endsWith(".tgz") ? "application/octet-stream" : "application/json" });
        response.end(body ?? "{}");
        return;
      }
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        uploads.set(path, Buffer.concat(chunks));
        response.end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  });

  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await rm(root, { recursive: true, force: true, maxRetries: 3 });
    // Compiler caches consist of many small files.
  }, 120_000);

  let count = 0;
  return {
    origin,
    serve(path, bytes) {
      served.set(path, bytes);
      return origin() + path;
    },
    workDir: () => join(root, "work"),
    async build(language, files, more = {}) {
      const { handler } = await import("./handler.ts");
      const upload = `/upload/${++count}`;
      const request: BuildRequest = {
        language,
        files: typeof files === "string" ? { [ENTRY]: files } : files,
        entry: ENTRY,
        target: hostTarget,
        registries: { npm: "", pypi: "", go: "" },
        uploadUrl: origin() + upload,
        declarationsUrl: `${origin()}${upload}/declarations`,
        maxArtefactBytes: 200 * 1024 * 1024,
        ...more,
      };
      const result = await handler(request, { awsRequestId: "test" } as Context);
      const dir = join(root, "unpacked", String(count));
      const declarations = uploads.get(`${upload}/declarations`);
      return {
        ...{ result, dir, files: unpack(uploads.get(upload), dir, result) },
        declarations: declarations && (JSON.parse(declarations.toString()) as Record<string, string>),
      };
    },
    publish(manifest, files) {
      const dir = mkdtempSync(join(root, "package-"));
      for (const [path, text] of Object.entries({ ...files, "package.json": JSON.stringify(manifest) })) {
        mkdirSync(dirname(join(dir, "package", path)), { recursive: true });
        writeFileSync(join(dir, "package", path), text);
      }
      execFileSync("tar", ["-czf", join(dir, "package.tgz"), "-C", dir, "package"]);
      const tarball = readFileSync(join(dir, "package.tgz"));
      const { name, version } = manifest;
      const dist = {
        tarball: `${origin()}/${name}/-/${name}-${version}.tgz`,
        integrity: `sha512-${createHash("sha512").update(tarball).digest("base64")}`,
        shasum: createHash("sha1").update(tarball).digest("hex"),
      };
      const document = { name, "dist-tags": { latest: version }, versions: { [version]: { ...manifest, dist } } };
      served.set(`/${name}`, Buffer.from(JSON.stringify(document)));
      served.set(`/${name}/-/${name}-${version}.tgz`, tarball);
    },
  };
}

function unpack(zip: Buffer | undefined, dir: string, result: BuildResult): Record<string, string> {
  if (!zip || !result.ok) return {};
  if (createHash("sha256").update(zip).digest("hex") !== result.sha256 || zip.length !== result.bytes)
    throw new Error("The answer is not about these bytes.");
  const files: Record<string, string> = {};
  for (const [path, bytes] of Object.entries(unzipSync(zip))) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), bytes, { mode: 0o755 });
    files[path] = Buffer.from(bytes).toString("latin1");
  }
  return files;
}
