// Generated from contract/routes: `npx vitest run --project rules contract/client/operations.test.ts -u`.

export const syncOperations = {
  "workspaces.tarball": "GET /api/w/{workspace}/workspaces/tarball",
};
