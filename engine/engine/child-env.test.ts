import path from "node:path";
import { describe, expect, it } from "vitest";
import { childEnv } from "./child-env.ts";

describe("childEnv", () => {
  it("the environment contains nothing of the terminal's cloud account", () => {
    const env = childEnv(
      { HOME: "/h", AWS_PROFILE: "work", AWS_SESSION_TOKEN: "x", GITHUB_TOKEN: "y", PIP_INDEX_URL: "z" },
      { EXTRA: "1" },
    );
    expect(env).toEqual({ PATH: path.dirname(process.execPath), HOME: "/h", PIP_INDEX_URL: "z", EXTRA: "1" });
  });

  it("the directory of the running Node is first on PATH", () => {
    expect(childEnv({ PATH: "/usr/bin" }, {})["PATH"]).toBe(`${path.dirname(process.execPath)}:/usr/bin`);
  });
});
