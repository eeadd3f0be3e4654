// The text, conversion, type, conditional, hash and encoding functions, table-driven; each call is
// made in every shape of its arguments.

#include <doctest/doctest.h>

#include "apl/functions/registry.h"
#include "tests/support/function_calls.h"

namespace evq {
namespace {

TEST_CASE("texts from texts") {
  check_calls({
      {"tolower", {t("ÄBC")}, "äbc"},
      {"toupper", {t("äbc")}, "ÄBC"},
      {"totitle", {t("hello wORLD")}, "Hello wORLD"},
      {"totitle", {t("GET /index")}, "GET /index"},
      {"totitle", {t("éa")}, "Éa"},
      {"totitle", {t("")}, ""},
      {"tolower", {kNullText}, "null"},
      {"reverse", {t("aé")}, "éa"},
      {"strlen", {t("né")}, "2"},
      {"string_size", {t("né")}, "3"},
      {"strcmp", {t("a"), t("b")}, "-1"},
      {"strcat", {t("a"), n(1), kNullText, Value::real(0.5)}, "a10.5"},
      {"strcat_delim", {t("-"), t("a"), n(1)}, "a-1"},
      {"strrep", {t("ab"), n(2), t("-")}, "ab-ab"},
      {"strrep", {t("ab"), n(0)}, ""},
      {"strrep", {t("ab"), n(-1)}, ""},
      {"quote", {t("a\"\n\x01")}, "\"a\\\"\\n\\u0001\""},
      {"isascii", {t("")}, "true"},
      {"strip_ansi_escapes", {t("\x1B[1;31mred\x1B[0m \x1B]0;title\atext\x1B(B.")}, "red text."},
      {"translate", {t("abc"), t(""), t("xaybzc")}, "xyz"},
      {"translate", {t("abc"), t("1"), t("abcd")}, "111d"},
      {"replace_string", {t("a"), t("bb"), t("aXa")}, "bbXbb"},
      {"replace_string", {t(""), t("b"), t("a")}, "a"},
      {"replace_strings", {t("abc"), j(R"(["a","c"])"), j(R"(["x","z"])")}, "xbz"},
  });
}

TEST_CASE("parts of texts") {
  check_calls({
      {"substring", {t("añb"), n(1), n(1)}, "ñ"},
      {"substring", {t("abc"), n(5)}, ""},
      {"substring", {t("abc"), n(-2)}, "bc"},
      {"substring", {t("abc"), n(-9), n(1)}, "a"},
      {"substring", {t("abc"), n(1), n(0)}, ""},
      {"split", {t("a,b"), t(",")}, R"(["a","b"])"},
      {"split", {t("ab"), t(",")}, R"(["ab"])"},
      {"split", {t(""), t(",")}, R"([""])"},
      {"split", {t("a,b,c"), t(","), n(-1)}, R"(["c"])"},
      {"split", {t("a,b"), t(","), n(7)}, "null"},
      {"split", {t("a,b"), t(","), n(-3)}, "null"},
      {"split", {t(""), t(","), n(0)}, R"([""])"},
      {"trim", {t("-."), t("-.a-")}, "a"},
      {"trim_start", {t("é"), t("ééaé")}, "aé"},
      {"trim_end", {t("é"), t("ééaé")}, "ééa"},
      {"trim_space", {t(" \t a\xC2\xA0\n")}, "a"},
      {"indexof", {t("ñaña"), t("a")}, "1"},
      {"indexof", {t("abcabc"), t("c"), n(-2)}, "5"},
      {"indexof", {t("abcabc"), t("c"), n(0), n(2)}, "-1"},
      {"indexof", {t("abcabc"), t("c"), n(0), n(-1), n(3)}, "-1"},
      {"countof", {t("aa"), t("aaaa")}, "2"},
      {"has_any_index", {t("x y"), j(R"(["z","Y"])")}, "1"},
  });
}

TEST_CASE("regular expressions") {
  const Value null_long = Value::null(Type::kLong);
  check_calls({
      {"countof_regex", {t("[0-9]+"), t("1 22 x")}, "2"},
      {"countof_regex", {t("x*"), t("aé")}, "3"},
      {"extract", {t("x=([0-9]+)"), n(1), t("a x=45")}, "45"},
      {"extract", {t("x=([0-9]+)"), n(0), t("a x=45")}, "x=45"},
      {"extract", {t("x=([0-9]+)"), n(2), t("a x=45")}, "null"},
      {"extract", {t("x=([0-9]+)"), n(1), t("none")}, "null"},
      {"extract", {t("(a)|(b)"), n(1), t("b")}, "null"},
      {"extract", {t("()"), n(1), t("")}, ""},
      {"extract_all", {t("[0-9]"), t("1a2")}, R"(["1","2"])"},
      {"extract_all", {t("([a-z])([0-9])"), t("a1b2")}, R"([["a","1"],["b","2"]])"},
      {"extract_all", {t("(?P<x>[a-z])([0-9])"), j(R"(["x"])"), t("a1b2")}, R"(["a","b"])"},
      {"extract_all", {t("z"), t("a")}, "null"},
      {"indexof_regex", {t("éab1"), t("[0-9]")}, "3"},
      {"indexof_regex", {t("a1b2"), t("[0-9]"), n(2)}, "3"},
      {"indexof_regex", {t("a1b2"), t("[0-9]"), n(0), n(2)}, "3"},
      {"indexof_regex", {t("a1b2"), t("[0-9]"), n(0), n(2), n(3)}, "-1"},
      {"indexof_regex", {t("a1b2"), t("[0-9]"), n(-1)}, "null"},
      {"indexof_regex", {t("a1b2"), t("[0-9]"), n(0), n(0)}, "null"},
      {"replace_regex", {t("(a)(b)"), t("$2\\1$$"), t("abab")}, "ba$ba$"},
      {"replace", {t("x*"), t("-"), t("ab")}, "-a-b-"},
      {"trim_regex", {t("[^a-z]+"), t("--ab12")}, "ab"},
      {"trim_regex", {t("a|b"), t("abcba")}, "c"},
      {"trim_regex", {t("x*"), t("xxaxx")}, "a"},
      {"trim_regex", {t("-"), t("----")}, ""},
      {"trim_start_regex", {t("[0-9]"), t("12a3")}, "a3"},
      {"trim_start_regex", {t("ab"), t("ababaab")}, "aab"},
      {"trim_start_regex", {t("(?i)AB"), t("abc")}, "c"},
      {"trim_end_regex", {t("ab|b"), t("xabb")}, "x"},
      {"trim_end_regex", {t("[0-9]"), t("12a34")}, "12a"},
      {"regex_quote", {t("a.b*[c]")}, "a\\.b\\*\\[c\\]"},
      {"extract", {kNullText, n(1), t("x")}, "null"},
  });
  CHECK(bind_failure("extract", {t("("), n(1), t("x")}).has_value());
  CHECK(bind_failure("trim_regex", {t("a)(b"), t("ab")}).has_value());
  const std::vector<Value> typed = {t("([0-9]+)"), n(1), t("a45"), null_long};
  CHECK(call_shaped("extract", typed, std::vector(4, ArgumentShape::kKnownConstant)) == n(45));
}

TEST_CASE("notations") {
  check_calls({
      {"parse_csv", {t("a,\"b \"\"c\"\"\",\nx")}, R"(["a","b \"c\"",""])"},
      {"parse_json", {t("{\"a\":1}")}, R"({"a":1})"},
      {"parse_json", {t("{a")}, "\"{a\""},
      {"todynamic", {t("{a")}, "null"},
      {"todynamic", {t("[1]")}, "[1]"},
      {"extract_json", {t("$.a['b'][-1]"), t(R"({"a":{"b":[1,2]}})")}, "2"},
      {"extract_json", {t("$.x"), j(R"({"a":1})")}, "null"},
      {"parse_urlquery", {t("?a=1&b=%C3%A9+x&c")}, R"({"a":"1","b":"é x","c":""})"},
      {"parse_url",
       {t("https://u:p%40@[::1]:80/a%20b?q=1#f")},
       R"({"scheme":"https","host":"[::1]","port":"80","path":"/a b","username":"u",)"
       R"("password":"p@","query":{"q":"1"},"fragment":"f"})"},
      {"format_url",
       {j(R"({"scheme":"https","host":"h","port":80,"path":"p","query":{"a":"b c"},)"
          R"("fragment":"f"})")},
       "https://h:80/p?a=b%20c#f"},
      {"parse_bytes", {t("1.5 KiB")}, "1536"},
      {"parse_bytes", {t("2MB"), n(10)}, "2000000"},
      {"parse_bytes", {t("x")}, "0"},
      {"format_bytes", {n(564)}, "564 Bytes"},
      {"format_bytes", {n(1536), n(1)}, "1.5 KB"},
      {"format_bytes", {n(2048), n(0), t("KiB")}, "2 KiB"},
      {"format_bytes", {n(8000000), n(2), t("MB"), n(10)}, "8.00 MB"},
      {"format_bytes", {r(1e22), n(2), t("ZiB")}, "8.47 ZiB"},
      {"format_bytes", {r(1e21), n(0), t("ZB"), n(10)}, "1 ZB"},
      {"format_bytes", {r(1e24), n(2), t(""), n(10)}, "1.00 YB"},
      {"format_bytes", {r(1e27), n(0), t(""), n(10)}, "1000 YB"},
      {"format_bytes", {r(1e25), n(1), t("YiB")}, "8.3 YiB"},
      {"parse_bytes", {t("0.001 ZB")}, "1180591620717411328"},
      {"parse_bytes", {t("0.000001 YB"), n(10)}, "1000000000000000000"},
      {"parse_bytes", {t("1 ZB")}, "0"},
      {"parse_version", {t("1.2")}, "1000020000000000"},
      {"parse_version", {t("1.x")}, "null"},
  });
  CHECK(call_text("parse_path", {t("/a/b/c.txt")}) ==
        R"({"Scheme":"","RootPath":"","DirectoryPath":"/a/b","DirectoryName":"b",)"
        R"("Filename":"c.txt","Extension":"txt","AlternateDataStreamName":""})");
}

TEST_CASE("encodings") {
  check_calls({
      {"base64_encode_tostring", {t("Kusto")}, "S3VzdG8="},
      {"base64_decode_tostring", {t("S3VzdG8")}, "Kusto"},
      {"base64_decode_tostring", {t("!")}, "null"},
      {"base64_decode_tostring", {t("/w==")}, "null"},
      {"base64_decode_toarray", {t("S3Vz")}, "[75,117,115]"},
      {"base64_decode_toarray", {t("!")}, "[]"},
      {"base64_encode_fromarray", {j("[75,117,115]")}, "S3Vz"},
      {"base64_encode_fromarray", {j("[256]")}, ""},
      {"url_encode", {t("a b/é")}, "a%20b%2F%C3%A9"},
      {"url_decode", {t("a%20b+%zz%2")}, "a b %zz%2"},
      {"unicode_codepoints_from_string", {t("aé")}, "[97,233]"},
      {"unicode_codepoints_to_string", {j("[97,233]")}, "aé"},
      {"make_string", {n(97), j("[233]")}, "aé"},
      {"make_string", {n(-1)}, "null"},
      {"gzip_decompress_from_base64_string", {t("xx")}, "null"},
  });
  for (const std::string kind : {"gzip", "zlib"}) {
    const Value packed = call_shaped(kind + "_compress_to_base64_string", {t("abcabc")},
                                     {ArgumentShape::kKnownConstant});
    CHECK(call_text(kind + "_decompress_from_base64_string", {packed}) == "abcabc");
  }
}

TEST_CASE("hashes") {
  check_calls({
      {"hash_md5", {t("World")}, "f5a7924e621e84c9280a9a27e1bcb7f6"},
      {"hash_sha1", {t("World")}, "70c07ec18ef89c5309bbb0937f3a6342411e1fdd"},
      {"hash_sha256",
       {t("World")},
       "78ae647dc5544d227130a0682a51e30bc7777fbb6d8a8f17007463a3ecd1d524"},
      {"hash_sha1", {kNullText}, "null"},
  });
  CHECK(call_text("hash", {n(1)}) == call_text("hash", {t("1")}));
  CHECK(call_text("hash", {n(1), n(2)}) != call_text("hash", {n(1)}));
  CHECK(call_text("hash_many", {n(1), n(2)}) != call_text("hash_many", {n(2), n(1)}));
  CHECK(call_text("hash_combine", {n(1), n(2)}) != call_text("hash_combine", {n(2), n(1)}));
}

TEST_CASE("conversions") {
  check_calls({
      {"tobool", {t("T")}, "true"},
      {"tobool", {t("yes")}, "null"},
      {"tobool", {Value::real(0.5)}, "true"},
      {"tobool", {j("\"f\"")}, "false"},
      {"toint", {t("-12")}, "-12"},
      {"toint", {t("1.5")}, "null"},
      {"toint", {Value::real(-2.9)}, "-2"},
      {"toint", {Value::real(1e30)}, "null"},
      {"tolong", {Value::boolean(true)}, "1"},
      {"tolong", {Value::timespan(5)}, "5"},
      {"tolong", {j("2.5")}, "2"},
      {"toreal", {t("1.25e2")}, "125"},
      {"toreal", {n(3)}, "3"},
      {"todouble", {j("\"x\"")}, "null"},
      {"todatetime", {n(0)}, "1970-01-01T00:00:00Z"},
      {"todatetime", {t("2024-05-01")}, "2024-05-01T00:00:00Z"},
      {"todatetime", {t("soon")}, "null"},
      {"totimespan", {t("1.02:03:04")}, "26h3m4s"},
      {"totimespan", {n(1000)}, "1µs"},
      {"tostring", {Value::real(1)}, "1"},
      {"tostring", {kNullText}, ""},
      {"tostring", {Value::null(Type::kBool)}, "false"},
      {"tostring", {j("[1,\"a\"]")}, "[1,\"a\"]"},
      {"tohex", {n(-1)}, "ffffffffffffffff"},
      {"tohex", {n(255), n(4)}, "00ff"},
      {"toarray", {j(R"({"a":1})")}, "[1]"},
      {"toarray", {t("123")}, R"(["123"])"},
      {"dynamic_to_json", {j(R"({"b":1,"a":{"d":1,"c":2}})")}, R"({"a":{"c":2,"d":1},"b":1})"},
  });
}

TEST_CASE("types, nulls and choices") {
  const Value null_bool = Value::null(Type::kBool);
  const Value null_long = Value::null(Type::kLong);
  check_calls({
      {"gettype", {n(1)}, "long"},
      {"gettype", {null_long}, "null"},
      {"gettype", {j("{}")}, "dictionary"},
      {"gettype", {j("[]")}, "array"},
      {"gettype", {j("1.5")}, "real"},
      {"isnull", {null_long}, "true"},
      {"isnull", {t("")}, "false"},
      {"isnotnull", {null_long}, "false"},
      {"isempty", {t("")}, "true"},
      {"isempty", {null_long}, "true"},
      {"isempty", {n(0)}, "false"},
      {"isempty", {j("\"\"")}, "true"},
      {"isnotempty", {t("a")}, "true"},
      {"coalesce", {null_long, n(2)}, "2"},
      {"coalesce", {kNullText, t(""), t("b")}, "b"},
      {"isreal", {n(1)}, "true"},
      {"isreal", {t("1")}, "false"},
      {"isreal", {Value::null(Type::kReal)}, "false"},
      {"isbool", {j("true")}, "true"},
      {"isstring", {j("\"a\"")}, "true"},
      {"ismap", {j("{}")}, "true"},
      {"ismap", {j("[]")}, "false"},
      {"isutf8", {t("é")}, "true"},
      {"iscc", {t("4111 1111 1111 1111")}, "true"},
      {"iscc", {t("1234567890123456")}, "false"},
      {"isimei", {t("490154203237518")}, "true"},
      {"isimei", {t("490154203237519")}, "false"},
      {"iff", {Value::boolean(true), n(1), n(2)}, "1"},
      {"iff", {null_bool, n(1), n(2)}, "2"},
      {"iif", {Value::boolean(false), n(1), Value::real(0.5)}, "0.5"},
      {"case", {Value::boolean(false), t("a"), Value::boolean(true), t("b"), t("c")}, "b"},
      {"case", {null_bool, t("a"), t("c")}, "c"},
  });
  CHECK(
      bind_failure("case", {Value::boolean(true), n(1), Value::boolean(false), n(2)}).has_value());
  CHECK(bind_failure("iff", {t("x"), n(1), n(2)}).has_value());
}

}  // namespace
}  // namespace evq
