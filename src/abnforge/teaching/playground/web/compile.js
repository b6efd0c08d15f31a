// Compiles the modules that the first verdict needs, and replaces them in the archives: a browser starts in half the
// time. The other modules stay source code, which is smaller. Run by the build: node compile.js SITE
import fs from "node:fs";
import { pathToFileURL } from "node:url";

const PACKAGES = "/lib/playground";
const COMPILE = `
import io, sys, zipfile
from importlib._bootstrap_external import _code_to_hash_pyc

paths = (getattr(module, "__file__", None) or "" for module in list(sys.modules.values()))
loaded = {path.partition(prefix)[2] for path in paths for prefix in ("${PACKAGES}/", ".zip/")}

def compiled(octets):
    result = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(octets)) as source, zipfile.ZipFile(result, "w") as target:
        for entry in source.infolist():
            octets = source.read(entry)
            if entry.filename in loaded:
                code = compile(octets, entry.filename, "exec", dont_inherit=True)
                octets = _code_to_hash_pyc(code, bytes(8), checked=False)
                entry.filename += "c"
            target.writestr(zipfile.ZipInfo(entry.filename, entry.date_time), octets)
    return result.getvalue()

lambda octets: compiled(octets.to_bytes())
`;

const [, , site] = process.argv;
const at = (name) => `${site}/${name}`;
const read = (name) => new Uint8Array(fs.readFileSync(at(name)));
const { loadPyodide } = await import(pathToFileURL(at("pyodide/pyodide.mjs")));
const env = { ABNFORGE_KERNEL: "python", PYTHONHASHSEED: "0" }; // the order of constants in a set depends on hashes
const python = await loadPyodide({ indexURL: at("pyodide/"), env });
python.unpackArchive(read("python.zip"), "zip", { extractDir: PACKAGES });
python.runPython(`import sys; sys.path.insert(0, "${PACKAGES}")`);
const answer = python.runPython("from abnforge.teaching.playground.questions import answer; answer");
const call = (ask, told = {}) => JSON.parse(answer(JSON.stringify({ ask, ...told }))).answer;
call("implementation");
const [first] = call("menu");
for (const ask of ["grammar", "examples", "string"]) call(ask, { ...first, text: first.grammar });
const compile = python.runPython(COMPILE);
for (const name of ["python.zip", "pyodide/python_stdlib.zip"]) {
  fs.writeFileSync(at(name), compile(read(name)).toJs());
}
