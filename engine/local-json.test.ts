import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it } from "vitest";
import { type LocalJson, writeLocalJson } from "./local-json.ts";

it("local.json has the address of this start, and the account of an earlier start at another port", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "svc-local-json-"));
  const file = path.join(folder, "local.json");
  try {
    const before: LocalJson = { url: "http://127.0.0.1:8000", workspace: "demo", token: "token", email: "admin@example.com", password: "" };
    writeLocalJson("http://127.0.0.1:8001", before, file);
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ ...before, url: "http://127.0.0.1:8001" });
    expect(statSync(file).mode & 0o777).toBe(0o600);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
