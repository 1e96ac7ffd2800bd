import { copyFile, mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { clientFolder } from "./tools.ts";

const places = {
  python: { folder: "svc", files: /\.py$/ },
  go: { folder: "", files: /^go\.mod$|(?<!_test)\.go$/ },
};

/** Puts the sources of our client library into a folder, which is made. */
export async function putOwnClient(language: keyof typeof places, to: string): Promise<void> {
  const { folder, files } = places[language];
  const from = join(clientFolder(language), folder);
  await mkdir(to, { recursive: true });
  for (const name of await readdir(from)) if (files.test(name)) await copyFile(join(from, name), join(to, name));
}
