#include "apl/syntax/lexer.h"

#include <string>

#include <doctest/doctest.h>

#include "apl/syntax/literal.h"
#include "apl/syntax/words.h"

namespace evq::syntax {

namespace {

// The text's tokens, one letter for the kind and the text or value of each.
std::string tokens_of(std::string_view text) {
  const Result<std::vector<Token>> tokens = lex(text, 0);
  if (!tokens.ok()) {
    return std::string(tokens.error().id);
  }
  std::string out;
  for (const Token& token : *tokens) {
    switch (token.kind) {
      case TokenKind::kEnd:
        return out;
      case TokenKind::kName:
        out += "n<" + token.text + "> ";
        break;
      case TokenKind::kString:
        out += "s<" + token.text + "> ";
        break;
      case TokenKind::kLiteral:
        out += "l<" + literal_text(token.value) + "> ";
        break;
      case TokenKind::kSymbol:
        out += token.text + " ";
        break;
    }
  }
  return out;
}

std::string highlighted(std::string_view text) {
  constexpr std::string_view kLetters = "kofnsd.c!";
  std::string out;
  for (const HighlightToken& token : tokenize(text)) {
    out += kLetters[static_cast<std::size_t>(token.kind)];
    out +=
        "<" + std::string(text.substr(token.span.begin, token.span.end - token.span.begin)) + ">";
  }
  return out;
}

}  // namespace

TEST_CASE("tokens") {
  struct Case {
    std::string_view text;
    std::string_view tokens;
  };
  const Case cases[] = {
      {"", ""},
      {" // nothing\n", ""},
      {"a _b1 $left 2xx été", "n<a> n<_b1> n<$left> n<2xx> n<été> "},
      {"in~ !in ! has !in~ !between", "n<in~> n<!in> n<!has> n<!in~> n<!between> "},
      {"a!=b !~ =~ => == = .. . <>", "n<a> != n<b> !~ =~ => == = .. . <> "},
      {"'a' \"b'\" @'c\\' @\"d\"\"e\" h'f' H\"g\" h@'i\\'",
       "s<a> s<b'> s<c\\> s<d\"e> s<f> s<g> s<i\\> "},
      {"```x\ny```", "s<x\ny> "},
      {R"('\t\\\'\"\x41\u00e9\U0001F600\101\1\d\q')", "s<\t\\'\"A\u00e9\U0001F600A\\1\\d\\q> "},
      {R"('\ud83d\ude00 \ud83d')", "s<\U0001F600 \\ud83d> "},
      {"1 1.5 1e3 10. 0x1f 1.e 1..2",
       "l<1> l<1.5> l<1000.0> l<10.0> l<31> l<1> . n<e> l<1> .. l<2> "},
      {"9223372036854775807 1E-2", "l<9223372036854775807> l<0.01> "},
      {"9223372036854775808", "APL1004"},
      {"0x8000000000000000", "APL1004"},
      {"1.5x", "APL1004"},
      {"1h 90m 1.5d 100ms 5microseconds 2tick",
       "l<timespan('1h0m0s')> l<timespan('1h30m0s')> l<timespan('36h0m0s')> l<timespan('100ms')> "
       "l<timespan('5µs')> l<timespan('200ns')> "},
      {"timespan(2) time('1.02:03:04') timespan(null)",
       "l<timespan('48h0m0s')> l<timespan('26h3m4s')> l<timespan(null)> "},
      {"datetime(2024-05-01) datetime ('2024-05-01T01:02:03Z') datetime(10:20) date(null)",
       "l<datetime(2024-05-01T00:00:00Z)> l<datetime(2024-05-01T01:02:03Z)> "
       "l<datetime(1970-01-01T10:20:00Z)> l<datetime(null)> "},
      {"long(-9223372036854775808) int( 0x10 ) real(-inf) real(nan) bool(0) bool(true) "
       "decimal(1.5)",
       "l<long(-9223372036854775808)> l<16> l<real(-inf)> l<real(nan)> l<false> l<true> l<1.5> "},
      {"guid(74be27de-1e4e-49d9-b579-fe0b331d3642)", "l<'74be27de-1e4e-49d9-b579-fe0b331d3642'> "},
      {"datetime(never)", "APL1005"},
      {"long('1')", "APL1005"},
      {"datetime(2024", "APL1008"},
      {"'open", "APL1002"},
      {"'open\n'", "APL1002"},
      {"```open", "APL1002"},
      {"['open", "APL1002"},
      {"(]", "APL1008"},
      {"(", "APL1008"},
      {"}", "APL1009"},
      {"\xC3", "APL1030"},
      {"a \u00a0b", "n<a> n<b> "},
  };
  for (const Case& c : cases) {
    CAPTURE(c.text);
    CHECK(tokens_of(c.text) == c.tokens);
  }
}

TEST_CASE("delimiters are known ahead") {
  const Result<std::vector<Token>> lexed = lex("f(a (b, c) | d, e) ; g", 0);
  REQUIRE(lexed.ok());
  const std::vector<Token>& tokens = *lexed;
  // 0 f 1 ( 2 a 3 ( 4 b 5 , 6 c 7 ) 8 | 9 d 10 , 11 e 12 ) 13 ; 14 g 15 end
  CHECK(tokens[1].partner == 12);
  CHECK(tokens[7].partner == 3);
  CHECK(tokens[0].next_delimiter == 13);
  CHECK(tokens[1].next_delimiter == 13);
  CHECK(tokens[2].next_delimiter == 8);
  CHECK(tokens[3].next_delimiter == 8);
  CHECK(tokens[4].next_delimiter == 5);
  CHECK(tokens[6].next_delimiter == 7);
  CHECK(tokens[9].next_delimiter == 10);
  CHECK(tokens[11].next_delimiter == 12);
  CHECK(tokens[14].next_delimiter == 15);
}

TEST_CASE("colouring never fails") {
  CHECK(highlighted("web | where x == 'a' // c") == "n<web>.<|>o<where>n<x>.<==>s<'a'>c<// c>");
  CHECK(
      highlighted("web | mv-expand a | summarize count() by bin(t, 1h)") ==
      "n<web>.<|>o<mv-expand>n<a>.<|>o<summarize>f<count>.<(>.<)>k<by>f<bin>.<(>n<t>.<,>d<1h>.<)>");
  CHECK(highlighted("a == 'open\nb") == "n<a>.<==>!<'open>n<b>");
  CHECK(highlighted("print 5 € \xFF").starts_with("o<print>d<5>!<"));
  CHECK(highlighted("/* x").starts_with("!<"));
  CHECK(highlighted("").empty());
}

TEST_CASE("names are quoted only where they must be") {
  CHECK(quote_name("status") == "status");
  CHECK(quote_name("$left") == "$left");
  CHECK(quote_name("by") == "['by']");
  CHECK(quote_name("http.status") == "['http.status']");
  CHECK(quote_name("it's") == "['it\\'s']");
  CHECK(quote_name("2xx") == "['2xx']");
  CHECK(quote_name("") == "['']");
}

}  // namespace evq::syntax
