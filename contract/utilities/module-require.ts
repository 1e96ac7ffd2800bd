/**
 * Gives an ES module the function `require`, which bundled CommonJS packages call. Bundlers add it in front of the first line and not above it, so that
 * source maps stay correct.
 */
export const MODULE_REQUIRE =
  'import { createRequire as svcCreateRequire } from "node:module"; const require = svcCreateRequire(import.meta.url); ';
