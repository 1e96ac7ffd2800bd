import { createHmac } from "node:crypto";
import { sign as signAsGithub } from "@octokit/webhooks-methods";
import { Webhook } from "standardwebhooks";
import Stripe from "stripe";
import { describe, expect, it } from "vitest";
import { SvcError } from "../../../contract/errors.ts";
import { type CredentialOf, parseCredential } from "./credential.ts";
import { verifySignature } from "./signature.ts";

const NOW_MS = 1_790_000_000_000;
const nowS = NOW_MS / 1000;
const BODY = '{"id":"evt_1","amount":12,"note":"ü"}';
const SECRET = "whsec_c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0LTE=";

type Headers = Record<string, string>;
interface Sent {
  headers: Headers;
  body: string;
}
const hmac = (text: string, { algorithm = "sha256", encoding = "hex" as "hex" | "base64", key = SECRET } = {}) =>
  createHmac(algorithm, key).update(text).digest(encoding);

const credentialOf = (own: object): CredentialOf<"signature_auth"> => {
  const credential = parseCredential("signature_auth", { secret: SECRET, ...own });
  if (typeof credential === "string") throw new Error(credential);
  return credential as CredentialOf<"signature_auth">;
};
const verify = (own: object, { headers, body }: Sent, nowMs = NOW_MS) =>
  verifySignature(credentialOf(own), { headers, readBytes: async () => Buffer.from(body) }, nowMs);

/** Each sender with its own package, or with the formula of its documentation if it has no package. */
const senders: Record<string, { own: object; timestamp?: string; send: (body: string, atS?: number) => Promise<Headers> }> = {
  stripe: {
    own: { preset: "stripe" },
    timestamp: "stripe-signature",
    send: async (body, atS = nowS) => ({
      "stripe-signature": Stripe.webhooks.generateTestHeaderString({ payload: body, secret: SECRET, timestamp: atS }),
    }),
  },
  github: { own: { preset: "github" }, send: async (body) => ({ "x-hub-signature-256": await signAsGithub(SECRET, body) }) },
  slack: {
    own: { preset: "slack" },
    timestamp: "x-slack-request-timestamp",
    send: async (body, atS = nowS) => ({
      "x-slack-request-timestamp": String(atS),
      "x-slack-signature": `v0=${hmac(`v0:${atS}:${body}`)}`,
    }),
  },
  standard_webhooks: {
    own: { preset: "standard_webhooks" },
    timestamp: "webhook-timestamp",
    send: async (body, atS = nowS) => ({
      "webhook-id": "msg_1",
      "webhook-timestamp": String(atS),
      "webhook-signature": new Webhook(SECRET).sign("msg_1", new Date(atS * 1000), body),
    }),
  },
  shopify: { own: { preset: "shopify" }, send: async (body) => ({ "x-shopify-hmac-sha256": hmac(body, { encoding: "base64" }) }) },
  custom: {
    own: {
      ...{ algorithm: "sha512", encoding: "base64", header: "X-Shop-Signature", prefix: "v2=" },
      ...{ template: "{timestamp}.{id}.{body}", timestamp_header: "X-Shop-Time" },
    },
    timestamp: "x-shop-time",
    send: async (body, atS = nowS) => ({
      "x-shop-time": String(atS),
      "webhook-id": "m-1",
      "x-shop-signature": `v2=${hmac(`${atS}.m-1.${body}`, { algorithm: "sha512", encoding: "base64" })}`,
    }),
  },
};
const names = Object.keys(senders);
const senderOf = (name: string) => senders[name] as (typeof senders)[string];

describe.each(names)("the signature of %s", (name) => {
  const { own, timestamp, send } = senderOf(name);
  const headerOf = (headers: Headers) =>
    Object.keys(headers).find((header) => header.includes("signature") || header.includes("hmac")) ?? "";

  it("is accepted, and names the request for its repetition", async () => {
    const headers = await send(BODY);
    const first = await verify(own, { headers, body: BODY });
    expect(first).toMatchObject({
      outcome: "admitted",
      secretHeaders: [headerOf(headers)],
      replay: { forS: timestamp ? 600 : 300 },
    });
    expect(await verify(own, { headers, body: BODY })).toEqual(first);
    const other = await verify(own, { headers: await send(`${BODY} `), body: `${BODY} ` });
    expect(other).toMatchObject({ outcome: "admitted" });
    expect(other).not.toEqual(first);
  });

  it("is refused after any change", async () => {
    const headers = await send(BODY);
    const header = headerOf(headers);
    const value = headers[header] ?? "";
    const mutations: Record<string, Sent> = {
      "another body": { headers, body: `${BODY} ` },
      "an empty body": { headers, body: "" },
      "no signature": { headers: { ...headers, [header]: "" }, body: BODY },
      "a cut signature": { headers: { ...headers, [header]: value.slice(0, -2) }, body: BODY },
      "another signature": {
        headers: { ...headers, [header]: value.replace(/[^=](?==*$)/, (last) => (last === "0" ? "1" : "0")) },
        body: BODY,
      },
      "the header twice": { headers: { ...headers, [header]: `${value}, ${value}` }, body: BODY },
      "another prefix": { headers: { ...headers, [header]: `x${value}` }, body: BODY },
    };
    for (const [what, sent] of Object.entries(mutations)) expect([what, (await verify(own, sent)).outcome]).toEqual([what, "refused"]);
    const { [header]: _, ...without } = headers;
    expect(await verify(own, { headers: without, body: BODY })).toEqual({ outcome: "refused", reason: "noCredential" });
    expect(await verify({ ...own, secret: `${SECRET.slice(0, -4)}bXk=` }, { headers, body: BODY })).toMatchObject({
      reason: "wrongSignature",
    });
  });

  it("is accepted with the former secret while the sender changes it", async () => {
    const headers = await send(BODY);
    const next = "whsec_bmV3LXNlY3JldC1uZXctc2VjcmV0LW5ldy0xMg==";
    expect((await verify({ ...own, secret: next, old_secret: SECRET }, { headers, body: BODY })).outcome).toBe("admitted");
  });
});

describe.each(names.filter((name) => senderOf(name).timestamp))("the time in the signature of %s", (name) => {
  const { own, timestamp, send } = senderOf(name);

  it.runIf(timestamp !== undefined)(
    "is refused with a clock that differs too much, in either direction, and with another unit",
    async () => {
      for (const atS of [nowS - 299, nowS + 299])
        expect((await verify(own, { headers: await send(BODY, atS), body: BODY })).outcome).toBe("admitted");
      for (const atS of [nowS - 301, nowS + 301]) {
        expect(await verify(own, { headers: await send(BODY, atS), body: BODY })).toEqual({ outcome: "refused", reason: "tooOld" });
      }
      expect(await verify({ ...own, tolerance_s: 10 }, { headers: await send(BODY, nowS - 11), body: BODY })).toMatchObject({
        reason: "tooOld",
      });
      const headers = await send(BODY);
      const inMs = { ...headers, [timestamp ?? ""]: (headers[timestamp ?? ""] ?? "").replace(String(nowS), String(NOW_MS)) };
      expect(await verify(own, { headers: inMs, body: BODY })).toEqual({ outcome: "refused", reason: "wrongTimestamp" });
    },
  );
});

describe("Stripe's header", () => {
  it("may contain several signatures, but only one time", async () => {
    const header = Stripe.webhooks.generateTestHeaderString({ payload: BODY, secret: SECRET, timestamp: nowS });
    const rolled = header.replace(",v1=", `,v1=${"0".repeat(64)},v1=`);
    expect((await verify({ preset: "stripe" }, { headers: { "stripe-signature": rolled }, body: BODY })).outcome).toBe("admitted");
    const twice = `t=1,${header}`;
    expect(await verify({ preset: "stripe" }, { headers: { "stripe-signature": twice }, body: BODY })).toMatchObject({
      reason: "severalSignatures",
    });
  });
});

describe("Slack's check of an address", () => {
  const body = JSON.stringify({ type: "url_verification", challenge: "3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P" });
  it("is answered with its text once its signature is right", async () => {
    const headers = await senderOf("slack").send(body);
    expect(await verify({ preset: "slack" }, { headers, body })).toEqual({
      outcome: "answered",
      contentType: "text/plain; charset=utf-8",
      body: JSON.parse(body).challenge,
    });
    expect((await verify({ preset: "slack", secret: "other" }, { headers, body })).outcome).toBe("refused");
  });

  it("is a request like any other with a text that is no challenge, and from other senders", async () => {
    const odd = JSON.stringify({ type: "url_verification", challenge: "<script>1</script> " });
    expect((await verify({ preset: "slack" }, { headers: await senderOf("slack").send(odd), body: odd })).outcome).toBe("admitted");
    expect((await verify({ preset: "github" }, { headers: await senderOf("github").send(body), body })).outcome).toBe("admitted");
  });
});

describe("the body of a request", () => {
  it("is not decoded for a request whose headers cannot be right", async () => {
    const readBytes = () => Promise.reject(new Error("decoded"));
    for (const { own, timestamp, send } of Object.values(senders)) {
      const ask = async (headers: Headers) => (await verifySignature(credentialOf(own), { headers, readBytes }, NOW_MS)).outcome;
      expect(await ask({})).toBe("refused");
      if (timestamp !== undefined) expect(await ask(await send(BODY, nowS - 400))).toBe("refused");
    }
  });

  it("that cannot be decoded is refused like any other without a right signature", async () => {
    const readBytes = async () => {
      throw new SvcError("body.notDecoded", { encoding: "gzip" });
    };
    const headers = await senderOf("github").send(BODY);
    expect(await verifySignature(credentialOf({ preset: "github" }), { headers, readBytes }, NOW_MS)).toEqual({
      outcome: "refused",
      reason: "unreadableBody",
    });
  });
});

describe("a signature's credential", () => {
  it.each([
    [{ header: "x", template: "{timestamp}{body}", timestamp_header: "t" }, "separator"],
    [{ header: "x", template: "{id}-{body}" }, "separator"],
    [{ header: "x", template: "{timestamp}.{body}" }, "timestamp_header"],
    [{ header: "x", template: "{body}", timestamp_header: "t" }, "must contain {timestamp}"],
    [{ header: "x", template: "constant" }, "must contain {body}"],
    [{ header: "x", template: "{body}.{body}" }, "must contain {body}"],
    [{ template: "{body}" }, "header"],
    [{ header: "x y" }, "header"],
    [{ preset: "paypal" }, "preset"],
    [{ preset: "standard_webhooks", secret: "not base64!" }, "secret"],
    [{ preset: "stripe", secret: "" }, "secret"],
    [{ preset: "stripe", tolerance_s: 0 }, "tolerance_s"],
  ])("%j is refused, without its secret in the sentence", (own, part) => {
    const fault = parseCredential("signature_auth", { secret: SECRET, ...own });
    expect(fault).toContain(part);
    expect(fault).not.toContain(SECRET);
  });

  it("has a message id that cannot contain a separator", async () => {
    const own = { header: "s", template: "{id}.{body}" };
    const sent = (id: string, body: string) => ({ headers: { s: hmac("a.b.c"), "webhook-id": id }, body });
    expect((await verify(own, sent("a", "b.c"))).outcome).toBe("admitted");
    expect((await verify(own, sent("a.b", "c"))).outcome).toBe("refused");
  });
});
