// Generated from contract/routes: `npx vitest run --project rules contract/client/operations.test.ts -u`.

export const favoriteOperations = {
  "favorites.star": "POST /api/w/{workspace}/favorites/star",
  "favorites.unstar": "POST /api/w/{workspace}/favorites/unstar",
  "favorites.list": "GET /api/w/{workspace}/favorites/list",
};
