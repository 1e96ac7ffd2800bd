// Generated from contract/routes: `npx vitest run --project rules contract/client/operations.test.ts -u`.

export const accountOperations = {
  "oauth.createAccount": "POST /api/w/{workspace}/oauth/create_account",
  "oauth.refreshToken": "POST /api/w/{workspace}/oauth/refresh_token/{id}",
  "oauth.disconnect": "POST /api/w/{workspace}/oauth/disconnect/{id}",
};

export const appOperations = {
  "apps.list": "GET /api/w/{workspace}/apps/list",
  "apps.exists": "GET /api/w/{workspace}/apps/exists/{path+}",
  "apps.get": "GET /api/w/{workspace}/apps/get/p/{path+}",
  "apps.getByVersion": "GET /api/w/{workspace}/apps/get/v/{version}",
  "apps.history": "GET /api/w/{workspace}/apps/history/p/{path+}",
  "apps.create": "POST /api/w/{workspace}/apps/create",
  "apps.update": "POST /api/w/{workspace}/apps/update/{path+}",
  "apps.delete": "DELETE /api/w/{workspace}/apps/delete/{path+}",
};

export const draftOperations = {
  "drafts.list": "GET /api/w/{workspace}/drafts/list",
  "drafts.getOwn": "GET /api/w/{workspace}/drafts/get_own/{kind}/{path+}",
  "drafts.update": "POST /api/w/{workspace}/drafts/update/{kind}/{path+}",
};

export const fileOperations = {
  "files.upload": "POST /api/w/{workspace}/job_helpers/upload_s3_file",
  "files.presignUpload": "POST /api/w/{workspace}/job_helpers/presign_upload",
  "files.download": "GET /api/w/{workspace}/job_helpers/download_s3_file",
  "files.delete": "DELETE /api/w/{workspace}/job_helpers/delete_s3_file",
  "files.move": "POST /api/w/{workspace}/job_helpers/move_s3_file",
  "files.list": "GET /api/w/{workspace}/job_helpers/list_stored_files",
  "files.getMetadata": "GET /api/w/{workspace}/job_helpers/load_file_metadata",
  "files.preview": "GET /api/w/{workspace}/job_helpers/load_file_preview",
  "files.testConnection": "GET /api/w/{workspace}/job_helpers/test_connection",
  "files.getResourceInfo": "POST /api/w/{workspace}/job_helpers/v2/s3_resource_info",
  "files.getDuckdbSettings": "POST /api/w/{workspace}/job_helpers/v2/duckdb_connection_settings",
  "files.getPolarsSettings": "POST /api/w/{workspace}/job_helpers/v2/polars_connection_settings",
  "files.sign": "POST /api/w/{workspace}/apps/sign_s3_objects",
  "files.public": "GET /api/w/{workspace}/s3_proxy/{storage}/{key+}",
};

export const resourceOperations = {
  "resources.list": "GET /api/w/{workspace}/resources/list",
  "resources.get": "GET /api/w/{workspace}/resources/get/{path+}",
  "resources.getValue": "GET /api/w/{workspace}/resources/get_value/{path+}",
  "resources.getValueInterpolated": "GET /api/w/{workspace}/resources/get_value_interpolated/{path+}",
  "resources.exists": "GET /api/w/{workspace}/resources/exists/{path+}",
  "resources.create": "POST /api/w/{workspace}/resources/create",
  "resources.update": "POST /api/w/{workspace}/resources/update/{path+}",
  "resources.updateValue": "POST /api/w/{workspace}/resources/update_value/{path+}",
  "resources.delete": "DELETE /api/w/{workspace}/resources/delete/{path+}",
  "resources.listNames": "GET /api/w/{workspace}/resources/list_names/{name}",
  "resources.search": "GET /api/w/{workspace}/resources/list_search",
  "resources.listChats": "GET /api/w/{workspace}/resources/list_chats",
  "resources.fileTypes": "GET /api/w/{workspace}/resources/file_resource_type_to_file_ext_map",
  "resources.types.list": "GET /api/w/{workspace}/resources/type/list",
  "resources.types.listNames": "GET /api/w/{workspace}/resources/type/listnames",
  "resources.types.get": "GET /api/w/{workspace}/resources/type/get/{name}",
  "resources.types.exists": "GET /api/w/{workspace}/resources/type/exists/{name}",
  "resources.types.create": "POST /api/w/{workspace}/resources/type/create",
  "resources.types.update": "POST /api/w/{workspace}/resources/type/update/{name}",
  "resources.types.delete": "DELETE /api/w/{workspace}/resources/type/delete/{name}",
};

export const scriptDeclarationOperations = {
  "scripts.declarations": "GET /api/w/{workspace}/scripts/declarations/h/{hash}",
  "scripts.sourceDeclarations": "GET /api/w/{workspace}/scripts/declarations/s/{sha256}",
};

export const scriptOperations = {
  "scripts.create": "POST /api/w/{workspace}/scripts/create",
  "scripts.createSnapshot": "POST /api/w/{workspace}/scripts/create_snapshot",
  "scripts.update": "POST /api/w/{workspace}/scripts/update/{path+}",
  "scripts.list": "GET /api/w/{workspace}/scripts/list",
  "scripts.listPaths": "GET /api/w/{workspace}/scripts/list_paths",
  "scripts.listSearch": "GET /api/w/{workspace}/scripts/list_search",
  "scripts.getByPath": "GET /api/w/{workspace}/scripts/get/p/{path+}",
  "scripts.getByHash": "GET /api/w/{workspace}/scripts/get/h/{hash}",
  "scripts.rawByPath": "GET /api/w/{workspace}/scripts/raw/p/{path+}",
  "scripts.rawByHash": "GET /api/w/{workspace}/scripts/raw/h/{path+}",
  "scripts.exists": "GET /api/w/{workspace}/scripts/exists/p/{path+}",
  "scripts.history": "GET /api/w/{workspace}/scripts/history/p/{path+}",
  "scripts.updateHistory": "POST /api/w/{workspace}/scripts/history_update/h/{hash}/p/{script_path+}",
  "scripts.latestVersion": "GET /api/w/{workspace}/scripts/get_latest_version/{path+}",
  "scripts.deploymentStatus": "GET /api/w/{workspace}/scripts/deployment_status/h/{hash}",
  "scripts.webhooks": "GET /api/w/{workspace}/scripts/webhooks/p/{path+}",
  "scripts.listTokens": "GET /api/w/{workspace}/scripts/list_tokens/{path+}",
  "scripts.countTriggers": "GET /api/w/{workspace}/scripts/get_triggers_count/{path+}",
  "scripts.muteErrorHandler": "POST /api/w/{workspace}/scripts/toggle_workspace_error_handler/p/{path+}",
  "scripts.getFailureNotice": "GET /api/w/{workspace}/scripts/get_failure_notice/p/{path+}",
  "scripts.editFailureNotice": "POST /api/w/{workspace}/scripts/edit_failure_notice/p/{path+}",
  "scripts.archiveByPath": "POST /api/w/{workspace}/scripts/archive/p/{path+}",
  "scripts.archiveByHash": "POST /api/w/{workspace}/scripts/archive/h/{hash}",
  "scripts.deleteByPath": "POST /api/w/{workspace}/scripts/delete/p/{path+}",
  "scripts.deleteByHash": "POST /api/w/{workspace}/scripts/delete/h/{hash}",
};

export const tempScriptOperations = {
  "scripts.storeTemp": "POST /api/w/{workspace}/scripts/raw_temp/store",
  "scripts.diffTemp": "POST /api/w/{workspace}/scripts/raw_temp/diff",
};

export const uploadOperations = {
  "uploads.start": "POST /api/w/{workspace}/job_helpers/uploads/start",
  "uploads.get": "GET /api/w/{workspace}/job_helpers/uploads/get/{id}",
  "uploads.presignParts": "POST /api/w/{workspace}/job_helpers/uploads/presign/{id}",
  "uploads.complete": "POST /api/w/{workspace}/job_helpers/uploads/complete/{id}",
  "uploads.delete": "DELETE /api/w/{workspace}/job_helpers/uploads/delete/{id}",
};

export const variableOperations = {
  "variables.list": "GET /api/w/{workspace}/variables/list",
  "variables.get": "GET /api/w/{workspace}/variables/get/{path+}",
  "variables.getValue": "GET /api/w/{workspace}/variables/get_value/{path+}",
  "variables.exists": "GET /api/w/{workspace}/variables/exists/{path+}",
  "variables.create": "POST /api/w/{workspace}/variables/create",
  "variables.update": "POST /api/w/{workspace}/variables/update/{path+}",
  "variables.delete": "DELETE /api/w/{workspace}/variables/delete/{path+}",
  "variables.encrypt": "POST /api/w/{workspace}/variables/encrypt",
  "variables.listContextual": "GET /api/w/{workspace}/variables/list_contextual",
};

export const workspaceDependencyOperations = {
  "dependencies.list": "GET /api/w/{workspace}/workspace_dependencies/list",
  "dependencies.getLatest": "GET /api/w/{workspace}/workspace_dependencies/get_latest/{language}",
  "dependencies.create": "POST /api/w/{workspace}/workspace_dependencies/create",
  "dependencies.archive": "POST /api/w/{workspace}/workspace_dependencies/archive/{language}",
  "dependencies.delete": "POST /api/w/{workspace}/workspace_dependencies/delete/{language}",
};
