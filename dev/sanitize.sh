#!/usr/bin/env bash
# sanitize.sh SWIFT SCRATCH [kernels] [address] [thread]
#
# kernels   checks the C kernels against plain loops, beside pages that cannot be read: built with clang's address and
#           undefined-behaviour sanitizers, then without them under valgrind
# address   builds everything with the address sanitizer and runs the tests
# thread    builds everything with the thread sanitizer and runs the tests of the modules that start threads or lock
set -euo pipefail
cd "$(dirname "$0")/.."
swift=$1 scratch=$2
shift 2

kernels() {
    local folder="$scratch/kernels" clang
    # The clang beside swiftc has the runtimes of its sanitizers.
    clang=$(dirname "$(readlink -f "$(command -v "${swift}c")")")/clang
    [ -x "$clang" ] || clang=clang
    mkdir -p "$folder"
    # Older debuggers do not read the compiler's own version of DWARF.
    local sources=(-Wall -Wno-parentheses -gdwarf-4 -I Sources/CKernels/include -I Sources/CKernels Tests/Kernels/kernels.c Sources/CKernels/*.c)
    "$clang" -O1 -fsanitize=address,undefined -fno-sanitize-recover=all "${sources[@]}" -o "$folder/sanitized" 2> "$folder/clang.log" ||
        { cat "$folder/clang.log" >&2; return 1; }
    "$folder/sanitized" 200000 1
    "$clang" -O2 "${sources[@]}" -o "$folder/plain"
    "$folder/plain" 1000000 2
    dev/install-dependencies.sh valgrind || true
    if command -v valgrind > /dev/null; then
        valgrind -q --error-exitcode=9 "$folder/plain" 5000 3
    else
        echo "******** valgrind was SKIPPED: it cannot be installed ********" >&2
    fi
}

# tests NAME OPTIONS [FILTER]
tests() {
    local name=$1 options=$2 filter=${3:-.}
    "$swift" build --build-tests --sanitize="$name" --scratch-path "$scratch-$name"
    # Leaks are left out: what a process keeps to its end, such as tables of the runtime, is no error.
    env "$options" TILLROLL_TIME_FACTOR=30 "$swift" test --disable-xctest --skip-build --sanitize="$name" --scratch-path "$scratch-$name" --filter "$filter"
}

# The others work on one thread. Tests of the whole command lower limits and send signals, which the sanitizer's own threads and
# memory do not bear.
threaded='^(TillThreads|TillSystem|TillInput|TillParquet|TillTrust|TillRender|TillPipeline)Tests\.'

[ $# -gt 0 ] || set -- kernels address thread
for what in "$@"; do
    case $what in
        kernels) kernels ;;
        address) tests address ASAN_OPTIONS=detect_leaks=0:detect_stack_use_after_return=1 ;;
        thread) tests thread TSAN_OPTIONS=halt_on_error=1 "$threaded" ;;
        *) echo "sanitize.sh: there is no '$what'; name kernels, address or thread" >&2; exit 64 ;;
    esac
done
