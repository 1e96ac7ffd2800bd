/** The oldest release of Node.js on which the program runs. */
const OLDEST = [22, 14];

/** Returns the reason for which a release of Node.js is not supported, or `undefined`. The code is so plain that any release can parse it. */
export function describeOldNode(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [least = 0, leastMinor = 0] = OLDEST;
  if (major > least || (major === least && minor >= leastMinor)) return undefined;
  return `svc needs Node.js ${OLDEST.join(".")} or later, and this is ${version}. Install a later release from https://nodejs.org.`;
}
