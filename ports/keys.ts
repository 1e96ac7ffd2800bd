import type { KeyObject } from "node:crypto";

/**
 * Data keys of workspaces for one purpose, wrapped by the stack's KMS key. The encryption context binds each key to its workspace and purpose, so
 * a function with the keys of one purpose cannot unwrap those of another.
 */
export interface DataKeys {
  /** Returns a new key. Each call returns another one. */
  generate(workspace: string): Promise<{ key: Buffer; wrapped: string }>;
  /** Returns the key that was wrapped. Throws an error of KMS for a key of another workspace or purpose. */
  unwrap(workspace: string, wrapped: string): Promise<Buffer>;
}

/** The KMS key that signs the record of approvals. It never leaves KMS. */
export interface AnchorKey {
  generateMac(message: string): Promise<{ mac: string; key: string }>;
  /** Returns whether the stack's own key created the signature, whatever key it names. */
  verifyMac(message: string, mac: string): Promise<boolean>;
}

/** Returns the public key that the header of a token names, or `undefined` if no executor has published it. */
export type FindPublicKey = (kid: string) => Promise<KeyObject | undefined>;

/** The key that signs the tokens of jobs. */
export interface SigningKey {
  kid: string;
  privateKey: KeyObject;
}
