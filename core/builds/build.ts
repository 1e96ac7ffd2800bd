import { createHash } from "node:crypto";
import * as z from "zod";
import { runnerLanguages } from "../../contract/languages.ts";
import { bundleSchema } from "./bundle.ts";

/** The platform for which artefacts are built. It is part of every artefact's key. */
export const buildTargetSchema = z.object({
  os: z.enum(["linux", "darwin"]),
  arch: z.enum(["x64", "arm64"]),
  /** `3.11` */
  python: z.string(),
  node: z.string(),
});
export type BuildTarget = z.infer<typeof buildTargetSchema>;

/** The payload of function `build`, which has no rights except `upload`. */
export const buildRequestSchema = z.object({
  language: z.enum(runnerLanguages),
  /** Sources by script path: the script itself and all scripts that it imports by path, transitively. */
  files: z.record(z.string(), z.string()),
  /** Key of `files`: the script being built. */
  entry: z.string(),
  /** A lock to use instead of resolving the packages again: from an earlier build or from the caller. */
  lock: z.string().optional(),
  /** The package versions that the workspace selects: see `SelectedDependencies`. Without effect on a given lock. */
  dependencies: z.object({ entries: z.record(z.string(), z.string()), all: z.boolean() }).optional(),
  target: buildTargetSchema,
  /** A bundle that is the artefact, instead of `files`, with the URL of the uploaded file. */
  bundle: bundleSchema.optional(),
  bundleUrl: z.string().optional(),
  /** Package registries. Empty: the default of the tool. */
  registries: z.object({ npm: z.string(), pypi: z.string(), go: z.string() }),
  /** Presigned PUT for the zip. */
  uploadUrl: z.string(),
  /** Presigned PUT for the declarations of the packages. */
  declarationsUrl: z.string().optional(),
  maxArtefactBytes: z.number(),
});
export type BuildRequest = z.infer<typeof buildRequestSchema>;

/**
 * The response of function `build`. A failure of user code is a result, not an exception. `log` is the output that helps the author to fix
 * the failure.
 */
export const buildResultSchema = z.discriminatedUnion("ok", [
  z.object({
    ok: z.literal(true),
    lock: z.string(),
    sha256: z.string(),
    bytes: z.number(),
    log: z.string(),
    /** The declarations of the packages are uploaded. */
    declares: z.boolean().optional(),
  }),
  z.object({ ok: z.literal(false), error: z.string(), log: z.string() }),
]);
export type BuildResult = z.infer<typeof buildResultSchema>;

/**
 * Increase this number if the layout of artefacts changes, or if scripts that are saved again must get a new client library. Old artefacts
 * are then built again.
 */
const LAYOUT = 1;

/** The fields of a build request that determine its artefact. */
export type ArtefactInputs = Omit<BuildRequest, "registries" | "uploadUrl" | "declarationsUrl" | "bundleUrl" | "maxArtefactBytes">;

/** Builds the artefact's S3 key. Equal inputs for an equal target in one workspace share one artefact. */
export function buildArtefactKey(workspace: string, inputs: ArtefactInputs): string {
  const { language, files, entry, lock, dependencies, target, bundle } = inputs;
  const sorted = Object.entries(files).sort(([a], [b]) => (a < b ? -1 : 1));
  const digest = createHash("sha256")
    .update(
      JSON.stringify([
        LAYOUT,
        language,
        sorted,
        entry,
        lock ?? null,
        target,
        ...(dependencies ? [dependencies] : []),
        ...(bundle ? ["bundle", bundle.sha256, bundle.tar, bundle.format ?? null] : []),
      ]),
    )
    .digest("hex");
  return `artefacts/${workspace}/${digest}.zip`;
}

/** Builds the S3 key of the declarations that the packages of an artefact ship, from the artefact's key. */
export const buildDeclarationsKey = (artefactKey: string): string => artefactKey.replace(/\.zip$/, ".declarations.json");
