import { bashPrograms } from "./bash-programs.ts";
import type { Programs } from "./programs.ts";

const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/** The runner executes any program, so a bash script that answers on file descriptor 3 takes the place of a compiled one. */
const program = (script: string) => `#!/bin/bash
3>&- bash -c ${quote(script)}
code=$?
if [ $code -ne 0 ]; then exit $code; fi
(printf '{"ok":true,"result":'; cat result.json 2> /dev/null || printf null; printf '}') | tr -d '\\n' >&3
echo >&3
`;

/** The conformance programs of Go. */
export const goPrograms: Programs = {
  wait: (seconds) => program(bashPrograms.wait(seconds)),
  count: program(bashPrograms.count),
  brokenText: program(bashPrograms.brokenText),
  waitForChild: program(bashPrograms.waitForChild),
  printLine: (length) => program(bashPrograms.printLine(length)),
  endless: program(bashPrograms.endless),
  deaf: program(bashPrograms.deaf),
  allocate: program(bashPrograms.allocate),
  fail: program(bashPrograms.fail),
  exit: program(bashPrograms.exit),
  text: (length) => program(bashPrograms.text(length)),
  environment: program(bashPrograms.environment),
  litter: program(bashPrograms.litter),
  hide: (mark, seconds) => program(bashPrograms.hide(mark, seconds)),
  shell: (script) => program(script),
  signal: "#!/bin/bash\nkill -KILL $$\n",
  // The main package that svc compiles into the binary sends this answer when it cannot encode the result.
  malformed: `#!/bin/bash\necho '{"ok":false,"error":{"name":"ResultError","message":"The result cannot be converted to JSON."}}' >&3\n`,
};
