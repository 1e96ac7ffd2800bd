export function main(n: number = 10): { n: number; fibo: number } {
  let [a, b] = [0, 1];
  for (let i = 0; i < n; i++) [a, b] = [b, a + b];
  return { n, fibo: a };
}
