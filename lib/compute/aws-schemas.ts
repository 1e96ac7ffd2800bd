import { readFileSync } from "node:fs";
import type { Plugin } from "esbuild";

/**
 * Writes the names of traits into the schemas of AWS clients (`{ [_hH]: 1 }` becomes `{ "httpHeader": 1 }`). esbuild keeps every object with computed
 * keys, so that each function would load the schemas of all operations of a service: 100 KB for S3 and Lambda.
 */
export const awsSchemas: Plugin = {
  name: "aws-schemas",
  setup(build) {
    build.onLoad({ filter: /@aws-sdk[\\/]client-[^\\/]+[\\/]dist-es[\\/]schemas[\\/]schemas_\d+\.js$/ }, ({ path }) => ({
      contents: withNames(readFileSync(path, "utf8")),
    }));
  },
};

function withNames(source: string): string {
  const names = new Map([...source.matchAll(/^const (_\w+) = ("[^"\\]*");$/gm)].map(([, constant, text]) => [constant, text]));
  return source.replace(/\[(_\w+)\]: /g, (whole, constant: string) => (names.has(constant) ? `${names.get(constant)}: ` : whole));
}
