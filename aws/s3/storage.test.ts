import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { storage } from "./storage.ts";

describe("shared read URLs", () => {
  beforeEach(() => {
    vi.stubEnv("SVC_BUCKET", "b");
    vi.stubEnv("AWS_REGION", "us-east-1");
    vi.stubEnv("AWS_ACCESS_KEY_ID", "test");
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", "test");
    vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2026-01-01T00:00:00Z") });
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllEnvs();
  });

  it("a URL is reused while it is valid for the requested time", async () => {
    const first = await storage.getSharedDownloadUrl("artefacts/w/one.zip", 180);
    vi.setSystemTime(Date.parse("2026-01-01T00:59:59Z"));
    expect(await storage.getSharedDownloadUrl("artefacts/w/one.zip", 180)).toBe(first);
    expect(await storage.getSharedDownloadUrl("artefacts/w/one.zip", 300)).not.toBe(first);
    vi.setSystemTime(Date.parse("2026-01-01T03:00:00Z"));
    const later = await storage.getSharedDownloadUrl("artefacts/w/one.zip", 180);
    expect(new URL(later).searchParams.get("X-Amz-Date")).toBe("20260101T030000Z");
    expect(new URL(later).searchParams.get("X-Amz-Expires")).toBe("3780");
  });

  it("each object has its own URL", async () => {
    const url = await storage.getSharedDownloadUrl("artefacts/w/one.zip", 180);
    expect(await storage.getSharedDownloadUrl("artefacts/w/two.zip", 180)).not.toBe(url);
  });
});
