/**
 * A client of svc, for the scripts that it runs and for other programs. Inside a job, no setup is necessary; other programs call `setClient` first.
 *
 * @module
 */
export {
  type ChatApproval,
  type CollabApproval,
  getResumeEndpoints,
  getResumeUrls,
  type ResumeUrls,
  requestInteractiveChatApproval,
  requestInteractiveCollabApproval,
  requestInteractiveDiscordApproval,
  requestInteractiveSlackApproval,
  requestInteractiveTeamsApproval,
  type SlackApproval,
  sendTeamsMessage,
  type TeamsMessage,
} from "./approvals.ts";
export { ApiError, setClient } from "./connection.ts";
export {
  deleteS3File,
  denoS3LightClientSettings,
  getPresignedS3PublicUrl,
  getPresignedS3PublicUrls,
  loadS3File,
  loadS3FileStream,
  type S3ClientSettings,
  type S3Object,
  type S3ObjectLike,
  signS3Object,
  signS3Objects,
  writeS3File,
} from "./files.ts";
export {
  cancelJob,
  getProgress,
  getResult,
  getResultMaybe,
  getRootJobId,
  JobError,
  type JobFailure,
  type MaybeResult,
  runScript,
  runScriptByHash,
  runScriptByHashAsync,
  runScriptByPath,
  runScriptByPathAsync,
  setProgress,
  waitJob,
} from "./jobs.ts";
export {
  databaseUrlFromResource,
  getIdToken,
  getResource,
  getState,
  getVariable,
  setResource,
  setState,
  setVariable,
  usernameToEmail,
} from "./stored.ts";
export { appendToResultStream, streamResult } from "./stream.ts";
