import { afterEach, describe, expect, it, vi } from "vitest";
import { findTarget } from "./target.ts";

const profile = (name: string, host: string) => ({ url: `https://${host}`, workspace: name, token: `token-${name}-${host}` });
const stored = { active: "dev", profiles: { dev: profile("dev", "a.example.com"), prod: profile("main", "b.example.com") } };

afterEach(() => vi.unstubAllEnvs());

describe("findTarget", () => {
  it("takes the active profile by default", () => {
    expect(findTarget({}, {}, stored)).toEqual({ ...stored.profiles.dev, profile: "dev", source: "profile dev" });
  });

  it("prefers flags to variables, these to svc.yaml, and that to the active profile", () => {
    const configured = { url: "https://b.example.com", workspace: "main" };
    expect(findTarget({}, configured, stored)).toMatchObject({ url: "https://b.example.com", workspace: "main", profile: "prod" });
    vi.stubEnv("SVC_URL", "https://c.example.com");
    vi.stubEnv("SVC_TOKEN", "from the environment");
    vi.stubEnv("SVC_WORKSPACE", "env");
    expect(findTarget({}, configured, stored)).toMatchObject({
      url: "https://c.example.com",
      workspace: "env",
      token: "from the environment",
    });
    expect(findTarget({ url: "https://d.example.com", token: "flag", workspace: "own" }, configured, stored)).toMatchObject({
      url: "https://d.example.com",
      workspace: "own",
      token: "flag",
    });
  });

  it("finds a profile by its name", () => {
    expect(findTarget({ workspace: "prod" }, {}, stored)).toMatchObject({
      url: "https://b.example.com",
      workspace: "main",
      profile: "prod",
    });
  });

  it("sends no token to a service that it is not for", () => {
    expect(() => findTarget({ url: "https://evil.example.com" }, {}, stored)).toThrow("No token for https://evil.example.com");
    expect(() => findTarget({}, { url: "https://evil.example.com", workspace: "dev" }, stored)).toThrow("svc login");
  });
});
