interface TrustedTypes {
  createPolicy: (name: string, rules: { createScriptURL: (address: string) => string }) => { createScriptURL: (address: string) => string };
}

/** Only files of the pages are workers: the replies of scripts have the same origin, and must not run. */
function checkAddress(address: string): string {
  const { origin, pathname } = new URL(address, location.href);
  const folder = new URL(import.meta.url.slice(0, import.meta.url.lastIndexOf("/") + 1));
  // `npx vite web` serves sources.
  const isOurs = origin === folder.origin && (import.meta.env.DEV || pathname.startsWith(folder.pathname));
  if (!isOurs) throw new TypeError(`${address} is no worker of this page`);
  return address;
}

let policy: ReturnType<TrustedTypes["createPolicy"]> | undefined;

/** Starts a worker from the address that `?worker&url` imports. */
export function createWorker(address: string): Worker {
  const types = (globalThis as { trustedTypes?: TrustedTypes }).trustedTypes;
  const rules = { createScriptURL: checkAddress };
  policy ??= types?.createPolicy("svc-worker", rules) ?? rules;
  return new Worker(policy.createScriptURL(address), { type: "module" });
}
