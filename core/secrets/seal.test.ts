import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { importSecret, openSecret } from "./open.ts";
import { createExportKey, createExportNonce, exportSecret, readKeyVersion, sealSecret } from "./seal.ts";

const key = randomBytes(32);
const place = { workspace: "w", path: "f/a/b" };

describe("sealed values", () => {
  it("open where they were sealed, whatever they contain, and name the version of their key", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 200 }), fc.integer({ min: 1, max: 1e9 }), (value, version) => {
        const sealed = sealSecret({ version, key }, place, value);
        expect(openSecret(key, place, sealed)).toBe(value);
        expect(readKeyVersion(sealed)).toBe(version);
      }),
    );
  });

  it("do not open at another path, in another workspace, or under another key", () => {
    const sealed = sealSecret({ version: 1, key }, place, "value");
    expect(() => openSecret(key, { ...place, path: "f/a/c" }, sealed)).toThrow();
    expect(() => openSecret(key, { ...place, workspace: "x" }, sealed)).toThrow();
    expect(() => openSecret(randomBytes(32), place, sealed)).toThrow();
    // Joined by a slash, these two would be equal.
    expect(() => openSecret(key, { workspace: "w/f", path: "a/b" }, sealed)).toThrow();
  });

  it("do not open after a change of any byte", () => {
    const sealed = sealSecret({ version: 1, key }, place, "some value");
    const [head = "", version = "", body = ""] = sealed.split(":");
    const bytes = Buffer.from(body, "base64");
    for (let at = 0; at < bytes.length; at += 1) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(() => openSecret(key, place, `${head}:${version}:${changed.toString("base64")}`)).toThrow();
    }
    expect(() => readKeyVersion("plain text")).toThrow();
  });

  it("are different each time", () => {
    expect(sealSecret({ version: 1, key }, place, "v")).not.toBe(sealSecret({ version: 1, key }, place, "v"));
  });
});

describe("exported values", () => {
  it("are standard base64 of a multiple of 16 bytes, and can be imported with the same key", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 100 }), fc.string({ minLength: 32 }), (value, exportKey) => {
        const nonce = createExportNonce();
        const exported = exportSecret(exportKey, value, nonce);
        expect(exported).toMatch(/^[A-Za-z0-9+/]+={0,2}$/);
        expect(Buffer.from(exported, "base64").length % 16).toBe(0);
        expect(Buffer.from(exported, "base64").toString("base64")).toBe(exported);
        expect(importSecret(exportKey, exported)).toEqual({ value, nonce });
        expect(importSecret(`${exportKey}x`, exported)).toBeUndefined();
      }),
    );
  });

  it("are equal for equal nonces, and differ without a nonce", () => {
    const nonce = createExportNonce();
    expect(exportSecret("k", "v", nonce)).toBe(exportSecret("k", "v", nonce));
    expect(exportSecret("k", "v")).not.toBe(exportSecret("k", "v"));
  });

  it("are distinguished from any other text", () => {
    fc.assert(fc.property(fc.string(), (text) => importSecret("k", text) === undefined));
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1 }), (bytes) => importSecret("k", Buffer.from(bytes).toString("base64")) === undefined),
    );
    const exported = Buffer.from(exportSecret("k", "value"), "base64");
    for (let at = 0; at < exported.length; at += 1) {
      const changed = Buffer.from(exported);
      changed[at] = (changed[at] ?? 0) ^ 0x80;
      expect(importSecret("k", changed.toString("base64"))).toBeUndefined();
    }
  });

  it("have keys of 64 letters and digits", () => {
    const keys = Array.from({ length: 100 }, createExportKey);
    for (const one of keys) expect(one).toMatch(/^[A-Za-z0-9]{64}$/);
    expect(new Set(keys).size).toBe(100);
  });
});
