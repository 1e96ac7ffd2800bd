import { failureNoticesSchema } from "../../contract/routes/workspaces/failure-notices.ts";
import {
  approvalSettingsSchema,
  errorHandlerSchema,
  failedRunsSchema,
  fileStorageSchema,
  opaqueSettingsSchema,
} from "../../contract/routes/workspaces/setting-schemas.ts";
import { defineJsonSetting, defineSetting } from "../objects/setting.ts";

export const failedRunsSetting = defineSetting("failed_runs", failedRunsSchema);
export const fileStorageSetting = defineSetting("large_file_storage", fileStorageSchema);
export const approvalSetting = defineSetting("approvals", approvalSettingsSchema);
export const errorHandlerSetting = defineJsonSetting("error_handler", errorHandlerSchema);
export const successHandlerSetting = defineJsonSetting("success_handler", errorHandlerSchema);
export const failureNoticesSetting = defineJsonSetting("failure_notices", failureNoticesSchema);

/** All settings whose values are stored as JSON text. */
export const jsonSettings = [
  errorHandlerSetting,
  successHandlerSetting,
  failureNoticesSetting,
  ...Object.entries(opaqueSettingsSchema.shape).map(([name, schema]) => defineJsonSetting<unknown>(name, schema)),
] as const;
