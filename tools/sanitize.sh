#!/usr/bin/env bash
# Run the tests of the C extension with AddressSanitizer and UndefinedBehaviorSanitizer.
#
#     tools/sanitize.sh [PYTEST-ARGUMENT...]
#
# Compiles the extension into a temporary copy of the package. Python allocates with malloc, so that the sanitizers
# detect reads beyond the end of a str. Exits with a nonzero status after a report. If no compiler supports
# these sanitizers, prints the reason and exits with 0.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
python=${PYTHON:-python}
compiler=${CC:-cc}
checks=(-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
printf 'int main(void) { return 0; }\n' >"$work/try.c"
if ! "$compiler" "${checks[@]}" "$work/try.c" -o "$work/try" 2>"$work/log" || ! "$work/try" 2>>"$work/log"; then
    printf 'sanitizers: skipped: %s\n' "$(head -n 1 "$work/log")"
    exit 0
fi

cp -r "$root/src/abnforge" "$work/abnforge"
find "$work/abnforge/_native" -name 'binding*.so' -delete
"$compiler" -shared -fPIC -std=gnu11 -O2 -g -Wall -Wextra -Werror "${checks[@]}" -DPy_LIMITED_API=0x030B0000 \
    -I"$("$python" -c 'import sysconfig; print(sysconfig.get_path("include"))')" \
    "$root"/src/abnforge/_native/*.c -o "$work/abnforge/_native/binding.abi3.so"

# Leaks are not reported here, since Python does not free all memory when it exits. Another test searches for them.
export ASAN_OPTIONS=detect_leaks=0:abort_on_error=0 UBSAN_OPTIONS=print_stacktrace=1
export PYTHONMALLOC=malloc PYTHONPATH=$work PYTHONDONTWRITEBYTECODE=1 ABNFORGE_KERNEL=
preload=
for library in libasan.so libubsan.so; do
    file=$("$compiler" -print-file-name=$library)
    [ -e "$file" ] || { printf 'sanitizers: skipped: %s has no %s that a program can load\n' "$compiler" $library; exit 0; }
    preload="$preload $file"
done
cd "$root"
LD_PRELOAD=$preload "$python" -c '
import sys, abnforge._native.binding as it
assert it.__file__.startswith(sys.argv[1]), it.__file__' "$work"
tests() {
    LD_PRELOAD=$preload "$python" -m pytest -q -n 0 -p no:cacheprovider "$@"
}
if [ $# -gt 0 ]; then
    tests "$@"
else # sanitizers keep freed memory, so tests that measure memory cannot pass
    tests tests/_native tests/automata/test_{code_points,tables,tagged}.py tests/uri/test_parts.py tests/uri/rfc3986/test_parse.py \
        -m 'not memory'
    tests tests/laws/test_table_walks.py tests/laws/test_references.py tests/columns tests/parsing/recognizer \
        tests/explain/test_{reading,weighted,windows}.py
fi
