import { randomBytes, timingSafeEqual } from "node:crypto";
import type { ServerResponse } from "node:http";

/** The beginning of the address. The service has no such route, and only the local front server answers it. */
export const SIGN_IN_PREFIX = "/local/sign-in/";

/** A link that signs the browser of a person on this machine in to the console. It works once. */
export interface SignInLink {
  /** Creates the only valid link, which replaces an earlier one. Returns its path. */
  create(token: string): string;
  /** Answers a request for a link. Returns false if the path is no link. */
  answer(path: string, response: ServerResponse): boolean;
}

/** Answers the link of `npm run up`. The server listens on loopback, and refuses requests that pages of other sites cause. */
export function createSignInLink(): SignInLink {
  let open: { code: Buffer; token: string } | undefined;
  return {
    create: (token) => {
      const code = randomBytes(24).toString("base64url");
      open = { code: Buffer.from(code), token };
      return `${SIGN_IN_PREFIX}${code}`;
    },
    answer: (path, response) => {
      if (!path.startsWith(SIGN_IN_PREFIX)) return false;
      const code = Buffer.from(path.slice(SIGN_IN_PREFIX.length));
      const token = open && code.length === open.code.length && timingSafeEqual(code, open.code) ? open.token : undefined;
      if (token === undefined) {
        // The sign-in page is the next step, and its visitor may be signed in already.
        response.writeHead(303, { location: "/login?link=used", "cache-control": "no-store", "referrer-policy": "no-referrer" });
      } else {
        open = undefined;
        response.writeHead(303, {
          location: "/login",
          "cache-control": "no-store",
          "referrer-policy": "no-referrer",
          "set-cookie": `token=${token}; Path=/; HttpOnly; SameSite=Lax`,
        });
      }
      response.end();
      return true;
    },
  };
}
