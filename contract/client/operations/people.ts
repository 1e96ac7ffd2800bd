// Generated from contract/routes: `npx vitest run --project rules contract/client/operations.test.ts -u`.

export const accessOperations = {
  "groups.list": "GET /api/w/{workspace}/groups/list",
  "groups.listNames": "GET /api/w/{workspace}/groups/listnames",
  "groups.get": "GET /api/w/{workspace}/groups/get/{name}",
  "groups.create": "POST /api/w/{workspace}/groups/create",
  "groups.update": "POST /api/w/{workspace}/groups/update/{name}",
  "groups.delete": "DELETE /api/w/{workspace}/groups/delete/{name}",
  "groups.addUser": "POST /api/w/{workspace}/groups/adduser/{name}",
  "groups.removeUser": "POST /api/w/{workspace}/groups/removeuser/{name}",
  "acls.get": "GET /api/w/{workspace}/acls/get/{kind}/{path+}",
  "acls.explain": "GET /api/w/{workspace}/acls/explain/{kind}/{path+}",
  "acls.add": "POST /api/w/{workspace}/acls/add/{kind}/{path+}",
  "acls.remove": "POST /api/w/{workspace}/acls/remove/{kind}/{path+}",
};

export const chatAccountOperations = {
  "chatAccounts.list": "GET /api/users/chat_accounts",
  "chatAccounts.findLink": "POST /api/users/chat_accounts/find_link",
  "chatAccounts.connect": "POST /api/users/chat_accounts",
  "chatAccounts.disconnect": "DELETE /api/users/chat_accounts/{id}",
};

export const connectOperations = {
  "oauth.listConnects": "GET /api/oauth/list_connects",
  "oauth.getConnect": "GET /api/oauth/get_connect/{client}",
  "oauth.connect": "GET /api/oauth/connect/{client}",
  "oauth.connectCallback": "POST /api/oauth/connect_callback/{client}",
  "oauth.connectReturn": "GET /api/oauth/connect_callback/{client}",
};

export const deviceOperations = {
  "auth.requestDeviceCode": "POST /api/auth/device",
  "auth.redeemDeviceCode": "POST /api/auth/device/token",
  "auth.getDeviceRequest": "GET /api/auth/device/{user_code}",
  "auth.decideDeviceRequest": "POST /api/auth/device/approve",
};

export const idTokenOperations = {
  "oidc.token": "POST /api/w/{workspace}/oidc/token/{audience+}",
  "oidc.jwks": "GET /.well-known/jwks.json",
  "oidc.configuration": "GET /.well-known/openid-configuration",
};

export const memberOperations = {
  "users.whoami": "GET /api/w/{workspace}/users/whoami",
  "users.list": "GET /api/w/{workspace}/users/list",
  "users.listUsernames": "GET /api/w/{workspace}/users/list_usernames",
  "users.get": "GET /api/w/{workspace}/users/get/{username}",
  "users.countTokens": "GET /api/w/{workspace}/users/token_count/{username}",
  "users.whois": "GET /api/w/{workspace}/users/whois/{username}",
  "users.usernameToEmail": "GET /api/w/{workspace}/users/username_to_email/{username}",
  "users.isOwnerOfPath": "GET /api/w/{workspace}/users/is_owner/{path+}",
  "users.update": "POST /api/w/{workspace}/users/update/{username}",
  "users.delete": "DELETE /api/w/{workspace}/users/delete/{username}",
  "workspaces.addUser": "POST /api/w/{workspace}/workspaces/add_user",
  "workspaces.inviteUser": "POST /api/w/{workspace}/workspaces/invite_user",
  "workspaces.listPendingInvites": "GET /api/w/{workspace}/workspaces/list_pending_invites",
  "workspaces.deleteInvite": "POST /api/w/{workspace}/workspaces/delete_invite",
  "users.leaveWorkspace": "POST /api/w/{workspace}/workspaces/leave",
  "workspaces.mine": "GET /api/workspaces/users",
  "users.listInvites": "GET /api/users/list_invites",
  "users.acceptInvite": "POST /api/users/accept_invite",
  "users.declineInvite": "POST /api/users/decline_invite",
};

export const oauthOperations = {
  "oauth.listLogins": "GET /api/oauth/list_logins",
  "oauth.login": "GET /api/oauth/login/{client}",
  "oauth.loginCallback": "POST /api/oauth/login_callback/{client}",
  "oauth.loginReturn": "GET /api/oauth/login_callback/{client}",
};

export const peopleOperations = {
  "users.whoamiGlobal": "GET /api/users/whoami",
  "users.email": "GET /api/users/email",
  "users.listGlobal": "GET /api/users/list_as_super_admin",
  "users.createGlobal": "POST /api/users/create",
  "users.updateGlobal": "POST /api/users/update/{email}",
  "users.deleteGlobal": "DELETE /api/users/delete/{email}",
  "users.existsGlobal": "GET /api/users/exists/{email}",
  "users.exportGlobal": "GET /api/users/export",
  "users.overwriteGlobal": "POST /api/users/overwrite",
  "instanceGroups.export": "GET /api/groups/export",
  "instanceGroups.overwrite": "POST /api/groups/overwrite",
  "instanceGroups.list": "GET /api/groups/list",
  "instanceGroups.get": "GET /api/groups/get/{name}",
  "instanceGroups.create": "POST /api/groups/create",
  "instanceGroups.update": "POST /api/groups/update/{name}",
  "instanceGroups.delete": "DELETE /api/groups/delete/{name}",
  "instanceGroups.addUser": "POST /api/groups/adduser/{name}",
  "instanceGroups.removeUser": "POST /api/groups/removeuser/{name}",
};

export const signInOperations = {
  "auth.login": "POST /api/auth/login",
  "auth.usersLogin": "POST /api/users/login",
  "auth.beginSession": "POST /api/auth/session",
  "auth.logout": "POST /api/auth/logout",
  "auth.isPasswordLoginDisabled": "GET /api/auth/is_password_login_disabled",
  "auth.isSmtpConfigured": "GET /api/auth/is_smtp_configured",
  "users.refreshToken": "GET /api/users/refresh_token",
  "users.setPassword": "POST /api/users/setpassword",
};

export const tokenOperations = {
  "tokens.create": "POST /api/users/tokens/create",
  "tokens.list": "GET /api/users/tokens/list",
  "tokens.delete": "DELETE /api/users/tokens/delete/{token_prefix}",
  "tokens.updateScopes": "POST /api/users/tokens/update_scopes/{token_prefix}",
  "tokens.updateLabel": "POST /api/users/tokens/update_label/{token_prefix}",
  "tokens.impersonate": "POST /api/users/tokens/impersonate",
  "tokens.listScopes": "GET /api/tokens/list/scopes",
};
