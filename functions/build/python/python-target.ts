import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { BuildTarget } from "../../../core/builds/build.ts";

/**
 * Creates a program that describes the target's Python to uv. uv runs an interpreter to learn the platform, but a build has none: the
 * function runs on Node, possibly on another platform than its target. Only wheels are installed, so the program is used for nothing else.
 * Its output is an internal interface of uv, so uv is pinned and a test builds a package with it.
 */
export async function describePython(dir: string, { os, arch, python }: BuildTarget): Promise<{ path: string; platform: string }> {
  const machine = arch === "x64" ? "x86_64" : os === "darwin" ? "arm64" : "aarch64";
  const version = python.split(".").slice(0, 2).join(".");
  // A high patch version, because packages that require a patch version name the first that works.
  const fullVersion = python.split(".").length > 2 ? python : `${version}.9`;
  const prefix = join(dir, "interpreter");
  const bin = join(prefix, "bin");
  const packages = join(prefix, "lib", `python${version}`, "site-packages");
  const scheme = { platlib: packages, purelib: packages, include: join(prefix, "include"), scripts: bin, data: prefix };
  const answer = {
    result: "success",
    markers: {
      implementation_name: "cpython",
      implementation_version: fullVersion,
      os_name: "posix",
      platform_machine: machine,
      platform_python_implementation: "CPython",
      platform_release: "",
      platform_system: os === "darwin" ? "Darwin" : "Linux",
      platform_version: "",
      python_full_version: fullVersion,
      python_version: version,
      sys_platform: os,
    },
    sys_base_prefix: prefix,
    sys_base_exec_prefix: prefix,
    sys_prefix: prefix,
    sys_base_executable: join(bin, "python3"),
    sys_executable: join(bin, "python3"),
    sys_path: [packages],
    site_packages: [packages],
    stdlib: join(prefix, "lib", `python${version}`),
    extension_suffixes: [".abi3.so", ".so"],
    standalone: false,
    scheme,
    virtualenv: {
      purelib: `lib/python${version}/site-packages`,
      platlib: `lib/python${version}/site-packages`,
      include: `include/site/python${version}`,
      scripts: "bin",
      data: "",
    },
    // AL2023 and recent releases of Debian and Ubuntu have at least this version of glibc.
    os: os === "darwin" ? { name: "macos", major: 13, minor: 0 } : { name: "manylinux", major: 2, minor: 34 },
    arch: machine,
    cpu_info: { detected: { kind: "flags", flags: "" } },
    manylinux_compatible: true,
    gil_disabled: false,
    debug_enabled: false,
    pointer_size: "64",
  };
  await mkdir(bin, { recursive: true });
  await mkdir(packages, { recursive: true });
  const answerPath = join(prefix, "answer.json");
  await writeFile(answerPath, `${JSON.stringify(answer)}\n`);
  await writeFile(join(bin, "python3"), `#!/bin/sh\nexec cat '${answerPath}'\n`, { mode: 0o755 });
  const platform = os === "darwin" ? `${arch === "x64" ? "x86_64" : "aarch64"}-apple-darwin` : `${machine}-manylinux_2_34`;
  return { path: join(bin, "python3"), platform };
}
