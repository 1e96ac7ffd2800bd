/** A function of our client. */
export interface ClientFunction {
  name: string;
  signature: string;
  text: string;
}

/** The functions that `web/client-functions.ts` lists, by language. `web/vite.config.ts` puts them here. */
export const clientFunctions: Readonly<Record<string, readonly ClientFunction[]>> = {};
