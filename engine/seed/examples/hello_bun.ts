// Call it: every POST to its webhook address runs it.
export async function main(name: string = "world", shout: boolean = false) {
  const greeting = `Hello, ${name}!`;
  console.log(`greeting ${name}`);
  return { greeting: shout ? greeting.toUpperCase() : greeting, at: new Date().toISOString() };
}
