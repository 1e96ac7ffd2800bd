/** Any value: a result that is not described here. */
type NotDescribed = ReturnType<JSON["parse"]>;
/** Texts for which the form of a script has special fields. */
type Base64 = string;
type Email = string;
type Sql = string;
/** A file in the storage of the workspace. */
type S3Object = import("svc-client").S3Object;
