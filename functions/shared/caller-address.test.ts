import { afterEach, describe, expect, it, vi } from "vitest";
import { EDGE_KEY_HEADER, env } from "../../contract/env.ts";
import { takeCallerAddress } from "./caller-address.ts";

const KEY = "b3c5d6e0-0000-11ee-8c90-0242ac120002";
const addressOf = (forwarded: string | undefined, key?: string) => {
  const event = {
    headers: {
      ...(forwarded === undefined ? {} : { "x-forwarded-for": forwarded }),
      ...(key === undefined ? {} : { [EDGE_KEY_HEADER]: key }),
    },
    multiValueHeaders: { ...(key === undefined ? {} : { [EDGE_KEY_HEADER]: [key] }) },
  };
  const address = takeCallerAddress(event);
  expect(JSON.stringify(event)).not.toContain(EDGE_KEY_HEADER);
  return address;
};
afterEach(() => vi.unstubAllEnvs());

describe("the address of a caller", () => {
  const [caller, chosen, cloudFront] = ["203.0.113.9", "198.51.100.1", "130.176.0.1"];

  it("through CloudFront it is the entry before API Gateway's, whatever the caller sends", () => {
    vi.stubEnv(env.edgeKey, KEY);
    expect(addressOf(`${caller}, ${cloudFront}`, KEY)).toBe(caller);
    expect(addressOf(`${chosen}, ${chosen},${caller},${cloudFront}`, KEY)).toBe(caller);
  });

  it("in a direct call of API Gateway it is the last entry, and a caller without the key cannot pretend otherwise", () => {
    vi.stubEnv(env.edgeKey, KEY);
    for (const key of [undefined, "", "guessed", `${KEY},${KEY}`]) {
      expect(addressOf(caller, key)).toBe(caller);
      expect(addressOf(`${chosen}, ${caller}`, key)).toBe(caller);
    }
  });

  it("locally it is the entry of the front server", () => {
    expect(addressOf(`${chosen}, 127.0.0.1`)).toBe("127.0.0.1");
    expect(addressOf(`${chosen}, 127.0.0.1`, "undefined")).toBe("127.0.0.1");
    expect(addressOf(undefined)).toBe("");
  });
});
