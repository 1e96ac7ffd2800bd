import { describe, expect, it } from "vitest";
import { addressOf } from "./address.ts";

const signature = "ab".repeat(32);
const at = (url: string) => addressOf(new URL(url, "https://svc.example.com"));

describe("the address of a page", () => {
  it("gives a link's parts as the token that the API takes", () => {
    expect(at(`/approve/demo/0190/7/${signature}?approver=ann`)).toEqual({
      workspace: "demo",
      id: "0190",
      token: `7.${signature}.ann`,
      resumeId: 7,
    });
  });

  it("the token of a link without an approver name has an empty last part", () => {
    expect(at(`/approve/demo/0190/0/${signature}/`)?.token).toBe(`0.${signature}.`);
  });

  it("keeps a name whole, whatever stands in it", () => {
    expect(at(`/approve/demo/0190/1/${signature}?${new URLSearchParams({ approver: "a.b&c=d é" })}`)?.token).toBe(
      `1.${signature}.a.b&c=d é`,
    );
  });

  it("has no token where people come signed in", () => {
    expect(at("/approve/demo/0190")).toEqual({ workspace: "demo", id: "0190" });
  });

  it.each([
    "/",
    "/approve",
    "/approve/demo",
    "/approve/demo/1/x/y",
    "/approve/demo/1/2",
    `/approve/demo/1/2/${signature}/more`,
    "/docs/a/b",
  ])("is none at %s", (path) => {
    expect(at(path)).toBeUndefined();
  });
});
