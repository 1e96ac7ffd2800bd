import { limits } from "../limits.ts";

/** The first and the last time with a year of four digits, as every client reads it. */
const FIRST_MS = Date.parse("0000-01-01T00:00:00.000Z");
const LAST_MS = Date.parse("9999-12-31T23:59:59.999Z");

/**
 * Formats epoch milliseconds as the API does: ISO 8601 in UTC with milliseconds. A stored time outside the range of dates counts as the
 * nearest date.
 */
export const toIsoTime = (ms: number): string => new Date(Math.min(Math.max(ms, FIRST_MS), LAST_MS)).toISOString();

/**
 * Returns the time (epoch ms) that lies a number of seconds after another one. Authors choose such periods, and earlier releases stored them without
 * bounds: a longer one counts as `limits.periodS`, so that every table and every date can hold the sum.
 */
export const laterMs = (ms: number, seconds: number): number => ms + Math.min(seconds, limits.periodS) * 1000;
