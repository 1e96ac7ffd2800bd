export function main(order: string, amount: number) {
  return { order, refunded: amount };
}
