import { Complaint, explain } from "../launch/complaint.mjs";
import { readLocalJson } from "../local-json.ts";
import { tokenWorks } from "../seed/seed.ts";

/**
 * Prints the shell lines that set URL, TOKEN and API of the running local service, for `eval "$(npm run -s env)"`. Without a running service
 * they unset all three and fail, so that no later line of the shell uses the values of an earlier one.
 */
async function printEnv(): Promise<void> {
  const found = readLocalJson();
  if (!found) throw new Complaint("The local service was never started here. Start it with npm run up in another terminal.");
  const { url, token, workspace } = found;
  const works = await tokenWorks(found).catch(() => {
    throw new Complaint(`No local service is running at ${url}. Start it with npm run up in another terminal, and wait until it is ready.`);
  });
  if (!works) throw new Complaint(`The service at ${url} does not accept the stored token. Start npm run up again to get another one.`);
  const values = { URL: url, TOKEN: token, API: `${url}/api/w/${workspace}` };
  for (const [name, value] of Object.entries(values)) console.log(`export ${name}=${quoted(value)}`);
}

/** Quotes a text for a POSIX shell. */
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

try {
  await printEnv();
} catch (error) {
  console.log("unset URL TOKEN API; false");
  process.exitCode = explain(error);
}
