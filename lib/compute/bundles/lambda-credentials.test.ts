import { afterEach, describe, expect, it, vi } from "vitest";
import { defaultProvider } from "./lambda-credentials.ts";

afterEach(() => vi.unstubAllEnvs());

describe("a function's credentials", () => {
  it("are read from its environment", async () => {
    vi.stubEnv("AWS_ACCESS_KEY_ID", "id");
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", "secret");
    vi.stubEnv("AWS_SESSION_TOKEN", "session");
    expect(await defaultProvider()()).toEqual({ accessKeyId: "id", secretAccessKey: "secret", sessionToken: "session" });
  });

  it("cause a clear error if they are missing", async () => {
    vi.stubEnv("AWS_ACCESS_KEY_ID", "");
    await expect(defaultProvider()()).rejects.toThrow("no credentials");
  });
});
