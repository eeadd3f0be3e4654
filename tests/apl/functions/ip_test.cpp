// IP addresses: strict reading, masks, both kinds, addresses in texts; SQL statements.

#include <doctest/doctest.h>

#include "tests/support/function_calls.h"

namespace evq {
namespace {

TEST_CASE("IPv4 addresses") {
  check_calls({
      {"parse_ipv4", {t("127.0.0.1")}, "2130706433"},
      {"parse_ipv4", {t("10.1.2.3/8")}, "167772160"},
      {"parse_ipv4", {t("1.2.3")}, "null"},
      {"parse_ipv4", {t("1.2.3.256")}, "null"},
      {"parse_ipv4", {t("1.2.3.04")}, "null"},
      {"parse_ipv4", {t("1.2.3.4.5")}, "null"},
      {"parse_ipv4", {t("1.2.3.4/33")}, "null"},
      {"parse_ipv4_mask", {t("255.255.255.255"), n(0)}, "0"},
      {"format_ipv4", {n(2130706433)}, "127.0.0.1"},
      {"format_ipv4", {n(-1)}, ""},
      {"format_ipv4", {t("192.168.1.77"), n(24)}, "192.168.1.0"},
      {"format_ipv4_mask", {t("192.168.1.77"), n(24)}, "192.168.1.0/24"},
      {"ipv4_compare", {t("10.0.0.1/24"), t("10.0.0.200")}, "0"},
      {"ipv4_compare", {t("10.0.0.1"), t("x")}, "null"},
      {"ipv4_compare", {t("1.1.1.1"), t("::1")}, "null"},
      {"ipv4_is_in_range", {t("10.1.2.3"), t("10.0.0.0/8")}, "true"},
      {"ipv4_is_in_range", {t("10.0.0.0/7"), t("10.0.0.0/8")}, "false"},
      {"ipv4_is_in_any_range", {t("10.1.2.3"), j(R"(["1.0.0.0/8","10.0.0.0/8"])")}, "true"},
      {"ipv4_is_in_any_range", {t("bad"), t("1.0.0.0/8")}, "null"},
      {"ipv4_is_private", {t("172.31.255.255")}, "true"},
      {"ipv4_is_private", {t("172.32.0.0")}, "false"},
      {"ipv4_is_private", {t("127.0.0.1")}, "false"},
      {"ipv4_netmask_suffix", {t("10.0.0.0/8")}, "8"},
      {"ipv4_range_to_cidr_list", {t("0.0.0.0"), t("255.255.255.255")}, R"(["0.0.0.0/0"])"},
      {"ipv4_range_to_cidr_list",
       {t("10.0.0.1"), t("10.0.0.2")},
       R"(["10.0.0.1/32","10.0.0.2/32"])"},
      {"ipv4_range_to_cidr_list", {t("2.0.0.0"), t("1.0.0.0")}, "null"},
  });
}

TEST_CASE("IPv6 addresses") {
  check_calls({
      {"parse_ipv6", {t("fe80::1")}, "fe80:0000:0000:0000:0000:0000:0000:0001"},
      {"parse_ipv6", {t("::")}, "0000:0000:0000:0000:0000:0000:0000:0000"},
      {"parse_ipv6", {t("1:2:3:4:5:6:7:8")}, "0001:0002:0003:0004:0005:0006:0007:0008"},
      {"parse_ipv6", {t("::1.2.3.4")}, "0000:0000:0000:0000:0000:ffff:0102:0304"},
      {"parse_ipv6", {t("1:2:3:4:5:6:7:8:9")}, "null"},
      {"parse_ipv6", {t("1::2::3")}, "null"},
      {"parse_ipv6", {t(":1")}, "null"},
      {"parse_ipv6", {t("1:")}, "null"},
      {"parse_ipv6", {t("12345::")}, "null"},
      {"ipv6_compare", {t("1.2.3.4"), t("::ffff:1.2.3.4")}, "0"},
      {"ipv6_is_match", {t("fe80::1"), t("fe80::ffff"), n(64)}, "true"},
      {"ipv6_is_match", {t("192.168.1.1/24"), t("192.168.1.99")}, "true"},
      {"ipv6_is_in_range", {t("fe80::1"), t("fe80::/10")}, "true"},
      {"ipv6_is_in_any_range", {t("fe80::1"), t("ff00::/8")}, "false"},
  });
}

TEST_CASE("addresses in texts") {
  check_calls({
      {"has_ipv4", {t("from 127.0.0.1:80."), t("127.0.0.1")}, "true"},
      {"has_ipv4", {t("I saw 127.0.0.1."), t("127.0.0.1")}, "true"},
      {"has_ipv4", {t("127.0.0.10"), t("127.0.0.1")}, "false"},
      {"has_ipv4", {t("x127.0.0.1"), t("127.0.0.1")}, "false"},
      {"has_ipv4", {t("127.0.0.1"), t("127.0.0.256")}, "false"},
      {"has_ipv4_prefix", {t("a 10.1.2.3 b"), t("10.1.")}, "true"},
      {"has_ipv4_prefix", {t("a 10.1.2.3 b"), t("10.1")}, "true"},
      {"has_ipv4_prefix", {t("192.168.0.1"), t("192.168.0")}, "true"},
      {"has_ipv4_prefix", {t("192.168.0.1"), t("192.16")}, "false"},
      {"has_ipv4_prefix", {t("192.168.10.1"), t("192.168.1")}, "false"},
      {"has_ipv4_prefix", {t("10.1.2.34"), t("10.1.2.3")}, "false"},
      {"has_ipv4_prefix", {t("10.1.2.3"), t("10.1.2.3")}, "true"},
      {"has_ipv4_prefix", {t("10.1.2.3"), t("10.1.2.3.")}, "false"},
      {"has_ipv4_prefix", {t("10.1.2.3"), t("")}, "false"},
      {"has_any_ipv4", {t("a 10.1.2.3 b"), j(R"(["1.1.1.1","10.0.0.0/8"])")}, "true"},
      {"has_any_ipv4_prefix", {t("a 10.1.2.3 b"), t("9."), t("10.")}, "true"},
      {"has_any_ipv4_prefix", {t("a 10.1.2.3 b"), t("1"), t("10.1")}, "true"},
      {"has_any_ipv4_prefix", {t("a 10.1.2.3 b"), t("1"), t("10.")}, "true"},
      {"has_any_ipv4_prefix", {t("a 10.1.2.3 b"), t("1"), t("0.1")}, "false"},
      {"geo_info_from_ip_address", {t("1.1.1.1")}, "null"},
  });
}

TEST_CASE("SQL statements come back as they were") {
  for (const std::string_view text :
       {"select id, status, uri from requests where req_duration_ms > 1000 order by "
        "req_duration_ms desc",
        "select distinct a as b from t as u", "select count(*) as n, max(x + 1) from t group by a",
        "select * from a join b on a.id = b.id left join c on c.x = a.y",
        "select a from t where (a = 1 or b = 'it''s') and not c is null limit 10 offset 5",
        "select a from t where a in (1, 2, 3) and b not like 'x%' and c between 1 and 2",
        "select a - (b - c) * -2 from t having sum(a) >= 1.5"}) {
    const Value model = call_shaped("parse_sql", {t(text)}, {ArgumentShape::kFlat});
    REQUIRE_MESSAGE(!model.is_null(), text);
    CHECK(call_text("format_sql", {model}) == text);
  }
  check_calls({
      {"parse_sql",
       {t("SELECT a FROM t WHERE x > 1000")},
       R"({"statement":"select","columns":[{"colname":"a"}],"from":[{"table":"t"}],"where":)"
       R"({"operator":">","params":[{"colname":"x"},{"value":"1000","valtype":"integer"}]}})"},
      {"parse_sql", {t("delete from t")}, "null"},
      {"parse_sql", {t("select a from")}, "null"},
      {"parse_sql", {t("select 'a from t")}, "null"},
      {"parse_sql", {t("select " + std::string(10000, '('))}, "null"},
      {"format_sql", {j(R"({"statement":"select"})")}, "null"},
  });
}

}  // namespace
}  // namespace evq
