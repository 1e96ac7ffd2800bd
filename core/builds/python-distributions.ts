// data/make-python-data.py generates both files.
import imports from "./data/python-imports.json" with { type: "json" };
import stdlib from "./data/python-stdlib.json" with { type: "json" };

const modules = new Map(Object.entries(imports.modules));
const namespaces = new Map(Object.entries(imports.namespaces).map(([module, names]) => [module, new Set(names)]));
const standard = new Map(Object.entries(stdlib).map(([version, names]) => [version, new Set(names)]));
const newest = standard.get(Object.keys(stdlib).at(-1) ?? "") ?? new Set();

/** Returns whether a module belongs to Python itself. An unknown version counts as the newest known one. */
export function isStandardModule(module: string, pythonVersion: string): boolean {
  return module === "__future__" || module.startsWith("_") || (standard.get(pythonVersion) ?? newest).has(module);
}

/**
 * Returns the distribution of a module: `pyyaml` for `yaml`, `google-cloud-storage` for `google.cloud.storage`, otherwise the name of the
 * module.
 */
export function findDistribution(module: string): string {
  const parts = module.split(".");
  const [top = module] = parts;
  const siblings = namespaces.get(top);
  for (let length = siblings ? parts.length : 0; length > 1; length--) {
    const name = parts.slice(0, length).join("-").replaceAll("_", "-").toLowerCase();
    if (siblings?.has(name)) return name;
  }
  return modules.get(`${top}.${parts[1]}`) ?? modules.get(top) ?? top.replaceAll("_", "-").toLowerCase();
}
