#!/bin/bash -eu
# Build all targets into $OUT, with their inputs and dictionaries. OSS-Fuzz sets the variables, and has the command
# compile_python_fuzzer.
python3 -m pip install '.[ingest,test]'
python3 fuzz/build_kernel.py "$OUT" --coverage --plain --compiler "$CC $CXXFLAGS -Wno-unused-command-line-argument"
python3 fuzz/targets.py | while read -r name dictionary inputs; do
    printf 'import sys\nimport targets\n\ntargets.main("%s", *sys.argv[1:])\n' "$name" >"fuzz/fuzz_$name.py"
    compile_python_fuzzer "fuzz/fuzz_$name.py" --paths=. --paths=fuzz --collect-all=abnforge </dev/null
    cp "fuzz/dictionaries/$dictionary.dict" "$OUT/fuzz_$name.dict"
    # shellcheck disable=SC2086 # several files
    python3 -m zipfile -c "$OUT/fuzz_${name}_seed_corpus.zip" $inputs
done
