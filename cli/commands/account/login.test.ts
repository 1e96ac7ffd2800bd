import { describe, expect, it } from "vitest";
import { serviceAt } from "./login.ts";

describe("the address of a service", () => {
  it.each([
    ["https://svc.example.com/docs?x=1", "https://svc.example.com"],
    ["http://localhost:8000", "http://localhost:8000"],
    ["https://a1b2.execute-api.eu-west-1.amazonaws.com/prod/device", "https://a1b2.execute-api.eu-west-1.amazonaws.com/prod"],
    ["https://a1b2.execute-api.eu-west-1.amazonaws.com", "https://a1b2.execute-api.eu-west-1.amazonaws.com"],
    ["https://a1b2.execute-api.eu-west-1.amazonaws.com.evil.example/prod", "https://a1b2.execute-api.eu-west-1.amazonaws.com.evil.example"],
  ])("is the address of its page %s without the path but with the stage of API Gateway", (page, service) => {
    expect(serviceAt(new URL(page))).toBe(service);
  });
});
