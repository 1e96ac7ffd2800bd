import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { buckets } from "./buckets.ts";
import { storage } from "./storage.ts";

beforeEach(() => {
  vi.stubEnv("SVC_BUCKET", "svc-storage");
  vi.stubEnv("AWS_REGION", "us-east-1");
  vi.stubEnv("AWS_ACCESS_KEY_ID", "test");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "test");
});
afterEach(() => vi.unstubAllEnvs());

const foreign = () =>
  buckets.foreign("files", {
    bucket: "theirs",
    region: "eu-central-1",
    endpoint: "https://s3.example.com",
    pathStyle: true,
    accessKey: "key",
    secretKey: "secret",
  });

describe("a presigned upload URL", () => {
  it.each([
    ["of the stack's bucket for jobs and builds", () => storage.createUploadUrl("artefacts/w/one.zip", 60)],
    ["of the stack's bucket for files", () => buckets.own().createUploadUrl("files/w/one.txt", 60)],
    ["of a user's bucket", () => foreign().createUploadUrl("one.txt", 60)],
    ["of a part of a file", () => buckets.own().createPartUrl({ key: "files/w/one.txt", upload: "id", number: 1 }, 60)],
  ])("%s signs no checksum, because the body is not known yet", async (_, createUrl) => {
    const { searchParams } = new URL(await createUrl());
    expect(searchParams.get("X-Amz-Signature")).toBeTruthy();
    expect([...searchParams.keys()].filter((name) => /checksum/i.test(name))).toEqual([]);
    expect(searchParams.get("X-Amz-SignedHeaders")).toBe("host");
  });
});

describe("the presigned URL of a file in the stack's bucket", () => {
  it("is at the Host that CloudFront sends, because the signature covers it, and its path is the key", async () => {
    const { host, pathname } = new URL(await buckets.own().createUploadUrl("files/w/u/ann/a b.txt", 60));
    expect([host, pathname]).toEqual(["svc-storage.s3.us-east-1.amazonaws.com", "/files/w/u/ann/a%20b.txt"]);
  });
});

/** The constructor calls of S3 clients in a source, each with its options as text. */
function findClients(source: string): string[] {
  return source
    .split("new S3Client(")
    .slice(1)
    .map((rest) => rest.slice(0, rest.indexOf(");")));
}

describe("every S3 client", () => {
  const root = join(import.meta.dirname, "../..");
  const folders = "{aws,bench,bin,cli,engine,functions,lib,runners,services,test}";
  const files = globSync(`${folders}/**/*.{ts,mjs}`, { cwd: root, exclude: ["**/node_modules/**"] });

  it("computes checksums only where S3 requires them, so that each can sign upload URLs", () => {
    const clients = files
      .filter((file) => !file.endsWith("upload-urls.test.ts"))
      .flatMap((file) => findClients(readFileSync(join(root, file), "utf8")).map((options) => ({ file, options })));
    expect(clients.length).toBeGreaterThan(2);
    expect(clients.filter(({ options }) => !options.includes('requestChecksumCalculation: "WHEN_REQUIRED"'))).toEqual([]);
  });

  it("is found by its constructor", () => {
    expect(findClients("const a = new S3Client({ region });\nconst b = f(new S3Client({}));")).toEqual(["{ region }", "{})"]);
  });
});
