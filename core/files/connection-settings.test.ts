import { expect, it } from "vitest";
import { toDuckdbSettings, toPolarsSettings } from "./connection-settings.ts";

const bucket = {
  bucket: "b",
  region: "eu-1",
  endPoint: "s3.example.com",
  port: 9000,
  useSSL: true,
  accessKey: "key",
  secretKey: "se'cret",
  pathStyle: true,
};

it("DuckDB gets statements in which a quotation mark of a value ends no text", () => {
  const { connection_settings_str: statements, s3_bucket: name } = toDuckdbSettings(bucket);
  expect(name).toBe("b");
  expect(statements).toContain("SET s3_endpoint='s3.example.com:9000';");
  expect(statements).toContain("SET s3_secret_access_key='se''cret';");
});

it("Polars gets the address with its scheme and the keys", () => {
  expect(toPolarsSettings(bucket)).toMatchObject({
    s3fs_args: { endpoint_url: "https://s3.example.com:9000", key: "key", client_kwargs: { region_name: "eu-1" } },
    storage_options: { aws_region: "eu-1", aws_allow_http: "false" },
  });
});
