/**
 * Calls svc, from the scripts that it runs and from anywhere else. Inside a job everything is set up; elsewhere begin with `setClient`.
 *
 * @module
 */
export { ApiError, setClient } from "./connection.ts";
export { deleteS3File, loadS3File, loadS3FileStream, type S3Object, type S3ObjectLike, writeS3File } from "./files.ts";
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
export { databaseUrlFromResource, getResource, getState, getVariable, setResource, setState, setVariable } from "./stored.ts";
export { appendToResultStream, streamResult } from "./stream.ts";
