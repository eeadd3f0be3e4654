# Counts the cases in the LastTest.log of one ctest run and prints "PASSED FAILED":
#
#   awk -v skipped=FILE -v preset=NAME -f tests/count_cases.awk LastTest.log
#
# A program counts as many as it says it ran; one that says nothing counts as one, and one that dies
# counts as a failure whatever it said. What is skipped counts as neither: a line for each, with its
# program and its reason, is appended to FILE. ctest calls such a program passed, and one that it could
# not start, too: that one has no command.

function begin(program) {
  name = program
  ok = bad = skips = said = absent = 0
  ran = -1
}

function skip(reason) {
  print "  " preset ", " name ": " reason >>skipped
  ++skips
}

# The number behind these words in what unittest says at its end, such as "FAILED (errors=1, skipped=2)".
function number_behind(words, at) {
  at = index($0, words)
  return at == 0 ? 0 : substr($0, at + length(words)) + 0
}

function end_unittest(broken, left_out) {
  broken = number_behind("(failures=") + number_behind("errors=") + number_behind("unexpected successes=")
  left_out = number_behind("skipped=")
  ok += ran > broken + left_out ? ran - broken - left_out : 0
  bad += broken
  said = 1
  ran = -1
  if (left_out > skips) {
    skip(left_out - skips " more without a reason")
  }
}

function end_program(passed) {
  if (absent || (!passed && bad == 0)) {
    bad = bad > 0 ? bad : 1
  } else if (passed && !said && skips == 0) {
    ok = 1
  }
  good += ok
  wrong += bad
}

output && /^<end of output>$/ { output = 0; next }
output && /^skipped: / { skip(substr($0, length("skipped: ") + 1)) }
output && / MESSAGE: SKIPPED: / {  # of a case that doctest counts among those that passed
  skip(substr($0, index($0, "SKIPPED: ") + length("SKIPPED: ")))
  --ok
}
output && /^\[doctest\] test cases:/ { ok += $6; bad += $9; said = 1 }
output && /^[0-9]+ passed, [0-9]+ failed/ { ok += $1; bad += $3; said = 1 }
output && /^# pass [0-9]+$/ { ok += $3; said = 1 }  # of node
output && /^# fail [0-9]+$/ { bad += $3 }
output && /^Ran [0-9]+ tests? in / { ran = $2 }
output && ran >= 0 && /^(OK|FAILED)( \(|$)/ { end_unittest() }
output { next }

/^[0-9]+\/[0-9]+ Test: / { begin($3) }
/^Command: ""$/ { absent = 1 }
/^Output:$/ { output = 1 }
/^Test Passed\.$/ { end_program(1) }
/^Test Failed\.$/ { end_program(0) }

END { print good + 0, wrong + 0 }
