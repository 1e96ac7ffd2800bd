/** The declarations that `web/type-files.ts` lists, by path. `web/vite.config.ts` puts them here. */
export const typeFiles: Readonly<Record<string, string>> = {};
