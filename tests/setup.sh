# SPDX-License-Identifier: MIT
# Sourced in the project folder by run, test and the scripts beside it: progress lines, missing packages, build directories.

started=$SECONDS
say() { printf '[%3d s] %s\n' $((SECONDS - started)) "$*"; }
stop() { printf '%s: %s\n' "${0##*/}" "$*" >&2; exit 1; }

# Installs the Debian packages that are missing. Who is not root is told, and so is who has no Debian.
need() {
    local missing=() p
    if ! command -v dpkg-query >/dev/null; then
        command -v cc meson ninja pkg-config >/dev/null && return
        stop "needs a C compiler, meson, ninja and pkg-config; on Debian: $*"
    fi
    for p; do
        [ "$(dpkg-query -Wf '${db:Status-Status}' "$p" 2>/dev/null)" = installed ] || missing+=("$p")
    done
    [ ${#missing[@]} -eq 0 ] && return
    [ "$(id -u)" -eq 0 ] || stop "packages are missing. As root: apt-get install --no-install-recommends ${missing[*]}"
    say "installing ${missing[*]}"
    local apt=(env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=600)
    { "${apt[@]}" update && "${apt[@]}" install -y --no-install-recommends "${missing[@]}"; } </dev/null \
        >"$log" 2>&1 || { tail -n 20 "$log" >&2; stop "apt-get failed"; }
}

# build DIR [MESON OPTION]...: configures, anew where it is not the first time (what was missing then may be here now), and
# compiles; quietly unless that fails.
build() {
    local dir=$1 again=()
    shift
    [ ! -e "$dir/build.ninja" ] || again=(--reconfigure)
    say "building $dir"
    meson setup "${again[@]}" "$dir" "$@" >"$log" 2>&1 || { tail -n 30 "$log" >&2; return 1; }
    ninja -C "$dir" >"$log" 2>&1 || { grep -vE '^\[[0-9]+/[0-9]+\]' "$log" | tail -n 60 >&2; return 1; }
}

log=$(mktemp)
trap 'rm -f "$log"' EXIT

# What every build wants; the libraries that the tests and the benchmark compare with.
tools=(gcc libc6-dev meson ninja-build pkg-config)
peers=(libssl-dev libsodium-dev libgcrypt20-dev nettle-dev libwolfssl-dev libipsec-mb-dev android-libboringssl-dev
    libjansson-dev)

# Where tests/toolchains puts what no Debian 12 package has, compiler and emulator wrappers, and meson's cross files.
toolchains=${QS_TOOLCHAINS:-${XDG_CACHE_HOME:-~/.cache}/quickstep}
