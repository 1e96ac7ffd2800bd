import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { EDGE_CODE } from "./edge-function.ts";

const run = (request: object) =>
  runInNewContext(`${EDGE_CODE}; handler(${JSON.stringify({ context: { eventType: "viewer-request" }, request })})`) as {
    statusCode?: number;
    headers: Record<string, { value: string }>;
  };
const sentHeaders = { host: { value: "svc.example.com" }, cookie: { value: "token=a" }, authorization: { value: "Bearer b" } };

describe("the CloudFront function of uploads", () => {
  it("passes a PUT on under its path in the bucket, with its query, and without cookies and tokens", () => {
    const request = {
      method: "PUT",
      uri: "/upload/files/w/u/ann/a%20b%2Fc.csv",
      querystring: { "X-Amz-Signature": { value: "a%2Fb" } },
      headers: { ...sentHeaders, "content-type": { value: "text/csv" } },
      cookies: { token: { value: "a" } },
    };
    expect(run(request)).toEqual({
      ...request,
      uri: "/files/w/u/ann/a%20b%2Fc.csv",
      headers: { host: sentHeaders.host, "content-type": { value: "text/csv" } },
      cookies: {},
    });
  });

  it.each(["GET", "HEAD", "POST", "DELETE", "OPTIONS", "PATCH", "put"])("answers %s itself, so that no stored page is shown", (method) => {
    const reply = run({ method, uri: "/upload/files/w/page.html", querystring: {}, headers: sentHeaders, cookies: {} });
    expect(reply).toMatchObject({
      statusCode: 405,
      headers: { allow: { value: "PUT" }, "content-type": { value: expect.stringMatching(/^text\/plain/) } },
    });
    expect(reply).not.toHaveProperty("uri");
  });

  it("is small enough for CloudFront", () => {
    expect(EDGE_CODE.length).toBeLessThan(10 * 1024);
  });
});
