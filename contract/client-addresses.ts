/** The forms in which the log lines of requests contain the address of the client. */
export const clientAddressModes = ["none", "shortened", "hashed", "full"] as const;
export type ClientAddressMode = (typeof clientAddressModes)[number];
