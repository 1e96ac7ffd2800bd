import { describe, expect, it } from "vitest";
import { INSTANCE } from "../../contract/common.ts";
import { buildArtefactKey } from "../builds/build.ts";
import { findQueueWorkspace, findWorkspace, keys } from "./keys.ts";

const WS = "my-ws";
const target = { os: "linux", arch: "x64", python: "3.14", node: "24" } as const;
const artefact = buildArtefactKey(WS, { language: "bash", files: {}, entry: "f/a/b", target });

/** Kinds that belong to the instance or to a person. */
const others = [
  "workspace",
  "deletedWorkspace",
  "user",
  "oldUser",
  "instanceGroup",
  "instanceGroupRole",
  "instanceSetting",
  "endedIndex",
  "failedItem",
  "taskCursor",
  "token",
  "userToken",
  "tokenExpiry",
  "tokenExpiryIndex",
  "loginKey",
  "idTokenKey",
  "accountKey",
  "dueRefresh",
  "usedLogin",
  "deviceGrant",
  "deviceUserCode",
  "signInAttempts",
  "publicKey",
  "idempotency",
  "retry",
  "release",
  "removal",
  "polledQueue",
  "connection",
  "mailbox",
  "routesAt",
  "openStream",
];

describe("workspaceOf", () => {
  it.each(Object.keys(keys))("the workspace of %s is known, so that deleting a workspace removes exactly its items", (kind) => {
    const make = keys[kind as keyof typeof keys] as (...parts: unknown[]) => { pk: string };
    const [first, second, ...more] = kind === "artefact" ? [artefact] : [WS, "f/a/b", kind === "history" ? 7 : "x", "y"];
    expect(findWorkspace(make(first, second, ...more).pk)).toBe(others.includes(kind) ? undefined : WS);
  });

  it("items of the instance belong to no workspace, so no deletion removes them", () => {
    expect([keys.outbox(INSTANCE, "x"), keys.endpoint(INSTANCE, "x")].map(({ pk }) => findWorkspace(pk))).toEqual([undefined, undefined]);
  });

  it("the workspace of an item in the shared queue is part of its sort key", () => {
    expect(findQueueWorkspace(keys.retry(7, WS, "notice", "topic"))).toBe(WS);
    expect(findQueueWorkspace(keys.dueRefresh(7, WS, 1))).toBe(WS);
    expect(findQueueWorkspace(keys.release(WS, "trigger"))).toBe(WS);
    expect(findQueueWorkspace(keys.removal(WS, "person"))).toBe(WS);
    expect(findQueueWorkspace(keys.polledQueue(WS, "trigger"))).toBe(WS);
    // A request to remove the mapping of a queue remains until it is carried out, also after the purge of its workspace.
    expect(findQueueWorkspace(keys.connection(WS, "queue#q"))).toBeUndefined();
    expect(findQueueWorkspace(keys.folder(WS, "f"))).toBeUndefined();
  });
});
