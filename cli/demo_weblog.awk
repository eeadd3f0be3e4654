# Prints a day of a web shop's request log as NDJSON: the demo's larger dataset.
#
#   awk -v events=200000 -v end=$(date +%s) -f cli/demo_weblog.awk
#
# Same events and same end give the same bytes: the random numbers are ours (Park and Miller's
# multiplicative generator, exact in doubles), not awk's. Requests follow a daily curve, latency a
# heavy tail that depends on the path, and for 90 minutes one region's payments and carts fail, so that
# there is something to find.

function below(n) {
  seed = (seed * 48271) % 2147483647
  return int(seed / 2147483647 * n)
}

# Draws an index of the list by weight; the weights are cumulative, out of 1000.
function draw(cumulative, n,    x, i) {
  x = below(1000)
  for (i = 1; i < n; i++)
    if (x < cumulative[i]) return i
  return n
}

# Days since 1970-01-01 to a calendar date (Howard Hinnant's algorithm).
function date_of(days,    era, doe, yoe, doy, mp, d, m) {
  days += 719468
  era = int(days / 146097)
  doe = days - era * 146097
  yoe = int((doe - int(doe / 1460) + int(doe / 36524) - int(doe / 146096)) / 365)
  doy = doe - (365 * yoe + int(yoe / 4) - int(yoe / 100))
  mp = int((5 * doy + 2) / 153)
  d = doy - int((153 * mp + 2) / 5) + 1
  m = mp < 10 ? mp + 3 : mp - 9
  return sprintf("%04d-%02d-%02d", yoe + era * 400 + (m <= 2), m, d)
}

function timestamp(seconds, millis,    day) {
  day = int(seconds / 86400)
  if (day != cached_day) {
    cached_day = day
    cached_date = date_of(day)
  }
  seconds -= day * 86400
  return sprintf("%sT%02d:%02d:%02d.%03dZ", cached_date, int(seconds / 3600),
                 int(seconds / 60) % 60, seconds % 60, millis)
}

function hex(digits,    text) {
  text = ""
  while (digits > 0) {
    text = text sprintf("%04x", below(65536))
    digits -= 4
  }
  return text
}

function message(path, status, latency, region,    shape) {
  if (path == "/api/payments") {
    if (status >= 500) return "payment failed: connection refused by bank-gateway in " region
    return sprintf("payment %s authorised amount=%d.%02d %s gateway=%s latency=%dms", hex(8),
                   5 + below(400), below(100), currencies[1 + below(4)], gateways[1 + below(3)],
                   latency)
  }
  if (status >= 500) return "upstream timed out after " latency " ms, retried " below(4) " times"
  if (status == 404) return "no route or object for " path
  if (status == 429) return "rate limit reached for client"
  shape = below(3)
  if (shape == 0) return "served from cache"
  if (shape == 1) return "query returned " below(500) " rows in " int(latency / 2) " ms"
  return "request completed"
}

function event(seconds, millis,    p, region, status, latency, bad, line) {
  p = draw(path_weight, path_count)
  region = regions[1 + below(4)]
  status = statuses[draw(status_weight, status_count)]
  # A product of uniform numbers has the heavy tail that response times have.
  latency = int(base_latency[p] / (0.02 + below(1000) / 1000 * (0.4 + below(600) / 1000))) + 1
  bad = seconds >= outage && seconds < outage + 5400 && region == "eu-central"
  if (bad && (paths[p] == "/api/payments" || paths[p] == "/cart") && below(10) < 8) {
    status = 503
    latency += 5000
  }
  line = sprintf("{\"_time\":\"%s\",\"method\":\"%s\",\"path\":\"%s\",\"status\":%d,\"latency_ms\":%d",
                 timestamp(seconds, millis), methods[p], paths[p], status, latency)
  line = line sprintf(",\"bytes\":%d,\"ip\":\"10.%d.%d.%d\",\"region\":\"%s\"",
                      200 + below(300) * below(300), below(4), below(256), 1 + below(254), region)
  line = line sprintf(",\"user\":{\"id\":%d,\"plan\":\"%s\"},\"user_agent\":\"%s\"",
                      1000 + below(5000), plans[1 + below(3)], agents[1 + below(5)])
  print line sprintf(",\"trace_id\":\"%s\",\"message\":\"%s\"}", hex(16),
                     message(paths[p], status, latency, region))
}

function weights(cumulative, text,    n, parts, i, sum) {
  n = split(text, parts, " ")
  sum = 0
  for (i = 1; i <= n; i++) cumulative[i] = sum += parts[i]
  return n
}

BEGIN {
  if (!events) events = 200000
  if (!end) end = 1748822400
  seed = 20240501
  cached_day = -1
  split("/ /products /products/{id} /cart /api/search /api/payments /login /static/app.js", paths, " ")
  split("GET GET GET POST GET POST POST GET", methods, " ")
  split("8 14 12 20 60 90 25 3", base_latency, " ")
  path_count = weights(path_weight, "140 190 220 90 130 60 50 120")
  split("200 201 304 301 404 401 429 500 502", statuses, " ")
  status_count = weights(status_weight, "820 30 70 20 35 10 8 5 2")
  split("eu-central us-east us-west ap-south", regions, " ")
  split("free team business", plans, " ")
  split("EUR USD GBP INR", currencies, " ")
  split("adyen stripe paypal", gateways, " ")
  agents[1] = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/126.0 Safari/537.36"
  agents[2] = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 Version/17.4"
  agents[3] = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:127.0) Gecko/20100101 Firefox/127.0"
  agents[4] = "okhttp/4.12.0"
  agents[5] = "curl/7.88.1"
  outage = end - 5 * 3600
  for (i = 0; i < events; i++) {
    x = (i + 0.5) / events
    # More requests in the middle of the day than at its ends.
    offset = 86400 * (x + sin(6.283185307 * x) / 12)
    event(end - 86400 + int(offset), int((offset - int(offset)) * 1000))
  }
}
