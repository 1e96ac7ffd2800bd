import { createHash } from "node:crypto";
import * as z from "zod";
import { runnerLanguages } from "../../contract/languages.ts";

/** What artefacts are built for: part of every artefact's key. */
export const buildTargetSchema = z.object({
  os: z.enum(["linux", "darwin"]),
  arch: z.enum(["x64", "arm64"]),
  /** `3.11` */
  python: z.string(),
  node: z.string(),
});
export type BuildTarget = z.infer<typeof buildTargetSchema>;

/** What function `build` is invoked with. It has no rights but `upload`. */
export const buildRequestSchema = z.object({
  language: z.enum(runnerLanguages),
  /** Script path → source, of the script itself and all it imports by path, transitively. */
  files: z.record(z.string(), z.string()),
  /** Key of `files`: the script being built. */
  entry: z.string(),
  /** A lock to use instead of resolving anew: as returned by an earlier build or sent by the caller. */
  lock: z.string().optional(),
  target: buildTargetSchema,
  /** Package registries, empty = the tool's default. */
  registries: z.object({ npm: z.string(), pypi: z.string(), go: z.string() }),
  /** Presigned PUT for the zip. */
  uploadUrl: z.string(),
  maxArtefactBytes: z.number(),
});
export type BuildRequest = z.infer<typeof buildRequestSchema>;

/** What it answers; it never throws for what user code did. `log` is what a person reads to mend a failure. */
export const buildResultSchema = z.discriminatedUnion("ok", [
  z.object({ ok: z.literal(true), lock: z.string(), sha256: z.string(), bytes: z.number(), log: z.string() }),
  z.object({ ok: z.literal(false), error: z.string(), log: z.string() }),
]);
export type BuildResult = z.infer<typeof buildResultSchema>;

/** Raised when an artefact's layout changes, or a client library so that scripts saved again must get it: old ones are built anew then. */
const LAYOUT = 1;

/** The artefact's S3 key: equal inputs for an equal target in one workspace share one artefact. */
export function buildArtefactKey(workspace: string, inputs: Omit<BuildRequest, "registries" | "uploadUrl" | "maxArtefactBytes">): string {
  const { language, files, entry, lock, target } = inputs;
  const sorted = Object.entries(files).sort(([a], [b]) => (a < b ? -1 : 1));
  const digest = createHash("sha256")
    .update(JSON.stringify([LAYOUT, language, sorted, entry, lock ?? null, target]))
    .digest("hex");
  return `artefacts/${workspace}/${digest}.zip`;
}
