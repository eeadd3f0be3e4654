#!/bin/sh
# Drives the demo program in a real terminal, tmux, by keys, and compares what the screen shows:
# tmux_test.sh DEMO. Uses a server of its own, which it ends; exit 77 where tmux is missing.
set -u
demo=$1
if ! command -v tmux >/dev/null 2>&1; then
  echo "skipped: tmux is not installed"
  exit 77
fi
folder=$(mktemp -d)
socket=$folder/none
starts=0
failures=0
LC_ALL=C.UTF-8
export LC_ALL
unset NO_COLOR CLICOLOR CLICOLOR_FORCE TMUX EVQ_PAGER PAGER

t() { tmux -S "$socket" -f /dev/null "$@"; }
stop() { t kill-server 2>/dev/null; rm -rf "$folder"; }
trap stop EXIT

start() { # COLUMNS ROWS
  # A socket of its own: a server that is ending still answers on the old one.
  t kill-server 2>/dev/null
  starts=$((starts + 1))
  socket=$folder/tmux$starts
  t -u new-session -d -x "$1" -y "$2" \
    "DEMO_HISTORY=$folder/history EDITOR='sed -i s/old/new/' $demo; echo ended with \$?; sleep 60"
  expect 'demo>' "$1 by $2 starts"
}
keys() { t send-keys -t 0 "$@"; }
screen() { t capture-pane -t 0 -p | sed -e 's/ *$//' -e '/./,$!d' | sed -e :a -e '/^\n*$/{$d;N;ba' -e '}'; }

# Waits until the screen is exactly the text.
expect() { # TEXT NAME
  tries=0
  while [ "$(screen)" != "$1" ]; do
    tries=$((tries + 1))
    if [ $tries -gt 1200 ]; then
      printf 'FAILED %s: the screen is\n%s\n-- and should be\n%s\n' "$2" "$(screen)" "$1"
      failures=$((failures + 1))
      return
    fi
    sleep 0.05
  done
  echo "ok $2"
}

# Waits until the screen ends with the text.
expect_end() { # TEXT NAME
  tries=0
  while :; do
    now=$(screen)
    case $now in *"$1") echo "ok $2"; return ;; esac
    tries=$((tries + 1))
    if [ $tries -gt 1200 ]; then
      printf 'FAILED %s: the screen is\n%s\n-- and should end with\n%s\n' "$2" "$now" "$1"
      failures=$((failures + 1))
      return
    fi
    sleep 0.05
  done
}

start 40 12
keys -l 'where 日本 👩‍👩‍👧 x'
keys Left Left
keys -l '!'
expect 'demo> where 日本 👩‍👩‍👧! x' 'wide characters keep the cursor in place'
at=$(t display-message -t 0 -p '#{cursor_x}')
if [ "$at" -ne 20 ]; then
  echo "FAILED the cursor is in column $at and should be in 20"
  failures=$((failures + 1))
fi
keys Enter
expect 'demo> where 日本 👩‍👩‍👧! x
got: where 日本 👩‍👩‍👧! x
demo>' 'Enter'
keys C-l
keys -l 'f(' ; keys Enter ; keys -l 'a)' ; keys M-Enter ; keys -l 'b'
expect 'demo> f(
  a)
  b' 'a text of several lines'
keys C-c
expect 'demo> f(
  a)
  b^C
interrupted
demo>' 'Ctrl-C'
keys C-l ; keys -l 'x co' ; keys Tab
expect 'demo> x count
  count    word number 0
  countif  word number 1' 'the menu opens'
keys Tab Tab
expect 'demo> x countif
  count    word number 0
> countif  word number 1' 'the menu chooses'
keys Enter
expect 'demo> x countif' 'the menu closes'
keys C-u ; keys -l 'whe'
expect 'demo> where status' 'the hint'
keys C-c C-l ; keys C-r ; keys -l '日'
expect "search '日': where 日本 👩‍👩‍👧! x" 'incremental search'
keys C-a C-k ; keys -l 'old text' ; keys C-x C-e
expect 'demo> old text
demo> new text' 'the outside editor'
keys C-u C-l ; keys -l '0123456789012345678901234567890123456789'
expect 'demo> 0123456789012345678901234567890123
456789' 'wrapping'
t resize-window -t 0 -x 24 -y 12
expect 'demo> 012345678901234567
8901234567890123456789' 'a narrower terminal'
t resize-window -t 0 -x 60 -y 12
expect 'demo> 0123456789012345678901234567890123456789' 'a wider terminal'
keys C-c C-l
t set-buffer 'one
two( 	x
three)'
t paste-buffer -p -t 0
expect 'demo> one
  two(     x
  three)' 'a paste in brackets'
keys C-c C-l ; keys -l '.table' ; keys Enter
expect 'demo> .table
┌───────────────┬────┐
│ name          │  n │
├───────────────┼────┤
│ 日本語        │ 12 │
│ 👩‍👩‍👧 é \x1b[31m │  3 │
└───────────────┴────┘
demo>' 'a table lines up'
keys C-l ; keys -l '.long' ; keys Enter
expect 'line 1
line 2
line 3
line 4
line 5
line 6
line 7
line 8
line 9
line 10
line 11
:' 'the pager'
# A key that comes while the terminal is not raw means what it means to the kernel, so each waits
# for the prompt.
keys q
expect_end 'demo>' 'the pager ends'
keys -l 'back' ; keys Enter
expect_end 'got: back
demo>' 'reading goes on'
keys C-d
expect_end 'ended with 0' 'Ctrl-D ends'

start 40 12
keys Up Up
expect 'demo> .long' 'history of the last run'

start 40 4
t set-buffer '1
2
3
4
5'
t paste-buffer -p -t 0
expect '  2
  3
  4
  5' 'a text taller than the screen'
keys M-'<'
expect 'demo> 1
  2
  3
  4' 'its beginning'
exit $failures
