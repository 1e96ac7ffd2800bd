import type { InProcessPrograms, Programs } from "./programs.ts";

/** The conformance programs of Python. */
export const pythonPrograms: Programs = {
  wait: (seconds) => `import time\ndef main():\n    print("begun")\n    time.sleep(${seconds})\n    print("done")\n    return 1`,
  count: "import time\ndef main():\n    for n in range(10):\n        time.sleep(0.3)\n        print(f'𝄞{n}')",
  brokenText:
    "import os, time\ndef main():\n    for byte in '𝄞'.encode():\n        os.write(1, bytes([byte]))\n        time.sleep(0.01)\n    os.write(1, b'\\xff|\\xf0\\x9d')",
  waitForChild:
    "import subprocess\ndef main():\n    child = subprocess.Popen(['sleep', '300'])\n    print(child.pid, flush=True)\n    child.wait()",
  printLine: (length) => `def main():\n    print('x' * ${length}, end='')\n    return 'through'`,
  endless: "def main():\n    print('begun')\n    while True: pass",
  deaf: "import signal, time\nfor s in (15, 2, 1):\n    signal.signal(s, signal.SIG_IGN)\ndef main():\n    time.sleep(60)",
  allocate: "import time\ndef main():\n    held = [bytearray(1 << 20) for _ in range(390)]\n    time.sleep(30)",
  fail: "def main(a):\n    print('user-output')\n    raise ValueError('user-message')",
  exit: "import os\ndef main():\n    print('last words')\n    os._exit(4)",
  signal: "import os, signal\ndef main():\n    os.kill(os.getpid(), signal.SIGKILL)",
  malformed: "def main():\n    return object()",
  text: (length) => `def main():\n    return 'x' * ${length}`,
  environment:
    "import os, subprocess\ndef main():\n    for item in os.environ.items(): print('='.join(item), flush=True)\n    subprocess.run(['env'])",
  litter: `
import os, stat
def main():
    home = "home" if os.getcwd() == os.environ["HOME"] else ""
    print("|".join([" ".join(os.listdir(".")), " ".join(os.listdir("tmp")), home, stat.filemode(os.stat(".").st_mode)]))
    open("left.txt", "w").close()
    os.makedirs("tmp/locked/inner")
    os.chmod("tmp/locked", 0o500)`,
  hide: (mark, seconds) => `
import subprocess, time
def main():
    subprocess.Popen(["sleep", "${mark}"])
    subprocess.Popen(["sleep", "${mark}"], start_new_session=True)
    subprocess.Popen(["env", "-i", "setsid", "sleep", "${mark}"], start_new_session=True)
    subprocess.Popen(["env", "-i", "setsid", "sh", "-c", "setsid sleep ${mark} &"], start_new_session=True, cwd="/")
    time.sleep(${seconds})`,
  shell: (program) =>
    `import subprocess\ndef main():\n    print(subprocess.run(["bash", "-c", ${JSON.stringify(program)}], capture_output=True, text=True).stdout)`,
  forgeForever: (folder, text, by) => {
    const thread = `
import os, time
while True:
    for parent, _, names in os.walk(${JSON.stringify(folder)}):
        for path in (os.path.join(parent, name) for name in names):
            try:
                if not os.path.isfile(path): continue
                old = open(path, "rb").read()
                if b${JSON.stringify(text)} in old: open(path, "wb").write(old.replace(b${JSON.stringify(text)}, b${JSON.stringify(by)}))
            except OSError: pass
    time.sleep(0.001)`;
    return `
import base64, threading
def main():
    code = base64.b64decode("${Buffer.from(thread).toString("base64")}")
    threading.Thread(target=exec, args=(code, {}), daemon=True).start()`;
  },
};

export const pythonInProcess: InProcessPrograms = {
  forge: `
import os
def main():
    print('{"ok":true,"result":"forged"}')
    print('{"idle":true}')
    return "real"`,
  preprocess: `
def preprocessor(event, extra):
    print("first")
    return {"n": event["body"]["n"] + 1, "extra": extra, "query": event["query"]}
def main(n: int, query, extra):
    print("second")
    return [n, query, extra]`,
  failInPreprocessor: "def preprocessor(event):\n    raise ValueError('bad signature')\ndef main():\n    print('ran')",
  preprocessorError: "ValueError",
  failAfterPreprocessor: "def preprocessor():\n    return {'a': 1}\ndef main(a):\n    raise ValueError('later')",
  waitAfterPreprocessor: "import time\ndef preprocessor():\n    return {'a': 1}\ndef main(a):\n    time.sleep(60)",
  countRuns: `
import os
count = 0
def main(what):
    global count
    if what == "throw": raise ValueError("x")
    if what == "exit": os._exit(3)
    count += 1
    print("run", count)
    found = sorted(os.listdir("."))
    open("left", "w").close()
    return [count, os.environ.get("NAME"), found]`,
};
