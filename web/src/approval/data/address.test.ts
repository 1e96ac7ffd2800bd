import { describe, expect, it } from "vitest";
import { addressOf } from "./address.ts";

const signature = "ab".repeat(32);
const at = (url: string) => addressOf(new URL(url, "https://svc.example.com"));

describe("the URL of an approval page", () => {
  it("the parts of a link form the token that the API accepts", () => {
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

  it("the name of an approver may contain any character", () => {
    expect(at(`/approve/demo/0190/1/${signature}?${new URLSearchParams({ approver: "a.b&c=d é" })}`)?.token).toBe(
      `1.${signature}.a.b&c=d é`,
    );
  });

  it("the page of signed-in users has no token", () => {
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
  ])("the URL %s contains no request", (path) => {
    expect(at(path)).toBeUndefined();
  });
});
