/** The response to one error code: the HTTP status and the sentence with its details. */
interface Answer<D> {
  readonly status: number;
  readonly describe: (details: D) => string;
}

/** One answer for each code of a domain. `D` maps each code to its details, so a new code does not compile without an answer. */
export type Answers<D> = { readonly [C in keyof D]: Answer<D[C]> };

export type NoDetails = Record<never, never>;
/** `at`: the path in its parts, for an issue of a value that a form can show at its field. `step`: the id of the step of a flow that it is about. */
export type Issues = { path: string; reason: string; at?: string[]; step?: string }[];

/**
 * A refused value carries its issues in this header, so that a form can show each at its field, and an editor at its step: a JSON array of their
 * parts, steps and reasons, in ASCII.
 */
export const ISSUES_HEADER = "x-svc-issues";

/** The refusal of another version names the author and the time of the newer one in this header, as a JSON object in ASCII. */
export const CHANGE_HEADER = "x-svc-change";

/** Formats issues as a part of a sentence: `path: reason; path: reason`. */
export const listIssues = (issues: Issues) => issues.map(({ path, reason }) => `${path || "(the whole value)"}: ${reason}`).join("; ");

/** Formats a size with one decimal, for example `1.5 MB`. */
export const formatMegabytes = (bytes: number) => `${Math.round((bytes / 1048576) * 10) / 10} MB`;
