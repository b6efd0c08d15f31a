#!/usr/bin/env bash
# Run the default tests on the Python versions of other Debian suites: 3.13 in trixie, 3.14 in forky.
#
#     tools/other_pythons.sh [SUITE...] [-- PYTEST-ARGUMENT...]
#
# debootstrap installs each suite into a temporary directory, from the mirror that apt uses. This takes about a
# minute and 500 MB, without the tests. The pip of this machine downloads the packages that the tests require, so that
# the suite does not need network access.
#
# Prints the reason and exits with 0 if this is impossible: without root, without apt, or if a suite or its packages
# cannot be downloaded. Exits with 1 if tests fail.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

skip() { printf 'other Pythons: skipped%s: %s\n' "${2:+ in $2}" "$1"; }

suites=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do
    suites+=("$1")
    shift
done
[ $# -eq 0 ] || shift
[ ${#suites[@]} -gt 0 ] || suites=(trixie forky)

[ "$(id -u)" -eq 0 ] || { skip "setting up a suite needs root"; exit 0; }
command -v apt-get >/dev/null || { skip "there is no apt-get"; exit 0; }
if ! command -v debootstrap >/dev/null; then
    { apt-get update && apt-get install -y --no-install-recommends debootstrap; } >/dev/null 2>&1 ||
        { skip "debootstrap cannot be installed"; exit 0; }
fi
mirror=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' | grep -v security | head -n 1)
[ -n "$mirror" ] || { skip "apt names no mirror"; exit 0; }
eval "$(apt-config shell proxy Acquire::http::Proxy)"
[ -z "${proxy:-}" ] || export http_proxy=$proxy

work=$(mktemp -d)
trap 'status=$?
    rm -rf --one-file-system "$work"
    [ "$status" -eq 0 ] || printf "other Pythons: the tests fail in %s\n" "$suite"' EXIT

run_suite() { # run_suite SUITE PYTEST-ARGUMENT...
    local suite=$1 dir=$work/$1 script=() version
    shift
    # An older debootstrap does not know newer suites; all suites are set up like unstable.
    [ -e "/usr/share/debootstrap/scripts/$suite" ] || script=(/usr/share/debootstrap/scripts/sid)
    debootstrap --variant=minbase --include=python3,python3-venv,git,ca-certificates \
        "$suite" "$dir" "$mirror" "${script[@]}" >"$work/$suite.log" 2>&1 ||
        { skip "$(tail -n 1 "$work/$suite.log")" "$suite"; rm -rf --one-file-system "$dir"; return 0; }
    version=$(chroot "$dir" python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')
    mkdir "$dir/wheels" "$dir/project"
    {
        python3 -m pip wheel -q --no-deps -w "$dir/wheels" "$root" &&
            python3 -m pip download -q --only-binary=:all: --python-version "$version" \
                --find-links "$dir/wheels" -d "$dir/wheels" 'abnforge[test]'
    } >"$work/$suite.log" 2>&1 ||
        { skip "$(tail -n 1 "$work/$suite.log")" "$suite"; rm -rf --one-file-system "$dir"; return 0; }
    tar -C "$root" --exclude=./.git --exclude=./.venv -cf - . | tar -C "$dir/project" -xf -
    # Only this process sees the mounts, and they end with it.
    unshare --mount sh -euc '
        mount -t proc proc "$0/proc"
        mkdir -p "$0/dev/pts"
        mount -t devpts -o newinstance,ptmxmode=0666 devpts "$0/dev/pts"
        ln -sf pts/ptmx "$0/dev/ptmx"
        [ -c "$0/dev/null" ] || { rm -f "$0/dev/null"; mknod -m 666 "$0/dev/null" c 1 3; }
        exec env -i PATH=/usr/bin:/bin:/usr/sbin:/sbin HOME=/root LANG=C.UTF-8 NO_COLOR=1 chroot "$0" sh -euc "
            python3 -m venv /venv
            /venv/bin/pip install -q --no-index --find-links /wheels \"abnforge[test]\"
            cd /project
            /venv/bin/python --version
            PATH=/venv/bin:\$PATH exec /venv/bin/python -m pytest -q -p no:cacheprovider \"\$@\"
        " sh "$@"
    ' "$dir" "$@"
    rm -rf --one-file-system "$dir"
}

for suite in "${suites[@]}"; do
    printf 'other Pythons: %s\n' "$suite"
    run_suite "$suite" "$@" # no "||" here: it disables "set -e" in the function
done
