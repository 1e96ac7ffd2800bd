"""Makes python-imports.json and python-stdlib.json from pinned, published data. Run it to update the data:

    python3 -m venv /tmp/v && /tmp/v/bin/pip download --no-deps -d /tmp/v/wheels pigar==2.2.0 guarddog==3.2.0 stdlib-list==0.12.0
    python3 core/builds/data/make-python-data.py /tmp/v/wheels && npx biome format --write core/builds/data

pigar (BSD-3-Clause) lists the modules of each distribution, guarddog (Apache-2.0) the most popular distributions, and stdlib-list (MIT)
the modules of Python itself. If several distributions contain a module such as `yaml`, the most popular one is selected. Only data is used,
no code.
"""

import glob
import json
import os
import re
import sqlite3
import sys
import tempfile
import zipfile

wheels, here = sys.argv[1], os.path.dirname(os.path.abspath(__file__))


def wheel(name):
    return zipfile.ZipFile(glob.glob(f"{wheels}/{name}-*.whl")[0])


def normal(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def write(name, value):
    with open(f"{here}/{name}", "w") as file:
        json.dump(value, file, indent=2, sort_keys=True)
        file.write("\n")


resources = "guarddog/analyzer/metadata/resources"
popular = [normal(name) for name in json.loads(wheel("guarddog").read(f"{resources}/top_pypi_packages.json"))["packages"]]
rank = {name: place for place, name in reversed(list(enumerate(popular)))}

with tempfile.NamedTemporaryFile() as file:
    file.write(wheel("pigar").read("pigar/.db.sqlite3"))
    file.flush()
    rows = sqlite3.connect(file.name).execute(
        "select t.name, d.name from distributions d join top_level_module_names t on t.distribution_id = d.id"
    ).fetchall()

# Folders that many distributions contain by accident. Other packages do not import them.
accidents = set(
    "test tests testing doc docs example examples src scripts bin build dist benchmarks tools utils lib".split()
)
owners = {}
for module, distribution in rows:
    name = normal(distribution)
    if name in rank and re.fullmatch(r"[A-Za-z]\w*", module) and module not in accidents:
        owners.setdefault(module, set()).add(name)

modules = {}
for module, names in owners.items():
    best = min(names, key=lambda name: rank[name])
    if best != normal(module):
        modules[module] = best

# `google`, `azure` and the like have one distribution for each module below them. All names with the prefix are listed, and the longest match wins.
namespaces = {}
for module in "google azure opentelemetry zope ruamel databricks snowflake airflow jaraco backports mysql".split():
    names = sorted(name for name in rank if name.startswith(f"{module}-"))
    if names:
        namespaces[module] = names

# psycopg2 has no wheels for Linux; the other names belong to several distributions or are below such a name.
modules.update(
    {
        "psycopg2": "psycopg2-binary",
        "opentelemetry": "opentelemetry-api",
        "mpl_toolkits": "matplotlib",
        "google.protobuf": "protobuf",
    }
)

write("python-imports.json", {"modules": modules, "namespaces": namespaces})
stdlib = {}
for version in ["3.10", "3.11", "3.12", "3.13", "3.14"]:
    names = wheel("stdlib_list").read(f"stdlib_list/lists/{version}.txt").decode().split()
    stdlib[version] = sorted({name.split(".")[0] for name in names})
write("python-stdlib.json", stdlib)
print(len(modules), "modules", {key: len(names) for key, names in namespaces.items()})
