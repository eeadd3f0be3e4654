#!/bin/sh
# sh tests/cli/kill_test.sh EVQ [ROUNDS]: kills evq -9 at random moments while it ingests, and checks
# after every kill that what was acknowledged is there, once:
#
#   small requests  one evq ingest per request of $rows events; exit 0 acknowledges it. Afterwards an
#                   acknowledged request has all its events, any other one all or none.
#   one stream      one evq ingest of many events, killed. A whole prefix of the input may have
#                   landed: events 0..n-1 for some n, each once.
#
# evq check must find the store sound every time, and every third round ends in evq compact, killed
# as well. Fails at the first violation and leaves the store for inspection.
set -eu

evq=$(realpath "${1:?usage: sh tests/cli/kill_test.sh EVQ [ROUNDS]}")
rounds=${2:-20}
rows=50
work=$(mktemp -d)
store=$work/store
requests=0
acknowledged=$work/acknowledged
: >"$acknowledged"

fail() {
  printf 'kill_test: round %s: %s\nstore kept: %s\n' "$round" "$*" "$work" >&2
  exit 1
}

# The rows of an answer, without its header, in the file $work/rows.
query() {
  "$evq" --store "$store" query -o csv "$1" >"$work/answer" 2>"$work/errors" ||
    fail "evq query: $(cat "$work/errors")"
  tail -n +2 "$work/answer" >"$work/rows"
}

# Sleeps a random part of the given number of milliseconds.
sleep_below() {
  number=$(od -An -N4 -tu4 /dev/urandom)
  sleep "$(awk -v n="$number" -v m="$1" 'BEGIN { printf "%.4f", n % (m * 1000) / 1000000 }')"
}

# Events of request $1: the request's number and the event's.
request() {
  awk -v r="$1" -v n="$rows" 'BEGIN { for (i = 0; i < n; i++)
    printf "{\"request\":%d,\"event\":%d,\"text\":\"event %d of request %d\"}\n", r, i, i, r }'
}

stream() {
  awk -v s="$1" 'BEGIN { for (i = 0; i < 400000; i++)
    printf "{\"stream\":%d,\"event\":%d,\"text\":\"event %d\"}\n", s, i, i }'
}

# Small requests one after the other until killed; runs in the background.
small_requests() {
  n=$1
  while :; do
    request "$n" | "$evq" --store "$store" ingest small - >/dev/null 2>&1 || exit 0
    echo "$n" >>"$acknowledged"
    n=$((n + 1))
  done
}

# Kills the shell first, so that it starts no further request, then what it was running.
kill_tree() {
  children=$(cat "/proc/$1/task/$1/children" 2>/dev/null || true)
  kill -9 "$1" 2>/dev/null || true
  for child in $children; do
    kill_tree "$child"
  done
}

check_sound() {
  "$evq" --store "$store" check >"$work/check" 2>&1 || fail "evq check: $(cat "$work/check")"
}

check_small() {
  query "small | summarize n = count(), s = sum(event) by request
    | where n != $rows or s != $((rows * (rows - 1) / 2))"
  [ -s "$work/rows" ] && fail "requests in part or twice: $(head -n 3 "$work/rows" | tr '\n' ' ')"
  query "small | distinct request | limit 1000000"
  sort "$work/rows" >"$work/found"
  sort "$acknowledged" | comm -23 - "$work/found" >"$work/lost"
  [ -s "$work/lost" ] && fail "acknowledged requests lost: $(head -n 5 "$work/lost" | tr '\n' ' ')"
  return 0
}

check_stream() {
  query "stream | summarize n = count(), last = max(event), s = sum(event) by stream
    | where n != last + 1 or s * 2 != last * (last + 1)"
  [ -s "$work/rows" ] && fail "streams with gaps or doubles: $(head -n 3 "$work/rows" | tr '\n' ' ')"
  return 0
}

round=0
# One request and one event that nobody kills: from then on the fields that queries name are there.
request 0 | "$evq" --store "$store" ingest small - >/dev/null 2>&1 || fail "cannot ingest"
echo 0 >>"$acknowledged"
printf '{"stream":0,"event":0,"text":"event 0"}\n' |
  "$evq" --store "$store" ingest stream - >/dev/null 2>&1 || fail "cannot ingest"
while [ "$round" -lt "$rounds" ]; do
  round=$((round + 1))
  requests=$((requests + 100000))
  small_requests "$requests" &
  writer=$!
  sleep_below 400
  kill_tree "$writer"
  wait "$writer" 2>/dev/null || true
  check_sound
  check_small

  stream "$round" >"$work/stream.ndjson"
  "$evq" --store "$store" ingest stream "$work/stream.ndjson" >/dev/null 2>&1 &
  writer=$!
  sleep_below 600
  kill -9 "$writer" 2>/dev/null || true
  wait "$writer" 2>/dev/null || true
  check_sound
  check_stream

  if [ $((round % 3)) -eq 0 ]; then
    "$evq" --store "$store" compact >/dev/null 2>&1 &
    writer=$!
    sleep_below 300
    kill -9 "$writer" 2>/dev/null || true
    wait "$writer" 2>/dev/null || true
    check_sound
    check_small
    check_stream
  fi
done
printf 'kill_test: %s rounds, %s acknowledged requests, none lost, none twice\n' "$rounds" \
  "$(wc -l <"$acknowledged")"
rm -rf "$work"
