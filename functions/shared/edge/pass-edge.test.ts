import { afterEach, describe, expect, it, vi } from "vitest";
import { defined } from "../../../contract/defined.ts";
import { EDGE_KEY_HEADER, env } from "../../../contract/env.ts";
import { passEdge } from "./pass-edge.ts";

const KEY = "2mZ8cQvT6yR1nB4kW7pX3sD9fG5hJ0lL";
const NEXT = "9fG5hJ0lL2mZ8cQvT6yR1nB4kW7pX3sD";
const addressOf = (forwarded: string | undefined, key?: string, sourceIp?: string) => {
  const event = {
    ...(sourceIp === undefined ? {} : { requestContext: { identity: { sourceIp } } }),
    headers: {
      ...defined({ "x-forwarded-for": forwarded, [EDGE_KEY_HEADER]: key }),
    },
    multiValueHeaders: { ...(key === undefined ? {} : { [EDGE_KEY_HEADER]: [key] }) },
  };
  const { address, isAdmitted } = passEdge(event);
  expect(JSON.stringify(event)).not.toContain(EDGE_KEY_HEADER);
  return isAdmitted ? address : "refused";
};
afterEach(() => vi.unstubAllEnvs());
const [caller, chosen, cloudFront] = ["203.0.113.9", "198.51.100.1", "130.176.0.1"];

describe("a request with the key of CloudFront", () => {
  it("has the address before API Gateway's entry, whatever the caller sends", () => {
    vi.stubEnv(env.edgeKeys, KEY);
    expect(addressOf(`${caller}, ${cloudFront}`, KEY)).toBe(caller);
    expect(addressOf(`${chosen}, ${chosen},${caller},${cloudFront}`, KEY)).toBe(caller);
  });

  it("passes with the previous and the next key during a rotation, and with no key that the deployment no longer has", () => {
    vi.stubEnv(env.edgeKeys, `${KEY},${NEXT}`);
    for (const key of [KEY, NEXT]) expect(addressOf(`${caller}, ${cloudFront}`, key)).toBe(caller);
    vi.stubEnv(env.edgeKeys, NEXT);
    expect(addressOf(`${caller}, ${cloudFront}`, KEY)).toBe("refused");
  });
});

describe("a request to a deployment without CloudFront", () => {
  it("has the address of API Gateway's client, whatever it contains", () => {
    vi.stubEnv(env.callsGateway, "on");
    for (const forwarded of [undefined, "", chosen, `${chosen}, ${cloudFront}`]) {
      for (const key of [undefined, "undefined", KEY]) expect(addressOf(forwarded, key, caller)).toBe(caller);
    }
  });
});

describe("a request that bypasses CloudFront", () => {
  it.each([undefined, "", "guessed", `${KEY},${KEY}`, `${KEY} `, KEY.toLowerCase()])("is refused with the key %j", (key) => {
    vi.stubEnv(env.edgeKeys, KEY);
    expect(addressOf(`${chosen}, ${caller}`, key)).toBe("refused");
  });

  it("has the address of API Gateway's client in the log, whatever the caller sends", () => {
    vi.stubEnv(env.edgeKeys, KEY);
    const event = { headers: { "x-forwarded-for": `${chosen}, ${caller}` }, multiValueHeaders: {} };
    expect(passEdge(event)).toEqual({ address: caller, isAdmitted: false });
  });

  it("passes if there is no distribution, with the last address, which the front server appends", () => {
    expect(addressOf(`${chosen}, 127.0.0.1`)).toBe("127.0.0.1");
    expect(addressOf(`${chosen}, 127.0.0.1`, "undefined")).toBe("127.0.0.1");
    expect(addressOf(undefined)).toBe("");
    // The local engine takes its client's address from the first entry.
    expect(addressOf(`${chosen}, 127.0.0.1`, undefined, chosen)).toBe("127.0.0.1");
  });
});
