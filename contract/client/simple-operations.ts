import { simpleKindNames } from "../kinds/kinds.ts";

/** Returns the operations of a simple kind, which have the addresses of `buildSimpleRoutes`. */
export function buildSimpleOperations(kind: string): Record<string, string> {
  const prefix = `/api/w/{workspace}/${kind}s`;
  return {
    [`${kind}s.list`]: `GET ${prefix}/list`,
    [`${kind}s.get`]: `GET ${prefix}/get/{path+}`,
    [`${kind}s.exists`]: `GET ${prefix}/exists/{path+}`,
    [`${kind}s.create`]: `POST ${prefix}/create`,
    [`${kind}s.update`]: `POST ${prefix}/update/{path+}`,
    [`${kind}s.delete`]: `DELETE ${prefix}/delete/{path+}`,
  };
}

/** The operations of every simple kind. The type has none, because no code calls the routes of one simple kind. */
export const simpleOperations = Object.assign({}, ...simpleKindNames.map(buildSimpleOperations)) as Record<never, never>;
