/** Formats epoch milliseconds as the API does: ISO 8601 in UTC with milliseconds. */
export const toIsoTime = (ms: number): string => new Date(ms).toISOString();
