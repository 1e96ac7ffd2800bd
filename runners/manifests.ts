// Every language that svc can run. A new language is one folder next to this file and one line here.
export { bash } from "./bash/manifest.ts";
export { bun } from "./bun/manifest.ts";
export { deno } from "./deno/manifest.ts";
export { go } from "./go/manifest.ts";
export { nodejs } from "./nodejs/manifest.ts";
export { python3 } from "./python3/manifest.ts";
