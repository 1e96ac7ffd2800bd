import type { BuiltInType } from "../type.ts";
import { flag, longText, number, oneOf, secret, text } from "./fields.ts";

export const databases: readonly BuiltInType[] = [
  {
    name: "postgresql",
    description: "A PostgreSQL database.",
    schema: {
      type: "object",
      properties: {
        host: text("Host name or address"),
        port: number("Port, usually 5432"),
        user: text("User name"),
        dbname: text("Name of the database"),
        sslmode: oneOf("TLS mode of the connection", ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"]),
        password: secret("Password"),
        root_certificate_pem: longText("Certificate of the authority that signed the server's certificate, for verify-ca and verify-full"),
      },
      required: ["host", "dbname"],
    },
  },
  {
    name: "mysql",
    description: "A MySQL or MariaDB database.",
    schema: {
      type: "object",
      properties: {
        host: text("Host name or address"),
        port: number("Port, usually 3306"),
        user: text("User name"),
        database: text("Name of the database"),
        password: secret("Password"),
        ssl: flag("Whether the connection is encrypted"),
      },
      required: ["host", "database"],
    },
  },
  {
    name: "mongodb",
    description: "A MongoDB database.",
    schema: {
      type: "object",
      properties: {
        db: text("Name of the database"),
        servers: {
          type: "array",
          description: "The servers of the cluster",
          items: { type: "object", properties: { host: text("Host name"), port: number("Port, usually 27017") }, required: ["host"] },
        },
        credential: {
          type: "object",
          properties: {
            username: text("User name"),
            password: secret("Password"),
            db: text("Database that authenticates the user"),
            mechanism: text("Authentication mechanism, such as SCRAM-SHA-256"),
          },
        },
        tls: flag("Whether the connection is encrypted"),
      },
      required: ["db", "servers"],
    },
  },
  {
    name: "redis",
    description: "A Redis or Valkey server.",
    schema: {
      type: "object",
      properties: {
        host: text("Host name or address"),
        port: number("Port, usually 6379"),
        username: text("User name, if the server requires one"),
        password: secret("Password"),
        db: number("Number of the database"),
        tls: flag("Whether the connection is encrypted"),
      },
      required: ["host"],
    },
  },
];
