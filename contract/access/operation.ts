import type { Kind } from "../kinds/kind.ts";
import { kinds, kindsWith } from "../kinds/kinds.ts";

/**
 * Returns the operation of a route's calls in the audit log (api.md §3.9), by which clients filter it. Without a declared one, it is the name in snake
 * case: that of `flows.listPaths` is `flows.list_paths`, and that of `folders.create` `folder.create`, because their kind begins with another word.
 */
export const toOperation = ({ name, operation }: { readonly name: string; readonly operation?: string }): string =>
  operation ?? renameKind(name).replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The beginnings of the names of routes, by the kinds whose operations begin with another word. */
const renamed = kindsWith("operations").map((kind) => {
  const { domain, routeNames = domain, operations }: Kind = kinds[kind];
  return { from: `${routeNames}.`, to: `${operations}.` };
});

function renameKind(name: string): string {
  const found = renamed.find(({ from }) => name.startsWith(from));
  return found ? `${found.to}${name.slice(found.from.length)}` : name;
}
