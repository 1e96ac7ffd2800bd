import type { Programs } from "./programs.ts";

/** The conformance programs of bash. */
export const bashPrograms: Programs = {
  wait: (seconds) => `echo begun; sleep ${seconds}; echo done; echo 1 > result.json`,
  count: "for n in 0 1 2 3 4 5 6 7 8 9; do sleep 0.3; echo 𝄞$n; done",
  brokenText: "for b in f0 9d 84 9e; do printf \"\\\\x$b\"; sleep 0.01; done; printf '\\xff|\\xf0\\x9d'",
  waitForChild: "sleep 300 & echo $!; wait",
  printLine: (length) => `head -c ${length} /dev/zero | tr '\\0' x; echo '"through"' > result.json`,
  endless: "echo begun; while :; do :; done",
  deaf: "trap '' TERM INT HUP; while :; do sleep 60; done",
  allocate: "head -c 400000000 /dev/zero | tail -c 390000000 | sleep 300",
  fail: "echo user-output; exit 1",
  exit: "echo 'last words'; exit 4",
  signal: "kill -KILL $$",
  malformed: "echo '{' > result.json",
  text: (length) => `{ printf '"'; head -c ${length} /dev/zero | tr '\\0' x; printf '"'; } > result.json`,
  environment: "env; bash -c env",
  litter: `echo "$(ls -A)|$(ls -A tmp)|$([ "$PWD" = "$HOME" ] && echo home)|$(ls -ld . | cut -c1-10)"; touch left.txt; mkdir -p tmp/locked/inner; chmod 500 tmp/locked`,
  hide: (mark, seconds) =>
    `sleep ${mark} & setsid sleep ${mark} & (env -i setsid sleep ${mark} > /dev/null 2>&1 &); (cd /; env -i setsid sh -c 'setsid sleep ${mark} &' > /dev/null 2>&1 &); sleep ${seconds}`,
  shell: (program) => program,
};
