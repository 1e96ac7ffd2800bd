import { randomUUID } from "node:crypto";
import path from "node:path";
import { DeleteCommand, PutCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { documents } from "../../../aws/sdk/clients.ts";
import { type Anchor, type ApprovalEntry, computeAnchorHash } from "../../../contract/approval-record.ts";
import { env, requireEnv } from "../../../contract/env.ts";
import type { ApprovalAuditPage, VerifiedRecord } from "../../../contract/routes/approvals/approval-records.ts";
import { anchorObject } from "../../../core/approvals/anchor.ts";
import { appendEntry, approvalEntryObject, type EntryContent } from "../../../core/approvals/record.ts";
import type { ObjectKey } from "../../../core/objects/write.ts";
import { runCommand } from "../../../engine/commands/command.ts";
import { root as checkout } from "../../../engine/paths.ts";
import { aRecorded } from "../../../test/builders/approvals.ts";
import { member } from "../../../test/support/api/people.ts";
import { expectStatus, newWorkspace, type Workspace } from "../../../test/support/api/workspace.ts";
import { type Server, type Service, serve, startService } from "../../../test/support/use-cases/service.ts";
import { commitParts } from "../../outbox/commit-parts.ts";
import { buildEntryParts } from "./append.ts";

let service: Service;
/** Serves the service to programs. */
let server: Server;
beforeAll(async () => {
  service = await startService(["approve", "objects", "people"]);
  server = await serve(service);
});
afterAll(async () => {
  server?.close();
  await service?.close();
});

async function record(recorded: EntryContent): Promise<void> {
  const { objects } = service.world.deps;
  while (!(await commitParts(objects, await buildEntryParts({ objects }, recorded)))) {}
}

const DAY_MS = 24 * 3600 * 1000;
/** Noon of this day (UTC), so that no hour before or after it belongs to another day. */
const startMs = Math.floor(Date.now() / DAY_MS) * DAY_MS + DAY_MS / 2;
let days = 0;
const tick = () => service.housekeep((startMs + days * DAY_MS - Date.now()) / 1000);
/** Housekeeping on the next day. */
const nextDay = () => {
  days += 1;
  return tick();
};

const workspace = () => newWorkspace(service.api);
/** A run in which so many things were decided, a second apart. */
async function run(ws: Workspace, many: number, change: Partial<EntryContent> = {}): Promise<string> {
  const first = aRecorded({ workspace: ws.id, atMs: startMs - 3600_000, ...change });
  for (let n = 0; n < many; n += 1) await record({ ...first, gate: randomUUID(), atMs: first.atMs + n * 1000, reason: `reason ${n + 1}` });
  return first.root;
}
const verified = async (ws: Workspace, query = {}) => expectStatus(await ws.get("approvals/verify", query), 200).json as VerifiedRecord;
const audit = async (ws: Workspace, query = {}) => expectStatus(await ws.get("approvals/audit", query), 200).json as ApprovalAuditPage;
const anchorsOf = async (ws: Workspace) =>
  (expectStatus(await ws.get("approvals/anchors"), 200).json as { anchors: (Anchor & { signature: string })[] }).anchors;
const chainOf = async (ws: Workspace, of: string) => (await audit(ws, { run: of })).entries.toReversed();

const TableName = () => requireEnv(env.objectsTable);
const remove = ({ pk, sk }: ObjectKey) => documents().send(new DeleteCommand({ TableName: TableName(), Key: { pk, sk } }));
const put = (key: ObjectKey, v: object) => documents().send(new PutCommand({ TableName: TableName(), Item: { ...key, v } }));
const setReason = (Key: ObjectKey, reason: string) =>
  documents().send(
    new UpdateCommand({
      TableName: TableName(),
      Key,
      UpdateExpression: "SET v.reason = :reason",
      ExpressionAttributeValues: { ":reason": reason },
    }),
  );
/** A run's chain from entry `n` on, as forged by an attacker with full write access. */
async function rewriteChain(ws: Workspace, of: string, n: number): Promise<void> {
  const chain = await chainOf(ws, of);
  let previous = chain[n - 2];
  for (const { n: at, prev: _, hash: __, ...recorded } of chain.slice(n - 1)) {
    previous = appendEntry(previous, at === n ? { ...recorded, reason: "another" } : recorded);
    await put(approvalEntryObject.key(ws.id, of, at), previous);
  }
}

describe("the record of approvals", () => {
  it("each run has one chain, even with simultaneous decisions", async () => {
    const ws = await workspace();
    const first = aRecorded({ workspace: ws.id, atMs: Date.now() });
    const other = run(ws, 2);
    await Promise.all(Array.from({ length: 8 }, (_, n) => record({ ...first, gate: randomUUID(), reason: `${n}` })));
    await other;
    const chain = await chainOf(ws, first.root);
    expect(chain.map(({ n }) => n)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(new Set(chain.map(({ reason }) => reason)).size).toBe(8);
    expect(await verified(ws)).toEqual({ ok: true, runs: 2, entries: 10, faults: [], anchors: { count: 0, signatures: 0 } });
  });

  it("the record is listed newest first, filtered by run, gate and time, in pages", async () => {
    const ws = await workspace();
    const yesterday = await run(ws, 3, { atMs: startMs - 2 * DAY_MS });
    const today = await run(ws, 3, { atMs: startMs - 4000 });
    const all = (await audit(ws)).entries;
    const order = (entries: ApprovalEntry[]) => entries.map(({ root, n }) => [root, n]);
    expect(order(all)).toEqual([...[3, 2, 1].map((n) => [today, n]), ...[3, 2, 1].map((n) => [yesterday, n])]);
    expect((await audit(ws, { run: yesterday })).entries).toEqual(all.slice(3));
    expect((await audit(ws, { gate: all[4]?.gate ?? "" })).entries).toEqual([all[4]]);
    const at = (n: number) => new Date(all[n]?.atMs ?? 0).toISOString();
    expect((await audit(ws, { before: at(1), after: at(4) })).entries).toEqual(all.slice(1, 4));
    const pages: ApprovalEntry[][] = [];
    for (let before: string | undefined = "2999-01-01T00:00:00Z"; before !== undefined; ) {
      const page: ApprovalAuditPage = await audit(ws, { before, per_page: 2 });
      pages.push(page.entries);
      before = page.before;
    }
    expect(pages.map(({ length }) => length)).toEqual([2, 2, 2]);
    expect(pages.flat()).toEqual(all);
  });

  it("the record is available as CSV without formulas", async () => {
    const ws = await workspace();
    await record(aRecorded({ workspace: ws.id, reason: '=HYPERLINK("http://x","y")' }));
    const answer = expectStatus(await ws.get("approvals/audit", { format: "csv" }), 200);
    expect(answer.headers.get("content-type")).toBe("text/csv; charset=utf-8");
    const [head, row] = answer.text.split("\r\n");
    expect(head).toMatch(/^at,run,flow,/);
    expect(row).toContain(`"'=HYPERLINK(""http://x"",""y"")"`);
  });

  it("only admins of the workspace can read the record, also with a token for approvals", async () => {
    const ws = await workspace();
    const [developer, admin] = [await member(ws, "dev"), await member(ws, "adm", "admin")];
    const token = async (scopes: string[]) =>
      expectStatus(await admin.api.post("users/tokens/create", { label: "t", scopes, workspace_id: ws.id }), 201).text;
    const [reads, other] = [await token(["approvals:read"]), await token(["audit:read"])];
    for (const route of ["approvals/audit", "approvals/verify", "approvals/anchors"]) {
      const status = async (bearer: string) => (await ws.call("GET", route, { token: bearer })).status;
      expect([route, await status(admin.api.token), await status(reads)]).toEqual([route, 200, 200]);
      expect([route, await status(developer.api.token), await status(other)]).toEqual([route, 403, 403]);
    }
  });
});

describe("signed heads", () => {
  it("the heads of past days are signed once a day, even by two simultaneous calls", async () => {
    const ws = await workspace();
    const [first, second] = [await run(ws, 2), await run(ws, 1)];
    await tick();
    expect(await anchorsOf(ws)).toEqual([]);
    days += 1;
    await Promise.all([tick(), tick()]);
    await tick();
    expect((await anchorsOf(ws)).length).toBe(1);
    await record({ ...aRecorded({ workspace: ws.id, root: first }), atMs: startMs + days * DAY_MS });
    await nextDay();
    const anchors = await anchorsOf(ws);
    expect(anchors.map(({ n, heads, signature }) => ({ n, heads: heads.map(({ root, n }) => [root, n]).sort(), signature }))).toEqual([
      {
        n: 1,
        heads: [
          [first, 2],
          [second, 1],
        ].sort(),
        signature: "valid",
      },
      { n: 2, heads: [[first, 3]], signature: "valid" },
    ]);
    expect(await verified(ws)).toMatchObject({ ok: true, anchors: { count: 2, signatures: 2 } });
    expect(await verified(ws, { run: second })).toMatchObject({ ok: true, runs: 1, entries: 1, anchors: { count: 1 } });
  });
});

/** Runs the command from the sources, as an auditor does who does not trust the program that the service serves. */
const verifyAudit = (...args: string[]) => runCommand(process.execPath, [path.join(checkout, "cli/main.ts"), "audit", "verify", ...args]);

describe("manipulated records", () => {
  /** The faults that the service finds, and those that the command finds by itself. */
  async function faults(ws: Workspace) {
    const { ok, faults } = await verified(ws);
    expect(ok).toBe(faults.length === 0);
    const { code, output } = await verifyAudit("--url", server.url, "--token", service.api.token, "--workspace", ws.id);
    expect(code, output).toBe(faults.length === 0 ? 0 : 1);
    return { faults, output };
  }

  it("a missing completion changes nothing", async () => {
    const ws = await workspace();
    await Promise.all([run(ws, 3), run(ws, 1)]);
    await nextDay();
    const { faults: found, output } = await faults(ws);
    expect(found).toEqual([]);
    expect(output).toMatch(/^4 entries of 2 runs, 1 anchors, signed to \d{4}-\d\d-\d\d\.\nThe record is intact\.$/m);
  });

  it("a changed, removed or damaged entry is found", async () => {
    for (const [tamper, why, says] of [
      [(key: ObjectKey) => setReason(key, "never said"), "changed", "does not match its hash"],
      [remove, "missing", "is missing"],
      [(key: ObjectKey) => put(key, { n: "two" }), "changed", "is missing"],
    ] as const) {
      const ws = await workspace();
      const [hit, spared] = [await run(ws, 3), await run(ws, 2)];
      await tamper(approvalEntryObject.key(ws.id, hit, 2));
      const { faults: found, output } = await faults(ws);
      expect(found).toEqual([{ run: hit, n: 2, why }]);
      expect(output).toContain(`Run ${hit}, entry 2 ${says}.`);
      expect(await verified(ws, { run: hit })).toMatchObject({ ok: false, faults: [{ n: 2 }] });
      expect(await verified(ws, { run: spared })).toMatchObject({ ok: true, runs: 1, entries: 2 });
    }
  });

  it("the signed heads show that a chain was truncated, removed or computed again", async () => {
    const ws = await workspace();
    const [cut, gone, rewritten, spared] = [await run(ws, 3), await run(ws, 1), await run(ws, 3), await run(ws, 2)];
    await nextDay();
    await remove(approvalEntryObject.key(ws.id, cut, 3));
    await remove(approvalEntryObject.key(ws.id, gone, 1));
    await rewriteChain(ws, rewritten, 2);
    const { faults: found, output } = await faults(ws);
    const expected = [
      { run: cut, n: 3, why: "head" },
      { run: gone, n: 1, why: "head" },
      { run: rewritten, n: 3, why: "head" },
    ];
    expect(found.toSorted((a, b) => (`${a.run}` < `${b.run}` ? -1 : 1))).toEqual(expected.toSorted((a, b) => (a.run < b.run ? -1 : 1)));
    for (const { run, n } of expected) expect(output).toContain(`Run ${run}, entry ${n} was signed but is missing or was changed.`);
    expect(output).not.toContain(spared);
  });

  it("the signature shows that the signed heads were computed again", async () => {
    const ws = await workspace();
    const rewritten = await run(ws, 2);
    await nextDay();
    await rewriteChain(ws, rewritten, 1);
    const anchors = await anchorsOf(ws);
    const { hash = "" } = (await chainOf(ws, rewritten))[1] ?? {};
    const { mac = "", key = "", ...anchor } = { ...anchors[0], heads: [{ root: rewritten, n: 2, hash }] } as Anchor;
    await put(anchorObject.key(ws.id, 1), { ...anchor, hash: computeAnchorHash(anchor), mac, key });
    const { faults: found, output } = await faults(ws);
    expect(found).toEqual([{ n: 1, why: "signature" }]);
    expect(output).toContain("Anchor 1 has an invalid signature.");
  });
});
