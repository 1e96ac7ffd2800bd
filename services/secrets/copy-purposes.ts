import { isChatType, parseChatCredential } from "../../core/chats/chat-credential.ts";
import { isCredentialType, parseCredential } from "../../core/http-routes/authentication/credential.ts";
import { chatCredentialObject, chatKeyObject, routeCredentialObject, routeKeyObject } from "../../core/secrets/sealed-copy.ts";

/**
 * A purpose for which resources of some types are copied. Each purpose has its own key, which few functions may use, so that these can open no other
 * secret.
 */
export interface CopyPurpose {
  name: "route" | "chat";
  copies: Pick<typeof routeCredentialObject, "key" | "parse">;
  keys: Pick<typeof routeKeyObject, "key" | "parse">;
  /** Returns the value that is sealed, or a sentence about its fault that contains no value. */
  parse(type: string, value: unknown, writers: CopyWriters): object | string;
  /** Whether a variable of a resource of this type must not be empty. */
  refusesEmpty(type: string): boolean;
}

/** The users who saved the resource and its variables. */
interface CopyWriters {
  areAdmins: boolean;
}

const NO_COPY = "Resources of this type are not copied.";

export const copyPurposes = {
  route: {
    name: "route",
    copies: routeCredentialObject,
    keys: routeKeyObject,
    parse: (type, value) => (isCredentialType(type) ? parseCredential(type, value) : NO_COPY),
    // An empty text counts as an omitted field, so an empty variable would turn off, for example, the check of a token's audience.
    refusesEmpty: (type) => type === "jwt_auth",
  },
  chat: {
    name: "chat",
    copies: chatCredentialObject,
    keys: chatKeyObject,
    parse: (type, value, { areAdmins }) => {
      const credential = isChatType(type) ? parseChatCredential(type, value) : NO_COPY;
      // The chat names the addresses of its persons. Otherwise, a user who chooses its address and its secret could decide as every other user.
      return typeof credential === "string" || areAdmins ? credential : { ...credential, trust_email: false };
    },
    refusesEmpty: () => false,
  },
} as const satisfies Record<CopyPurpose["name"], CopyPurpose>;

/** Returns the purpose for which resources of a type are copied, or `undefined`. */
export const findCopyPurpose = (type: string): CopyPurpose | undefined =>
  isCredentialType(type) ? copyPurposes.route : isChatType(type) ? copyPurposes.chat : undefined;

/** Returns the place to which the sealed text of a copy is bound. */
export const locateCopy = ({ name }: CopyPurpose, workspace: string, path: string) => ({ workspace, path: `#${name}/${path}` });
