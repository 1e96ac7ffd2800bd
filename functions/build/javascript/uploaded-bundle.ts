import { createHash } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { BuildRequest } from "../../../core/builds/build.ts";
import { BUNDLE_ENTRY, BUNDLE_MAIN, readBundleFiles } from "../../../core/builds/bundle.ts";
import { hasModuleSyntax } from "../../../core/builds/javascript-imports.ts";
import { type TarFile, TarProblem } from "../../../core/builds/tar.ts";
import { BuildFailure, type BuildSandbox } from "../build-sandbox.ts";

/**
 * The entry of a CommonJS bundle. Runners call the exports of an ES module; Node and Bun find the other names of a CommonJS module themselves, but
 * not in every bundle.
 */
const COMMONJS_ENTRY = `import { createRequire } from "node:module";
const bundle = createRequire(import.meta.url)("./${BUNDLE_MAIN}");
export const { main, preprocessor } = bundle;
export * from "./${BUNDLE_MAIN}";
`;
const MODULE_ENTRY = `export * from "./${BUNDLE_MAIN}";\n`;

/** Fills `sandbox.out` with the files of an uploaded bundle. Nothing is installed or bundled. Throws `BuildFailure`. */
export async function unpackBundle(
  { bundle, url }: { bundle: NonNullable<BuildRequest["bundle"]>; url: string },
  sandbox: BuildSandbox,
): Promise<void> {
  const response = await fetch(url, { signal: sandbox.signal });
  if (!response.ok) throw new Error(`The bundle could not be loaded: the download returned ${response.status}.`);
  const uploaded = Buffer.from(await response.arrayBuffer());
  if (createHash("sha256").update(uploaded).digest("hex") !== bundle.sha256) throw new Error("The stored bundle has another hash.");
  const files = readFiles(uploaded, bundle);
  const main = files.find(({ path }) => path === BUNDLE_MAIN);
  const format = bundle.format ?? (hasModuleSyntax(Buffer.from(main?.bytes ?? []).toString()) ? "esm" : "cjs");
  for (const { path, bytes } of files) {
    const target = join(sandbox.out, path);
    await mkdir(dirname(target), { recursive: true });
    // Fails for an existing file, however the file system interprets the path.
    await writeFile(target, bytes, { flag: "wx" });
  }
  await writeFile(join(sandbox.out, BUNDLE_ENTRY), format === "esm" ? MODULE_ENTRY : COMMONJS_ENTRY, { flag: "wx" });
  if (!files.some(({ path }) => path === "package.json"))
    await writeFile(join(sandbox.out, "package.json"), JSON.stringify({ type: format === "esm" ? "module" : "commonjs" }), { flag: "wx" });
  sandbox.log.line("The uploaded bundle is used as it is, and no packages are installed.");
}

function readFiles(uploaded: Uint8Array, bundle: NonNullable<BuildRequest["bundle"]>): TarFile[] {
  try {
    return readBundleFiles(uploaded, bundle);
  } catch (error) {
    if (error instanceof TarProblem) throw new BuildFailure(`The archive of the bundle cannot be used: ${error.message}.`);
    throw error;
  }
}
