import { describe, expect, it } from "vitest";
import { parseConfig, retainsData } from "./config.ts";

describe("the context key svc", () => {
  it("means an AWS account when nothing is said", () => {
    const config = parseConfig(undefined);
    expect(config).toMatchObject({ local: false, arch: "arm64", logRetentionDays: 30, reservedConcurrency: 50 });
    expect(retainsData(config)).toBe(true);
  });

  it("keeps data on AWS and not locally, unless it says otherwise", () => {
    expect(retainsData(parseConfig({ local: true, baseUrl: "http://127.0.0.1:8000" }))).toBe(false);
    expect(retainsData(parseConfig({ retainData: false }))).toBe(false);
  });

  it("refuses a local deployment that has no address", () => {
    expect(() => parseConfig({ local: true })).toThrow("needs svc.baseUrl");
  });

  it("takes logins only with what they need, and never a secret itself", () => {
    const login = { name: "acme", issuer: "https://id.example.com", clientId: "svc", clientSecretName: "svc/acme" };
    const given = { logins: [login], loginDomainPrefix: "svc-example" };
    expect(parseConfig(given).logins).toEqual([login]);
    expect(() => parseConfig({ logins: [login] })).toThrow("needs svc.loginDomainPrefix");
    expect(() => parseConfig({ ...given, logins: [login, login] })).toThrow("the same name");
    expect(() => parseConfig({ ...given, logins: [{ ...login, issuer: "http://id.example.com" }] })).toThrow("must begin with https:");
    expect(() => parseConfig({ ...given, logins: [{ ...login, clientSecret: "hidden" }] })).toThrow("clientSecret");
    expect(
      parseConfig({ local: true, baseUrl: "http://127.0.0.1:1", logins: [{ ...login, issuer: "http://127.0.0.1:2" }] }).logins,
    ).toHaveLength(1);
  });

  it("names a key it does not know, so that a typing error is not silently the default", () => {
    expect(() => parseConfig({ alarmMail: "ops@example.com" })).toThrow("alarmMail");
  });
});
