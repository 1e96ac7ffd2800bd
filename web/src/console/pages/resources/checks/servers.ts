/** The name of the database and the version of the server prove that it has accepted the user. */
const ask = (query: string) => `
  try {
    const [row] = await sql.unsafe(${JSON.stringify(query)});
    return { ...row };
  } finally {
    await sql.close({ timeout: 0 });
  }
`;

/** The modes mean what they mean to libpq: only verify-ca and verify-full check the certificate, and allow and prefer may go without TLS. */
export const POSTGRESQL = `import { SQL } from "bun";

async function connect(resource, tls: unknown) {
  const { host, port, user, dbname, password } = resource;
  const sql = new SQL({
    adapter: "postgres", hostname: host, port: port ?? 5432, username: user, password, database: dbname, tls, max: 1, connectionTimeout: 15,
  });${ask("select current_database() as database, current_user as user, split_part(version(), ' on ', 1) as server")}}

export async function main(resource) {
  const { sslmode = "prefer", root_certificate_pem: ca, host } = resource;
  if (sslmode === "disable") return { ...(await connect(resource, false)), tls: false };
  const checks = sslmode.startsWith("verify");
  const tls = { rejectUnauthorized: checks, serverName: host, ...(ca ? { ca } : {}), ...(sslmode === "verify-ca" ? { checkServerIdentity: () => undefined } : {}) };
  try {
    return { ...(await connect(resource, tls)), tls: true };
  } catch (error) {
    const mayGoWithout = (sslmode === "allow" || sslmode === "prefer") && /TLS|SSL/i.test(error.code + error.message);
    if (!mayGoWithout) throw error;
    return { ...(await connect(resource, false)), tls: false };
  }
}
`;

export const MYSQL = `import { SQL } from "bun";

export async function main(resource) {
  const { host, port, user, database, password, ssl } = resource;
  const sql = new SQL({
    adapter: "mysql", hostname: host, port: port ?? 3306, username: user, password, database, tls: ssl === true, max: 1, connectionTimeout: 15,
  });${ask("select database() as `database`, current_user() as `user`, version() as server")}}
`;

export const REDIS = `import { RedisClient } from "bun";

export async function main(resource) {
  const { host, port, username = "", password = "", db, tls } = resource;
  const user = password ? encodeURIComponent(username) + ":" + encodeURIComponent(password) + "@" : "";
  const address = (tls ? "rediss://" : "redis://") + user + host + ":" + (port ?? 6379) + "/" + (db ?? 0);
  const client = new RedisClient(address, { connectionTimeout: 15_000, autoReconnect: false });
  try {
    return { reply: await client.ping() };
  } finally {
    client.close();
  }
}
`;

/** Signs in if the resource names a user. It sends no mail. */
export const SMTP = `import { connect } from "node:net";
import { connect as connectTls, type TLSSocket } from "node:tls";

type Socket = ReturnType<typeof connect> | TLSSocket;

function talk(socket: Socket) {
  let text = "";
  let failure: Error | undefined;
  let wake = () => {};
  const note = () => wake();
  socket.setTimeout(15_000, () => socket.destroy(new Error("The server did not answer within 15 seconds.")));
  socket.on("data", (part) => { text += part; note(); });
  socket.on("error", (error) => { failure = error; note(); });
  socket.on("close", () => { failure ??= new Error("The server ended the connection."); note(); });
  const read = async (expected: number): Promise<string> => {
    for (;;) {
      const reply = /^(?:\\d{3}-.*\\r?\\n)*(\\d{3})(?: .*)?\\r?\\n/.exec(text);
      if (reply) {
        text = text.slice(reply[0].length);
        if (Number(reply[1]) !== expected) throw new Error("The server answered: " + reply[0].trim().slice(0, 300));
        return reply[0];
      }
      if (failure) throw failure;
      await new Promise<void>((done) => { wake = done; });
    }
  };
  const ask = (line: string, expected: number) => { socket.write(line + "\\r\\n"); return read(expected); };
  return { read, ask };
}

export async function main(resource) {
  const { host, user, password = "", secure } = resource;
  const port = resource.port ?? (secure ? 465 : 587);
  let socket: Socket = secure ? connectTls({ host, port, servername: host }) : connect({ host, port });
  try {
    let { read, ask } = talk(socket);
    await read(220);
    let offers = await ask("EHLO svc", 250);
    const starts = !secure && /STARTTLS/i.test(offers);
    if (starts) {
      await ask("STARTTLS", 220);
      socket.removeAllListeners();
      socket = connectTls({ socket, servername: host });
      ({ ask } = talk(socket));
      offers = await ask("EHLO svc", 250);
    }
    const tls = secure === true || starts;
    if (user && !tls) throw new Error("The server offers no TLS, so the test does not send the password.");
    if (user) await ask("AUTH PLAIN " + Buffer.from("\\0" + user + "\\0" + password).toString("base64"), 235);
    await ask("QUIT", 221);
    return { host, tls, signedIn: Boolean(user) };
  } finally {
    socket.destroy();
  }
}
`;

/** Connects to each server, and does not sign in. */
export const SOCKETS = `import { connect } from "node:net";
import { connect as connectTls } from "node:tls";

const reach = (host: string, port: number, tls: boolean) =>
  new Promise<void>((done, fail) => {
    const socket = tls ? connectTls({ host, port, servername: host }, () => end()) : connect({ host, port }, () => end());
    const end = (error?: Error) => { socket.destroy(); error ? fail(new Error(host + ":" + port + ": " + error.message)) : done(); };
    socket.on("error", end);
    socket.setTimeout(15_000, () => end(new Error("no answer within 15 seconds")));
  });

export async function main(resource) {
  const servers: { host: string; port?: number }[] = resource.servers ?? [];
  if (servers.length === 0) throw new Error("The resource has no servers.");
  for (const { host, port } of servers) await reach(host, port ?? 27017, resource.tls === true);
  return { reached: servers.length };
}
`;
