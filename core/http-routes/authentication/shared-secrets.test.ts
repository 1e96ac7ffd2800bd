import { describe, expect, it } from "vitest";
import { type CredentialOf, isCredentialType, parseCredential } from "./credential.ts";
import { verifyApiKey, verifyBasic } from "./shared-secrets.ts";

const keyOf = (own: object) => parseCredential("api_key_auth", own) as CredentialOf<"api_key_auth">;
const basic = parseCredential("basic_http_auth", { username: "shop", password: "pass:wörd" }) as CredentialOf<"basic_http_auth">;
const encode = (text: string) => `Basic ${Buffer.from(text).toString("base64")}`;

describe("an API key", () => {
  it("is read from X-API-Key, or from the header that the resource names", () => {
    expect(verifyApiKey(keyOf({ key: "k1" }), { headers: { "x-api-key": "k1" } })).toEqual({
      outcome: "admitted",
      secretHeaders: ["x-api-key"],
    });
    expect(verifyApiKey(keyOf({ key: "k1", header: "X-Shop" }), { headers: { "x-shop": "k1" } }).outcome).toBe("admitted");
    // Forms send an empty text for an omitted field.
    expect(verifyApiKey(keyOf({ key: "k1", header: "", old_key: "" }), { headers: { "x-api-key": "k1" } }).outcome).toBe("admitted");
  });

  it("may be the former one", () => {
    const both = keyOf({ key: "k2", old_key: "k1" });
    for (const key of ["k1", "k2"]) expect(verifyApiKey(both, { headers: { "x-api-key": key } }).outcome).toBe("admitted");
  });

  it.each([[undefined], [""], ["k"], ["k11"], ["K1"], [" k1"], ["k1, k1"]])("is refused as %j", (sent) => {
    expect(verifyApiKey(keyOf({ key: "k1" }), { headers: { "x-api-key": sent } }).outcome).toBe("refused");
  });
});

describe("a user name and a password", () => {
  it("are accepted in the form of RFC 7617", () => {
    expect(verifyBasic(basic, { headers: { authorization: encode("shop:pass:wörd") } })).toMatchObject({ outcome: "admitted" });
    expect(verifyBasic(basic, { headers: { authorization: encode("shop:pass:wörd").replace("Basic", "basic") } }).outcome).toBe("admitted");
  });

  it.each([
    [undefined],
    [encode("shop:pass")],
    [encode("shop:")],
    [encode("Shop:pass:wörd")],
    ["Basic shop:pass:wörd"],
    ["Bearer abc"],
    [`${encode("shop:pass:wörd")}, ${encode("shop:pass:wörd")}`],
  ])("are refused as %j, with a challenge", (authorization) => {
    expect(verifyBasic(basic, { headers: { authorization } })).toMatchObject({
      outcome: "refused",
      challenge: 'Basic realm="svc", charset="UTF-8"',
    });
  });
});

describe("a credential", () => {
  it.each([
    ["api_key_auth", {}],
    ["api_key_auth", { key: "" }],
    ["api_key_auth", { key: 1 }],
    ["api_key_auth", null],
    ["api_key_auth", { key: "k", header: "a\nb" }],
    ["basic_http_auth", { username: "a:b", password: "p" }],
    ["basic_http_auth", { username: "a" }],
    ["jwt_auth", {}],
    ["jwt_auth", { secret: "short" }],
    ["jwt_auth", { secret: "s".repeat(32), jwks_url: "https://issuer.example/keys" }],
    ["jwt_auth", { secret: "-----BEGIN PUBLIC KEY-----\nabc\n-----END PUBLIC KEY-----" }],
    ["jwt_auth", { public_key: "abc" }],
    ["jwt_auth", { jwks_url: "http://issuer.example/keys" }],
    ["jwt_auth", { jwks_url: "https://user@issuer.example/keys" }],
    ["jwt_auth", { jwks_url: "https://issuer.example/keys", algorithms: ["HS256"] }],
    ["jwt_auth", { secret: "s".repeat(32), algorithms: ["RS256"] }],
    ["jwt_auth", { secret: "s".repeat(32), algorithms: ["none"] }],
    // A check under an unknown name would never be applied.
    ["api_key_auth", { key: "k", headers: "x-key" }],
    ["basic_http_auth", { username: "a", password: "p", realm: "r" }],
    ["signature_auth", { preset: "github", secret: "s", tolerance: 60 }],
    ["jwt_auth", { secret: "s".repeat(32), aud: "shop" }],
    ["jwt_auth", { secret: "s".repeat(32), "required claims": { role: "admin" } }],
  ] as const)("of the type %s cannot be %j", (type, value) => {
    expect(parseCredential(type, value)).toMatch(/^The field [\w.]+ of the resource cannot be used: .+\.$/);
  });

  it("has one of the types that the catalogue describes", () => {
    expect(["api_key_auth", "basic_http_auth", "signature_auth", "jwt_auth"].every(isCredentialType)).toBe(true);
    expect([undefined, "any", "http_basic", "toString"].some(isCredentialType)).toBe(false);
  });
});
