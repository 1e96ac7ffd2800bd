// Generated from contract/routes: `npx vitest run --project rules contract/client/operations.test.ts -u`.

export const favoriteOperations = {
  "favorites.star": "POST /api/w/{workspace}/favorites/star",
  "favorites.unstar": "POST /api/w/{workspace}/favorites/unstar",
  "favorites.list": "GET /api/w/{workspace}/favorites/list",
};

export const mentionOperations = {
  "objects.usedBy": "GET /api/w/{workspace}/objects/used_by/{kind}/{path+}",
};

export const preferenceOperations = {
  "account.getPreferences": "GET /api/account/preferences",
  "account.editPreferences": "POST /api/account/preferences",
};

export const searchOperations = {
  "search.list": "GET /api/w/{workspace}/search",
};

export const viewOperations = {
  "views.list": "GET /api/w/{workspace}/views/list",
  "views.create": "POST /api/w/{workspace}/views/create",
  "views.update": "POST /api/w/{workspace}/views/update/{id}",
  "views.delete": "POST /api/w/{workspace}/views/delete/{id}",
};
