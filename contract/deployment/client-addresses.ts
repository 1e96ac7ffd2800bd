/** The forms of the client's address in the log lines of requests. */
export const clientAddressModes = ["none", "shortened", "hashed", "full"] as const;
export type ClientAddressMode = (typeof clientAddressModes)[number];
