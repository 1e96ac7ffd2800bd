import net from "node:net";

const LOOPBACK = "127.0.0.1";

export function isPortFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = net.createServer();
    server.once("error", () => resolve(false));
    server.listen(port, LOOPBACK, () => server.close(() => resolve(true)));
  });
}

/** Returns a free port. Another process may take it before the caller, because it is not reserved. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = net.createServer();
    server.once("error", reject);
    server.listen(0, LOOPBACK, () => {
      const address = server.address();
      server.close(() => (address && typeof address === "object" ? resolve(address.port) : reject(new Error("no port"))));
    });
  });
}

export function portTaken(port: number): string {
  return `Port ${port} is in use by another program. Stop that program, or choose another port with npm run up -- --port ${port + 1}.`;
}
