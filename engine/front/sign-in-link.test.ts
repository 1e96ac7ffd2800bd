import type { ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import { createSignInLink } from "./sign-in-link.ts";

/** A response that records what is written to it. */
function recordedResponse() {
  const written: { status?: number; headers?: Record<string, string> } = {};
  const response = {
    writeHead: (status: number, headers: Record<string, string>) => Object.assign(written, { status, headers }),
    end: () => {},
  } as unknown as ServerResponse;
  return { written, response };
}

describe("the link of npm run up", () => {
  it("signs a browser in once", () => {
    const link = createSignInLink();
    const path = link.create("secret-token");
    const [first, second] = [recordedResponse(), recordedResponse()];
    expect(link.answer(path, first.response)).toBe(true);
    expect(first.written).toMatchObject({
      status: 303,
      headers: { location: "/login", "set-cookie": "token=secret-token; Path=/; HttpOnly; SameSite=Lax", "referrer-policy": "no-referrer" },
    });
    expect(link.answer(path, second.response)).toBe(true);
    expect(second.written.headers).toMatchObject({ location: "/login?link=used" });
    expect(second.written.headers).not.toHaveProperty("set-cookie");
  });

  it("is replaced by a newer one, and no other code works", () => {
    const link = createSignInLink();
    const older = link.create("a");
    link.create("b");
    for (const path of [older, "/local/sign-in/", "/local/sign-in/x"]) {
      const { written, response } = recordedResponse();
      expect(link.answer(path, response)).toBe(true);
      expect(written.headers).not.toHaveProperty("set-cookie");
    }
  });

  it("leaves every other address to the service", () => {
    expect(createSignInLink().answer("/login", recordedResponse().response)).toBe(false);
  });
});
