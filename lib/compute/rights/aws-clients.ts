import { readFileSync } from "node:fs";
import type { Plugin } from "esbuild";

/** Makes AWS clients smaller: a function loads the schemas of the operations that it calls, and not the whole package.json of a client. */
export const smallAwsClients: Plugin = {
  name: "small-aws-clients",
  setup(build) {
    build.onLoad({ filter: /@aws-sdk[\\/]client-[^\\/]+[\\/]dist-es[\\/]schemas[\\/]schemas_\d+\.js$/ }, ({ path }) => ({
      contents: withNames(readFileSync(path, "utf8")),
    }));
    build.onLoad({ filter: /@aws-sdk[\\/]client-[^\\/]+[\\/]package\.json$/ }, ({ path }) => ({
      contents: onlyVersion(readFileSync(path, "utf8")),
      loader: "json",
    }));
  },
};

/**
 * Writes the names of traits into a schema (`{ [_hH]: 1 }` becomes `{ "httpHeader": 1 }`). esbuild keeps every object with computed keys, so that each
 * function would load the schemas of all operations of a service: 100 KB for S3 and Lambda.
 */
function withNames(source: string): string {
  const names = new Map([...source.matchAll(/^const (_\w+) = ("[^"\\]*");$/gm)].map(([, constant, text]) => [constant, text]));
  return source.replace(/\[(_\w+)\]: /g, (whole, constant: string) => (names.has(constant) ? `${names.get(constant)}: ` : whole));
}

/** A client reads only the version, for the header `User-Agent`. The file has 2.5 KB. */
function onlyVersion(source: string): string {
  const { version } = JSON.parse(source) as { version: string };
  return JSON.stringify({ version });
}
