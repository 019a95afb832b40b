#!/bin/sh
# Installs the system packages that the build links against, and those named as arguments; says nothing when all are there.
# Only Debian and its relatives are known here; elsewhere the build itself tells what is missing.
set -eu

packages="zlib1g-dev libisal-dev libzstd-dev libxml2-dev libxlsxwriter-dev libcurl4-openssl-dev pkg-config python3-venv tzdata $*"

command -v dpkg-query >/dev/null 2>&1 || exit 0

# "ii" is a package that is wanted and fully installed; the architecture suffix is not part of the name.
# shellcheck disable=SC2086 # the list is meant to be split
installed=$(dpkg-query -W -f '${db:Status-Abbrev}${Package}\n' $packages 2>/dev/null) || true
missing=
for package in $packages; do
    case "$installed" in
    *"ii $package"*) ;;
    *) missing="$missing $package" ;;
    esac
done
[ -n "$missing" ] || exit 0

install_missing() {
    # shellcheck disable=SC2086
    "$@" env DEBIAN_FRONTEND=noninteractive apt-get -qq update >/dev/null &&
        "$@" env DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends $missing >/dev/null
}

if [ "$(id -u)" -eq 0 ]; then
    install_missing
elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
    install_missing sudo -n
else
    echo "Missing packages:$missing; run: sudo apt-get install -y --no-install-recommends$missing" >&2
    exit 1
fi
