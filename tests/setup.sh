# Shared set-up of cli/demo, tests/run and tests/fresh-machine: the one list of Debian packages, and
# functions that install what is missing and build a preset. Source it from the repository's root
# with a POSIX shell:
#
#   . tests/setup.sh
#   evq_setup              # installs what is missing from evq_packages
#   evq_build release evq  # configures and builds one preset; further words are targets

# libboost1.81-dev is named with its version because the unversioned package is 1.74.
evq_packages="g++ cmake ninja-build pkg-config ca-certificates libboost1.81-dev libssl-dev
  libsimdjson-dev nlohmann-json3-dev libsqlite3-dev libcli11-dev doctest-dev libre2-dev libzstd-dev
  zlib1g-dev liblz4-dev libisal-dev libxxhash-dev libfmt-dev libutf8proc-dev libmaxminddb-dev
  libpugixml-dev libsnappy-dev libjemalloc-dev"
evq_test_packages="python3 tmux less openssl valgrind"
evq_fuzz_packages="clang-14 libclang-rt-14-dev"
evq_lint_packages="clang-14 clang-format-14 clang-tidy-14 git"

evq_say() {
  printf '%s\n' "$*" >&2
}

evq_fail() {
  printf '%s: %s\n' "${0##*/}" "$*" >&2
  exit 1
}

# Runs a command with its output in a log file, shown only when the command fails.
# evq_quietly LOG COMMAND...
evq_quietly() {
  evq_log=$1
  shift
  mkdir -p "$(dirname "$evq_log")"
  if "$@" >"$evq_log" 2>&1 </dev/null; then
    return 0
  fi
  tail -n 60 "$evq_log" >&2
  evq_say "failed: $*"
  evq_say "whole log: $evq_log"
  return 1
}

evq_as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    DEBIAN_FRONTEND=noninteractive "$@"
  elif command -v sudo >/dev/null 2>&1; then
    sudo DEBIAN_FRONTEND=noninteractive "$@"
  else
    evq_say "not root and no sudo: as root, run: $*"
    return 1
  fi
}

# Prints those of its arguments that are not installed.
evq_missing() {
  for evq_package in "$@"; do
    case $(dpkg-query -W -f='${Status}' "$evq_package" 2>/dev/null) in
      'install ok installed') ;;
      *) printf '%s ' "$evq_package" ;;
    esac
  done
}

# Installs what is missing; further package names are added to the list. Does nothing, and needs no
# rights, when everything is there.
evq_setup() {
  command -v dpkg-query >/dev/null 2>&1 ||
    evq_fail "this script installs Debian 12 packages; elsewhere, install their likes and use cmake"
  # Word splitting turns the list into arguments.
  # shellcheck disable=SC2086
  evq_wanted=$(evq_missing $evq_packages "$@")
  [ -n "$evq_wanted" ] || return 0
  evq_say "installing: $evq_wanted"
  evq_quietly build/setup.log evq_as_root apt-get update -q ||
    evq_fail "cannot read Debian's package lists"
  # shellcheck disable=SC2086
  evq_quietly build/setup.log evq_as_root apt-get install -y -q --no-install-recommends $evq_wanted ||
    evq_fail "cannot install the packages named above"
}

# A heavy translation unit needs about 1 GB, so memory bounds the number of jobs as cores do.
evq_jobs() {
  evq_cores=$(nproc)
  evq_gigabytes=$(awk '/^MemAvailable/ { print int($2 / 1048576) }' /proc/meminfo)
  [ "${evq_gigabytes:-1}" -ge 1 ] || evq_gigabytes=1
  [ "$evq_gigabytes" -lt "$evq_cores" ] && evq_cores=$evq_gigabytes
  printf '%s\n' "$evq_cores"
}

# evq_build PRESET [TARGET...]
evq_build() {
  evq_preset=$1
  shift
  evq_started=$(date +%s)
  [ -f "build/$evq_preset/build.ninja" ] || evq_say "building ($evq_preset); the first time takes minutes"
  evq_quietly "build/configure-$evq_preset.log" cmake --preset "$evq_preset" || exit 1
  set -- ${1:+--target "$@"}
  evq_quietly "build/build-$evq_preset.log" \
    cmake --build --preset "$evq_preset" --parallel "$(evq_jobs)" "$@" || exit 1
  evq_say "built $evq_preset in $(($(date +%s) - evq_started)) s"
}
