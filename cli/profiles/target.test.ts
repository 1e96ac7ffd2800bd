import { afterEach, describe, expect, it, vi } from "vitest";
import { findTarget } from "./target.ts";

const profile = (name: string, host: string) => ({ url: `https://${host}`, workspace: name, token: `token-${name}-${host}` });
const stored = { active: "dev", profiles: { dev: profile("dev", "a.example.com"), prod: profile("main", "b.example.com") } };

afterEach(() => vi.unstubAllEnvs());

describe("findTarget", () => {
  it("uses the active profile by default", () => {
    expect(findTarget({}, {}, stored)).toEqual({ ...stored.profiles.dev, profile: "dev", source: "profile dev" });
  });

  it("prefers flags to variables, variables to svc.yaml, and svc.yaml to the active profile", () => {
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

  it("sends a token only to the service that it belongs to", () => {
    expect(() => findTarget({ url: "https://evil.example.com" }, {}, stored)).toThrow("No token for https://evil.example.com");
    expect(() => findTarget({}, { url: "https://evil.example.com", workspace: "dev" }, stored)).toThrow("svc login");
  });
});

/** The sources of the address. `isOwn`: a flag, a variable or the active profile chooses it, and not the repository. */
const addresses: [name: string, setting: { flag?: string; variable?: string; yaml?: string }, isOwn: boolean, host: string][] = [
  ["the flag", { flag: "c" }, true, "c"],
  ["the variable", { variable: "c" }, true, "c"],
  ["the flag, though svc.yaml names another", { flag: "c", yaml: "evil" }, true, "c"],
  ["the variable, though svc.yaml names another", { variable: "c", yaml: "evil" }, true, "c"],
  ["the active profile", {}, true, "a"],
  ["svc.yaml with the address of the active profile", { yaml: "a" }, true, "a"],
  ["svc.yaml with the address of another profile", { yaml: "b" }, false, "b"],
  ["svc.yaml with an unknown address", { yaml: "evil" }, false, "evil"],
];

describe.each(addresses)("findTarget with the address of %s", (_, { flag, variable, yaml }, isOwn, host) => {
  const address = (name: string | undefined) => (name === undefined ? undefined : `https://${name}.example.com`);
  const find = (token?: string) => {
    vi.stubEnv("SVC_URL", address(variable) ?? "");
    return findTarget({ url: address(flag), token }, { url: address(yaml) }, stored);
  };

  it.each(["the flag", "the variable"])("uses the token of %s only if the repository has not chosen the address", (source) => {
    vi.stubEnv("SVC_TOKEN", source === "the variable" ? "own" : "");
    const call = () => find(source === "the flag" ? "own" : undefined);
    if (isOwn) expect(call()).toMatchObject({ url: address(host), token: "own" });
    else
      expect(call).toThrow(
        `svc.yaml chooses ${address(host)}, and a token of --token or SVC_TOKEN is sent only to a service that you choose.`,
      );
  });

  it("uses a token of a profile only at the address of the profile", () => {
    vi.stubEnv("SVC_TOKEN", "");
    if (host === "a" || host === "b") expect(find().token).toMatch(new RegExp(`^token-\\w+-${host}\\.example\\.com$`));
    else if (isOwn) expect(find).toThrow(`No token for ${address(host)} is known. Run: svc login`);
    else expect(find).toThrow(`svc.yaml chooses ${address(host)}, and no token for it is known. If you trust this address, run: svc login`);
  });
});

it("findTarget sends the token of a profile to the address of the profile, not to another path of the same origin", () => {
  expect(findTarget({}, { url: "https://b.example.com/other/" }, stored)).toMatchObject({ url: "https://b.example.com", profile: "prod" });
});

it("findTarget sends the token of a variable to the profile that a flag names, but to none that svc.yaml names", () => {
  vi.stubEnv("SVC_TOKEN", "own");
  expect(findTarget({ workspace: "prod" }, {}, stored)).toMatchObject({ url: "https://b.example.com", token: "own" });
  expect(() => findTarget({}, { workspace: "prod" }, stored)).toThrow("svc.yaml chooses https://b.example.com");
  const named = { url: "https://b.example.com", workspace: "main", isNamed: true };
  expect(() => findTarget({ workspace: "entry" }, named, stored)).toThrow("svc.yaml chooses https://b.example.com");
});
