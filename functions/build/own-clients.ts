import { copyFile, mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { findClientFolder } from "./tools.ts";

const clientSources = {
  python: { folder: "svc", files: /\.py$/ },
  go: { folder: "", files: /^go\.mod$|(?<!_test)\.go$/ },
};

/** Copies the sources of svc's client library into a folder, which is created. */
export async function copyOwnClient(language: keyof typeof clientSources, to: string): Promise<void> {
  const { folder, files } = clientSources[language];
  const from = join(findClientFolder(language), folder);
  await mkdir(to, { recursive: true });
  for (const name of await readdir(from)) if (files.test(name)) await copyFile(join(from, name), join(to, name));
}
