/** The vendors of chat applications. */
export const chatVendors = ["slack", "teams", "discord"] as const;
