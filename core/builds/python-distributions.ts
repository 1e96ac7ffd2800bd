// Both files are made by data/make-python-data.py.
import imports from "./data/python-imports.json" with { type: "json" };
import stdlib from "./data/python-stdlib.json" with { type: "json" };

const modules = new Map(Object.entries(imports.modules));
const namespaces = new Map(Object.entries(imports.namespaces).map(([module, names]) => [module, new Set(names)]));
const standard = new Map(Object.entries(stdlib).map(([version, names]) => [version, new Set(names)]));
const newest = standard.get(Object.keys(stdlib).at(-1) ?? "") ?? new Set();

/** Whether Python brings the module itself; versions that the list does not know yet count as the newest it does. */
export function isStandardModule(module: string, pythonVersion: string): boolean {
  return module === "__future__" || module.startsWith("_") || (standard.get(pythonVersion) ?? newest).has(module);
}

/** The distribution that holds a module: `yaml` → `pyyaml`, `google.cloud.storage` → `google-cloud-storage`; else named like the module. */
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
