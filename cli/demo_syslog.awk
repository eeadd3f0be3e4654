# Turns the log files that any Debian machine has into NDJSON for the demo. Understands dpkg.log,
# apt's history.log, lines that begin with a date and time, and, failing all that, plain lines.
#
#   awk -v zone=+02:00 -f cli/demo_syslog.awk FILE...
#
# zone is the machine's own offset: these files are written in local time.

function quoted(text) {
  gsub(/\\/, "\\\\", text)
  gsub(/"/, "\\\"", text)
  gsub(/\t/, "\\t", text)
  # Whatever control bytes a log may hold are no business of JSON's.
  gsub(/[\001-\037\177]/, " ", text)
  return "\"" text "\""
}

function emit(time, fields, text,    line) {
  line = "{"
  if (time != "") line = line "\"_time\":" quoted(time) ","
  print line "\"source\":" quoted(source) fields ",\"message\":" quoted(text) "}"
}

FNR == 1 {
  source = FILENAME
  sub(/.*\//, "", source)
  if (FILENAME ~ /\/apt\/history\.log$/) source = "apt"
  sub(/\.log$/, "", source)
}

NF == 0 { next }

source == "dpkg" && NF >= 3 {
  package = $5
  if ($3 != "status") package = $4
  emit($1 "T" $2 zone, ",\"action\":" quoted($3 == "status" ? $4 : $3) ",\"package\":" quoted(package),
       substr($0, length($1 $2) + 3))
  next
}

source == "apt" {
  key = $1
  sub(/:$/, "", key)
  if (key == "Start-Date") started = $2 "T" $3 zone
  else if (key != "End-Date") emit(started, ",\"action\":" quoted(key), $0)
  next
}

# 2025-06-01T12:00:00.123456+02:00 host program[pid]: text
$1 ~ /^[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9:.]+(Z|[+-][0-9][0-9]:?[0-9][0-9])$/ {
  emit($1, "", substr($0, length($1) + 2))
  next
}

$1 ~ /^[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]$/ && $2 ~ /^[0-9][0-9]:[0-9][0-9]:[0-9][0-9]/ {
  seconds = substr($2, 1, 8)
  emit($1 "T" seconds zone, "", substr($0, length($1 $2) + 3))
  next
}

{ emit("", "", $0) }
