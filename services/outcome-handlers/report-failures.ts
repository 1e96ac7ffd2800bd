import { randomUUID } from "node:crypto";
import { v7 as uuidv7 } from "uuid";
import { limits } from "../../contract/limits.ts";
import { receivesByUrl } from "../../contract/notices/channels.ts";
import type { FailureNoticeRule } from "../../contract/routes/workspaces/failure-notices.ts";
import { type EndedJob, type EndState, hasFlowPath, type Job } from "../../core/jobs/record/job.ts";
import { buildRunMail, type RunNotice } from "../../core/notifications/run-notice.ts";
import { noticeObject } from "../../core/notifications/stored-notice.ts";
import { type ObjectWrite, unchangedSince, write } from "../../core/objects/write.ts";
import {
  findDueReceivers,
  listReceivers,
  type NoticedFailures,
  noticedFailuresObject,
  type Receiver,
  type Reported,
  ruleMatches,
  summarizeError,
  toReported,
} from "../../core/outcome-handlers/failure-notices.ts";
import type { ObjectStore } from "../../ports/object-store.ts";
import { findRecipients } from "../notifications/recipients.ts";
import { buildMailWrite, MAIL_RETENTION_S } from "../outbox/mail.ts";
import type { Uses } from "../uses.ts";
import { loadFailureNotices } from "../workspaces/failure-notices.ts";
import { loadError } from "./load-outcome.ts";

/** The number of times that a report is tried while other runs of the same script or flow end. */
const TRIES = 10;
/** The retention of the record of notices after the last one, in seconds. */
const RETENTION_S = 400 * 24 * 3600;

const NONE: NoticedFailures = { receivers: {} };

/** Returns the rules of the workspace that the end of a job concerns. */
async function findRules(
  objects: Pick<ObjectStore, "get">,
  { workspace, path }: Pick<Job, "workspace" | "path">,
  outcome: Reported,
): Promise<FailureNoticeRule[]> {
  if (path === undefined) return [];
  const rules = await loadFailureNotices(objects, workspace);
  return rules.filter((rule) => ruleMatches(rule, path) && (outcome === "failed" || rule.on_recovery === true));
}

const recordKey = (job: Job) => noticedFailuresObject.key(job.workspace, hasFlowPath(job) ? "flow" : "script", job.path ?? "");

/** Returns whether the end of a job may have to be reported. A success is reported only after a reported failure. */
export async function mayReport(objects: Pick<ObjectStore, "get">, job: Job, state: EndState): Promise<boolean> {
  const outcome = toReported(state);
  if (!outcome || (await findRules(objects, job, outcome)).length === 0) return false;
  return outcome === "failed" || (await objects.get(recordKey(job))) !== undefined;
}

/**
 * Reports the end of a job to the receivers of the workspace's rules. The record of the notices and the notices are one transaction, so each receiver gets
 * one notice of a job however often this is called, and of a script or flow at most one failure in `limits.failureNoticeMs`.
 * A script or flow that is muted for the error handler is muted here too.
 */
export async function reportFailures(
  deps: Uses<"jobs" | "objects" | "storage" | "nowMs">,
  job: EndedJob,
  isMuted: () => Promise<boolean>,
): Promise<void> {
  const { objects, nowMs } = deps;
  const outcome = toReported(job.state);
  const rules = outcome ? await findRules(objects, job, outcome) : [];
  if (!outcome || rules.length === 0 || (await isMuted())) return;
  const receivers = await findReceivers(deps, job.workspace, rules);
  const key = recordKey(job);
  for (let tries = 0; tries < TRIES; tries += 1) {
    const found = await objects.get(key);
    const before = found ? noticedFailuresObject.parse(found) : NONE;
    const { due, noticed } = findDueReceivers(before, receivers, { outcome, job: job.id, atMs: nowMs() });
    if (due.length === 0) return;
    const expiresAtS = Math.ceil(nowMs() / 1000) + RETENTION_S;
    const record = write.put({ ...key, value: noticed, version: randomUUID(), expiresAtS }, found ? unchangedSince(found) : "absent");
    if ((await objects.transactWrite([record, ...(await buildNotices(deps, job, { outcome, due }))])) === undefined) return;
  }
  throw new Error(`The end of job ${job.id} could not be reported, because other runs of ${job.path} ended repeatedly.`);
}

/** Returns the receivers of some rules. Principals become the addresses of the people who are members now. */
async function findReceivers(deps: Uses<"objects">, workspace: string, rules: readonly FailureNoticeRule[]): Promise<Receiver[]> {
  const people = [...new Set(rules.flatMap(({ email }) => email ?? []))];
  const addresses = (await findRecipients(deps, { workspace, people })).slice(0, limits.noticeMails);
  return listReceivers(rules, addresses);
}

async function buildNotices(
  deps: Uses<"jobs" | "storage" | "nowMs">,
  job: EndedJob,
  { outcome, due }: { outcome: Reported; due: readonly Receiver[] },
): Promise<ObjectWrite[]> {
  const { workspace, id, path = "" } = job;
  const atMs = deps.nowMs();
  const error = outcome === "failed" ? { error: summarizeError(await loadError(deps, job)) } : {};
  const run = { workspace, what: outcome, job: id, path, isFlow: hasFlowPath(job), ...error };
  const people = due.flatMap(({ channel, to }) => (channel === "email" ? [to] : []));
  const mail = people.length === 0 ? [] : [buildMailWrite({ workspace, people, ...buildRunMail(run), atMs })];
  const notices = due.flatMap(({ channel, to }): RunNotice[] =>
    channel === "email" ? [] : [{ ...run, kind: "run", id: uuidv7(), channel, ...(receivesByUrl(channel) ? { url: to } : {}), atMs }],
  );
  const expiresAtS = Math.ceil(atMs / 1000) + MAIL_RETENTION_S;
  return [...mail, ...notices.map((notice) => write.put({ ...noticeObject.key(workspace, notice.id), value: notice, expiresAtS }))];
}
