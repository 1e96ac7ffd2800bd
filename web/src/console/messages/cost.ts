export const costText = {
  title: "Cost (estimate)",
  what: "Used",
  quantity: "Quantity",
  price: "Price of a unit",
  amount: "Amount",
  total: (amount: string) => `Estimate of the total: ${amount}.`,
  ofSteps: (amount: string) => `The steps cost ${amount}.`,
  prices: (region: string, date: string) => `List prices of ${region}, ${date}. Free tiers, storage and logs are not included.`,
} as const;
