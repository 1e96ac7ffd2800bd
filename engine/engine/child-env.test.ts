import path from "node:path";
import { describe, expect, it } from "vitest";
import { childEnv } from "./child-env.ts";

describe("childEnv", () => {
  it("lets nothing of the terminal's own cloud account pass", () => {
    const env = childEnv(
      { HOME: "/h", AWS_PROFILE: "work", AWS_SESSION_TOKEN: "x", GITHUB_TOKEN: "y", PIP_INDEX_URL: "z" },
      { EXTRA: "1" },
    );
    expect(env).toEqual({ PATH: path.dirname(process.execPath), HOME: "/h", PIP_INDEX_URL: "z", EXTRA: "1" });
  });

  it("puts the Node that runs this first on PATH", () => {
    expect(childEnv({ PATH: "/usr/bin" }, {})["PATH"]).toBe(`${path.dirname(process.execPath)}:/usr/bin`);
  });
});
