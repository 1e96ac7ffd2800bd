/// <reference types="vite/types/importMeta.d.ts" />
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { INSTANCE } from "../contract/common.ts";
import { buildArtefactKey } from "./builds/build.ts";
import type { AnyObjectKind } from "./objects/define-object.ts";
import { defineKindObject } from "./objects/kind-object.ts";
import { simpleObject } from "./objects/simple-object.ts";
import { findWorkspace, storedObjects } from "./stored-objects.ts";

const WS = "my-ws";
const target = { os: "linux", arch: "x64", python: "3.14", node: "24" } as const;
const artefact = buildArtefactKey(WS, { language: "bash", files: {}, entry: "f/a/b", target });

/** Kinds whose items belong to the instance or to a person, or whose value names the workspace. */
const others: ReadonlySet<string> = new Set([
  "workspace",
  "deleted workspace",
  "user",
  "preferences",
  "group of the instance",
  "role of a group",
  "setting of the instance",
  "start of the index of ended jobs",
  "failed item",
  "place of a task",
  "token",
  "token of a user",
  "expiry of a token",
  "progress of the index of expiries",
  "key of sign-ins",
  "key of ID tokens",
  "key of accounts",
  "completed sign-in",
  "request of a device",
  "code of a device",
  "sign-in attempts",
  "public key",
  "idempotency key",
  "source that is to be checked",
  "mail address of a trigger",
  "routes at an address",
  "open stream",
  "link of a chat account",
  "chat account",
  "chat account of a user",
]);
/** Kinds in a partition that all workspaces share, with the parts of a key. */
const queues: Readonly<Record<string, unknown[]>> = {
  "due attempt": [7, WS, "notice", "topic"],
  "due refresh": [7, WS, 1],
  "due rotation": [7, WS],
};

const kinds = storedObjects.map((kind) => [kind.name, kind] as const);
const keyOf = ({ key, name }: (typeof storedObjects)[number]) => {
  const parts = name === "artefact" ? [artefact] : (queues[name] ?? [WS, "f/a/b", /history of a script/.test(name) ? 7 : "x", "y"]);
  return (key as (...parts: unknown[]) => { pk: string; sk: string })(...parts);
};

describe("a kind of stored objects", () => {
  it("is in the list of all kinds", async () => {
    const modules = Object.values(import.meta.glob<Record<string, unknown>>(["./**/*.ts", "!./**/*.test.ts"]));
    const exported = (await Promise.all(modules.map((load) => load()))).flatMap((module) => Object.values(module));
    const isKind = (value: unknown): value is AnyObjectKind => typeof value === "object" && value !== null && "leadingKeys" in value;
    const defined = exported.filter(isKind).map((kind) => (kind.partition === simpleObject.partition ? simpleObject : kind));
    expect(new Set(defined)).toEqual(new Set(storedObjects));
  });

  it("has a name and keys that no other kind has", () => {
    expect(new Set(storedObjects.map(({ name }) => name)).size).toBe(storedObjects.length);
    const keys = storedObjects.map((kind) => JSON.stringify(keyOf(kind)));
    expect(keys.filter((key, index) => keys.indexOf(key) !== index)).toEqual([]);
  });

  it.each(kinds)("has items whose workspace is known, so that deleting a workspace removes exactly its items: %s", (name, kind) => {
    expect(kind.workspaceOf(keyOf(kind))).toBe(others.has(name) ? undefined : WS);
    expect(findWorkspace(keyOf(kind))).toBe(others.has(name) ? undefined : WS);
  });

  it("has items of a workspace if it is one of the kinds at paths that share the first part of their partition keys", () => {
    const kind = defineKindObject("schedule", z.object({ text: z.string() }));
    expect(kind.key(WS, "f/a/b")).toEqual({ pk: "SIMPLE#my-ws#schedule", sk: "f/a/b" });
    expect(findWorkspace(kind.key(WS, "f/a/b"))).toBe(WS);
    expect(kind.leadingKeys).toBe("SIMPLE#*#schedule");
    expect(kind.parse({ ...kind.key(WS, "f/a/b"), value: { text: "a" } })).toEqual({ text: "a" });
    expect(() => kind.parse({ ...kind.key(WS, "f/a/b"), value: {} })).toThrow("f/a/b");
  });

  it("belongs to no workspace if it is the instance's, so no deletion removes it", () => {
    expect([`OUTBOX#${INSTANCE}`, `ENDPOINT#${INSTANCE}`].map((pk) => findWorkspace({ pk, sk: "x" }))).toEqual([undefined, undefined]);
  });
});
