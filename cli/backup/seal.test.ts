import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { openKey, openSettings, readOpenKey, readSealKey, sealKey, sealSettings } from "./seal.ts";

const folder = mkdtempSync(join(tmpdir(), "svc-seal-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const write = (name: string, text: string) => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
const publicText = (key: KeyObject) => key.export({ type: "spki", format: "pem" }).toString();
const privateText = (key: KeyObject) => key.export({ type: "pkcs8", format: "pem" }).toString();
const pair = generateKeyPairSync("x25519");
const KEY = "the-encryption-key-of-a-workspace-0";

describe("the sealed key of a workspace's secrets", () => {
  it("opens only with the private key, and only for its workspace", async () => {
    const sealed = await sealKey(readSealKey(write("own.pub", publicText(pair.publicKey))), "ops", KEY);
    expect(sealed).not.toContain(Buffer.from(KEY).toString("base64url"));
    const own = readOpenKey(write("own.key", privateText(pair.privateKey)));
    expect(await openKey(own, "ops", sealed)).toBe(KEY);
    await expect(openKey(generateKeyPairSync("x25519").privateKey, "ops", sealed)).rejects.toThrow("cannot be opened");
    await expect(openKey(own, "other", sealed)).rejects.toThrow("The secrets of the workspace other cannot be opened");
  });

  it("cannot replace settings, and settings cannot replace a key or the settings of another scope", async () => {
    const settings = { webhook: "https://hooks.example.com/secret" };
    const sealed = (await sealSettings(pair.publicKey, "ops", settings)) ?? "";
    expect(await openSettings(pair.privateKey, "ops", sealed)).toEqual(settings);
    await expect(openKey(pair.privateKey, "ops", sealed)).rejects.toThrow("cannot be opened");
    await expect(openSettings(pair.privateKey, "", sealed)).rejects.toThrow("The settings of the instance cannot be opened");
    const key = await sealKey(pair.publicKey, "ops", KEY);
    await expect(openSettings(pair.privateKey, "ops", key)).rejects.toThrow("The settings of the workspace ops cannot be opened");
    expect(await sealSettings(pair.publicKey, "ops", {})).toBeUndefined();
  });

  it("is different each time, and a change of any byte is detected", async () => {
    const sealed = await sealKey(pair.publicKey, "ops", KEY);
    expect(await sealKey(pair.publicKey, "ops", KEY)).not.toBe(sealed);
    for (const at of [5, Math.floor(sealed.length / 2), sealed.length - 5]) {
      const changed = `${sealed.slice(0, at)}${sealed[at] === "A" ? "B" : "A"}${sealed.slice(at + 1)}`;
      await expect(openKey(pair.privateKey, "ops", changed)).rejects.toThrow("cannot be opened");
    }
  });

  const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
  it.each([
    ["a private key in place of the public one", privateText(pair.privateKey), readSealKey, "contains a private key"],
    ["a key of another kind", publicText(rsa.publicKey), readSealKey, "is no X25519 key"],
    ["a public key in place of the private one", publicText(pair.publicKey), readOpenKey, "is no X25519 key"],
    ["no key", "-----BEGIN PRIVATE KEY-----\nsecret-part\n", readOpenKey, "is no X25519 key"],
  ])("is refused for %s, and the error contains no part of it", (name, text, read, sentence) => {
    const file = write(`${name}.pem`, text);
    expect(() => read(file)).toThrow(sentence);
    expect(() => read(file)).not.toThrow(text.split("\n")[1] ?? "");
    expect(() => read(join(folder, "absent.pem"))).toThrow("cannot be read: ENOENT");
  });
});
