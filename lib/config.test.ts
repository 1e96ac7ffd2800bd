import { describe, expect, it } from "vitest";
import { env } from "../contract/env.ts";
import { parseConfig, retainsData } from "./config.ts";
import { aStack } from "./stack-fixture.ts";

describe("the context key svc", () => {
  it("describes a deployment to AWS by default", () => {
    const config = parseConfig(undefined);
    expect(config).toMatchObject({ local: false, arch: "arm64", logRetentionDays: 30, reservedConcurrency: 50 });
    expect(retainsData(config)).toBe(true);
  });

  it("retains data on AWS and not locally by default", () => {
    expect(retainsData(parseConfig({ local: true, baseUrl: "http://127.0.0.1:8000" }))).toBe(false);
    expect(retainsData(parseConfig({ retainData: false }))).toBe(false);
  });

  it("rejects a local deployment without a base URL", () => {
    expect(() => parseConfig({ local: true })).toThrow("needs svc.baseUrl");
  });

  it("accepts logins only with their required settings, and never a secret itself", () => {
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

  it("accepts a receiver of the instance's events whose URL has no credentials, and gives it to the functions that add users", () => {
    const given = { instanceEventsWebhook: "https://example.com/hook" };
    for (const wrong of ["example.com", "ftp://example.com", "https://user:secret@example.com/"])
      expect(() => parseConfig({ instanceEventsWebhook: wrong })).toThrow("instanceEventsWebhook");
    const functions = Object.values(aStack(given).template.findResources("AWS::Lambda::Function"));
    const named = functions.filter(
      ({ Properties }) => Properties.Environment?.Variables?.[env.instanceEvents] === given.instanceEventsWebhook,
    );
    expect(named.map(({ Properties }) => Properties.Description).sort()).toEqual([
      "svc: creates the first administrator",
      "svc: workspaces, users and permissions",
    ]);
  });

  it("rejects and names an unknown key, so that a typing error does not silently become the default", () => {
    expect(() => parseConfig({ alarmMail: "ops@example.com" })).toThrow("alarmMail");
  });
});
