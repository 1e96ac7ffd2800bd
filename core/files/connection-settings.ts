import type { S3Resource } from "./storage-location.ts";

const hostOf = ({ endPoint, port }: S3Resource) => (port === undefined ? endPoint : `${endPoint}:${port}`);
const urlOf = (bucket: S3Resource) => `${bucket.useSSL ? "https" : "http"}://${hostOf(bucket)}`;
/** A text in SQL. A quotation mark in it must not end it. */
const quote = (text: string) => `'${text.replaceAll("'", "''")}'`;

/** Returns the statements with which DuckDB connects to a bucket. */
export function toDuckdbSettings(bucket: S3Resource): { connection_settings_str: string; s3_bucket: string } {
  const values = {
    s3_url_style: quote(bucket.pathStyle ? "path" : "vhost"),
    s3_region: quote(bucket.region),
    s3_endpoint: quote(hostOf(bucket)),
    s3_use_ssl: String(bucket.useSSL),
    s3_access_key_id: quote(bucket.accessKey),
    s3_secret_access_key: quote(bucket.secretKey),
  };
  const statements = Object.entries(values).map(([name, value]) => `SET ${name}=${value};\n`);
  return { connection_settings_str: statements.join(""), s3_bucket: bucket.bucket };
}

/** Returns the options with which Polars, and s3fs below it, connect to a bucket. */
export function toPolarsSettings(bucket: S3Resource) {
  const { region, useSSL, accessKey, secretKey } = bucket;
  return {
    s3fs_args: {
      endpoint_url: urlOf(bucket),
      key: accessKey,
      secret: secretKey,
      use_ssl: useSSL,
      cache_regions: false,
      client_kwargs: { region_name: region },
    },
    storage_options: {
      aws_endpoint_url: urlOf(bucket),
      aws_access_key_id: accessKey,
      aws_secret_access_key: secretKey,
      aws_region: region,
      aws_allow_http: String(!useSSL),
    },
    s3_bucket: bucket.bucket,
  };
}
