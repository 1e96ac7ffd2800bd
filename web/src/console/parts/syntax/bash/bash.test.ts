import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { scriptTemplates } from "../../../../../../contract/templates/script-templates.ts";
import { findBashErrors } from "./bash.ts";

/** Returns the marked texts with their messages. */
const errorsOf = (text: string) => findBashErrors(text).map(({ from, to, message }) => [text.slice(from, to), message]);

it.each([
  ['echo "a', '"', '" is not closed.'],
  ["echo 'a\necho b\n", "'", "' is not closed."],
  ["echo $'a\\'", "'", "' is not closed."],
  ["a=`date", "`", "` is not closed."],
  ["a=$(date\necho b\n", "$(", "$( is not closed."],
  [`a=\${b:-c`, `\${`, `\${ is not closed.`],
  [`a="\${b:-it's}"`, "'", "' is not closed."],
  ["a=$((1 + (2))", "$(", "$( is not closed."],
  ["((a++)", "(", "( is not closed."],
  ["a=(b c\n", "(", "( is not closed."],
  ["a=(b; c)", ";", ") is missing before ;."],
  ["if a; then\n  b\n", "if", "if is not closed."],
  ["if a; fi", "fi", "then is missing before fi."],
  ["if a; then b; done", "done", "done does not close if of line 1."],
  ["fi", "fi", "fi closes nothing."],
  ["while a; do b\n", "while", "while is not closed."],
  ["until a; done", "done", "do is missing before done."],
  ["for a in b c\necho\n", "echo", "do is missing before echo."],
  ["for a in b; do c; fi", "fi", "fi does not close for of line 1."],
  ["for ((i = 0; i < 3; i++)); do a\n", "for", "for is not closed."],
  ["case a in\n  b) c ;;\n", "case", "case is not closed."],
  ["case a in b c) d ;; esac", "c", ") is missing before c."],
  ["case a in b\n) d ;; esac", "b", ") is missing before the end of the line."],
  ["a ;;", ";;", ";; separates the patterns of case, and there is none here."],
  ["f() {\n  a\n", "{", "{ is not closed."],
  ["f() { a }\n", "{", "{ is not closed."],
  ["f() {\n  if a; then\n}\n", "}", "} does not close if of line 2."],
  ["(a; b", "(", "( is not closed."],
  ["a)", ")", ") closes nothing."],
  ["echo a(b)", "(", "A bracket is not possible here. A text with brackets needs quotes."],
  ["if [[ a == b ; then c; fi", ";", "]] is missing before ;."],
  ["[[ a ]\n", "[[", "[[ is not closed."],
  ["diff <(a b", "<(", "<( is not closed."],
])("the first error of Bash is marked in %j", (text, marked, message) => {
  expect(errorsOf(text)).toEqual([[marked, message]]);
});

it("a here-document without an end is a warning, because Bash runs the script", () => {
  expect(findBashErrors("cat <<-EOF\n\ta\n  EOF\n")).toEqual([
    { from: 4, to: 10, message: expect.stringContaining("no line EOF"), isWarning: true },
  ]);
  expect(errorsOf("if a <<'E F'; then\nb")).toEqual([
    ["<<'E F'", expect.stringContaining("E F")],
    ["if", "if is not closed."],
  ]);
});

it.each([
  "",
  "#!/bin/bash\n# it's a comment\nset -euo pipefail\necho a # don't\necho a#b'c'\n",
  `a="\${1:-"b"}" c='d' e=$'it\\'s' f="\${g//\\"/'}'}" h=\${#i[@]} j=$((1 << 2)) k=$[1 + 2]\n`,
  'echo "$(case a in b) echo ")" ;; (c|d) ;; esac)" `echo "a" \\`b\\`` $$ "$" a\\ b \\" \n',
  "cat <<EOF <<-'E F' && echo b\n$(if\n\"\nEOF\n\t'\n\tE F\ncat <<\\X\na\\\nX\ncat <<Y\na\\\nY\nY\n",
  'x=$(cat <<EOF\n")\nEOF\n)\n',
  "if ! a && { b; } then c; elif (d) then e; else f; fi >g 2>&1 <<<h | i |& j &\n",
  "while read -r a; do b; done < <(c) > >(d)\nuntil a; do b; done\nfor a; do b; done\nfor a in b c # d\ndo e; done\nfor a in; { b; }\n",
  "for ((i = 0; i < 3; i++)) { a; }\nselect a in b; do c; done\n((a = b << 2)) || ((c > 1)); ((a; b) | (c))\n( (a) )\n",
  'case $a in\n  # b\n  c | "d e") ;;\n  [f]) g ;&\n  if) h ;;&\n  *) esac\n',
  "f() { a; }; function g { b; }\nfunction h() (c)\ni()\n{\n  d\n} 2>/dev/null\nj() if a; then b; fi\n",
  '[[ $a =~ ^(b|c d)[[:space:]]+$ && ! ( -f x || "$y" < z ) ]] && echo ]] }\n[[ a == @(b|c)* ]]\n',
  'declare -A a=([b c]=d ["e"]=f)\ng[1 + (2)]+=h\nlocal i=(\n  j # k\n  l\n)\n[ -f m ] && echo {a,b} if then } done\n',
  "ls !(a|b) *.@(c|d)\nif !(a); then b; fi\ntime -p { a; }\ncoproc A { b; }\ncoproc cat }\n",
  "a \\\n  && b \\\n  # c\nif\\\n a; then\\\n b; fi\\\n\n{fd}>a; exec {fd}>&-; >b c 3<>d &>>e\n",
  "shopt -s expand_aliases\nalias begin='if'\nbegin a; then b; fi\n",
  scriptTemplates.bash.script,
  readFileSync(new URL("../../../../../../engine/seed/examples/disk_bash.sh", import.meta.url), "utf8"),
])("valid Bash has no errors: text %#", (text) => {
  expect(findBashErrors(text)).toEqual([]);
});

it("a text that may be something else has no errors", () => {
  expect(["$(".repeat(500), `${"((a) | (b)); ".repeat(50)}"`, "case a b", "function", "a[b"].map(findBashErrors)).toEqual([
    [],
    [],
    [],
    [],
    [],
  ]);
});
