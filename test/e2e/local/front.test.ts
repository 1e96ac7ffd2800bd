import { describe, expect, it } from "vitest";
import { api } from "../../support/api/api.ts";

describe("the instance", () => {
  it("the root URL returns the version without a token", async () => {
    const answer = await api().call("GET", "version", { token: "" });
    expect(answer.status).toBe(200);
    expect(answer.text).toMatch(/^\w+ v\d+\.\d+\.\d+/);
    expect(answer.headers.get("content-type")).toMatch(/^text\/plain/);
  });

  it("an unknown URL returns an error in plain text with a code", async () => {
    const answer = await api().get("nothing/here");
    expect(answer.status).toBe(404);
    expect(answer.headers.get("content-type")).toMatch(/^text\/plain/);
    expect(answer.headers.get("x-svc-error")).toBe("route.unknown");
  });
});
