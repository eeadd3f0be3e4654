// Hashes of values: fast ones for grouping and sampling, cryptographic ones as hexadecimal text.
// All of them hash the text form of the value, so they do not depend on how it is stored.

#include <array>
#include <memory>

#include <openssl/evp.h>

#include "apl/functions/lift.h"
#include "apl/functions/registry.h"
#include "apl/functions/text_call.h"
#include "apl/functions/text_form.h"
#include "store/base/ascii.h"
#include "store/base/checksum.h"
#include "store/base/number.h"

namespace evq {
namespace {

using MaybeSalt = std::optional<std::string_view>;

std::uint64_t seed_of(MaybeSalt salt) {
  return salt.has_value() && !salt->empty() ? checksum64(*salt) : 0;
}

std::int64_t hash_text(std::string_view text, MaybeSalt salt) {
  return static_cast<std::int64_t>(xxh64(text, seed_of(salt)));
}

// The remainder by a number above 0 is never negative, as everywhere in Kusto.
std::optional<std::int64_t> hash_xxhash64(std::string_view text, MaybeSalt modulus) {
  const std::int64_t hash = hash_text(text, std::nullopt);
  if (!modulus.has_value() || modulus->empty()) {
    return hash;
  }
  const std::optional<std::int64_t> divisor = parse_int(*modulus);
  if (!divisor.has_value() || *divisor <= 0) {
    return std::nullopt;
  }
  const std::int64_t rest = hash % *divisor;
  return rest < 0 ? rest + *divisor : rest;
}

enum class Algorithm : std::uint8_t { kMd5, kSha1, kSha256, kSha512 };
constexpr std::array<const char*, 4> kAlgorithmNames = {"MD5", "SHA1", "SHA256", "SHA512"};

// To look an algorithm up, or to make a context, takes longer than to hash a short text: each
// thread does it once.
struct Digester {
  explicit Digester(const char* name)
      : algorithm(EVP_MD_fetch(nullptr, name, nullptr), EVP_MD_free),
        context(EVP_MD_CTX_new(), EVP_MD_CTX_free) {}

  std::unique_ptr<EVP_MD, void (*)(EVP_MD*)> algorithm;
  std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context;
};

template <Algorithm kAlgorithm>
std::optional<std::string> digest(std::string_view text) {
  thread_local const Digester digester(kAlgorithmNames.at(static_cast<std::size_t>(kAlgorithm)));
  std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
  unsigned int size = 0;
  if (digester.algorithm == nullptr || digester.context == nullptr ||
      EVP_DigestInit_ex2(digester.context.get(), digester.algorithm.get(), nullptr) != 1 ||
      EVP_DigestUpdate(digester.context.get(), text.data(), text.size()) != 1 ||
      EVP_DigestFinal_ex(digester.context.get(), bytes.data(), &size) != 1) {
    return std::nullopt;
  }
  std::string digits;
  append_hex({reinterpret_cast<const char*>(bytes.data()), size}, &digits);
  return digits;
}

// Mixes hashes in order: hash_combine(a, b) differs from hash_combine(b, a).
std::int64_t combine(std::int64_t so_far, std::int64_t next) {
  return static_cast<std::int64_t>(
      hash64(static_cast<std::uint64_t>(next), static_cast<std::uint64_t>(so_far)));
}

class CombineCall final : public BoundFunction {
 public:
  explicit CombineCall(bool hash_arguments) : hash_arguments_(hash_arguments) {}

  Vector evaluate(const EvalContext& /*context*/, std::span<const Vector> args,
                  std::size_t rows) const override {
    std::vector<Vector> inputs;
    inputs.reserve(args.size());
    for (const Vector& arg : args) {
      inputs.push_back(hash_arguments_ ? text_forms(arg) : arg);
    }
    auto out = Values::make(Type::kLong, rows);
    auto* to = out->mutable_data<std::int64_t>();
    for (std::size_t i = 0; i < rows; ++i) {
      std::int64_t combined = hash_at(inputs[0], i);
      for (std::size_t j = 1; j < inputs.size(); ++j) {
        combined = combine(combined, hash_at(inputs[j], i));
      }
      to[i] = combined;
    }
    return Vector::flat(std::move(out));
  }

 private:
  std::int64_t hash_at(const Vector& input, std::size_t row) const {
    if (input.is_null(row)) {
      return 0;
    }
    return hash_arguments_ ? hash_text(input.at<std::string_view>(row), std::nullopt)
                           : input.at<std::int64_t>(row);
  }

  bool hash_arguments_;
};

template <bool kHashArguments>
BindResult bind_combine(const BindRequest& request) {
  BoundCall call;
  call.result = Type::kLong;
  for (std::size_t i = 0; i < request.arguments.size(); ++i) {
    const Type type = request.arguments[i].type;
    if (!kHashArguments && !implicit_cast_cost(type, Type::kLong).has_value()) {
      return BindFailure{static_cast<int>(i),
                         "hash_combine() takes long hashes, not a " + std::string(type_name(type)),
                         "hash the value first, or use hash_many()"};
    }
    call.arguments.push_back(kHashArguments ? type : Type::kLong);
  }
  call.function = std::make_shared<CombineCall>(kHashArguments);
  return call;
}

constexpr ParameterDoc kHashedValue{"value", "Any value; its text form is hashed."};

constexpr std::array<ScalarFunction, 8> kHashFunctions = {{
    {.name = "hash",
     .category = "hash",
     .summary = "Hashes a value to a 64-bit number.",
     .params = {{kHashedValue,
                 {"[salt]", "A value that gives another hash; none when it is null.", true}}},
     .returns = "long; the algorithm may change between versions.",
     .examples = {{{"print hash('a') == hash('a')", "true"},
                   {"print hash('a') == hash('a', 1)", "false"}}},
     .bind = bind_text_call<hash_text>,
     .arguments_min = 1,
     .arguments_max = 2},
    {.name = "hash_combine",
     .category = "hash",
     .summary = "Combines several hashes into one.",
     .params = {{{"hashes...", "Two or more hashes; their order matters, and null counts as 0."}}},
     .returns = "long, never null.",
     .examples = {{{"print hash_combine(1, 2) == hash_combine(2, 1)", "false"}}},
     .bind = bind_combine<false>,
     .arguments_min = 2},
    {.name = "hash_many",
     .category = "hash",
     .summary = "Hashes several values to one number.",
     .params = {{{"values...",
                  "Two or more values; their order matters, and the hash of null is 0."}}},
     .returns = "long, never null: rows that lack one of the values still differ by the others.",
     .examples = {{{"print hash_many('a', 1) == hash_many('a', 1)", "true"}}},
     .bind = bind_combine<true>,
     .arguments_min = 2},
    {.name = "hash_md5",
     .category = "hash",
     .summary = "Gives the MD5 digest of a value.",
     .params = {{kHashedValue}},
     .returns = "string of 32 hexadecimal digits.",
     .examples = {{{"print hash_md5('World')", "f5a7924e621e84c9280a9a27e1bcb7f6"}}},
     .bind = bind_text_call<digest<Algorithm::kMd5>>,
     .arguments_min = 1,
     .arguments_max = 1},
    {.name = "hash_sha1",
     .category = "hash",
     .summary = "Gives the SHA-1 digest of a value.",
     .params = {{kHashedValue}},
     .returns = "string of 40 hexadecimal digits.",
     .examples = {{{"print hash_sha1('World')", "70c07ec18ef89c5309bbb0937f3a6342411e1fdd"}}},
     .bind = bind_text_call<digest<Algorithm::kSha1>>,
     .arguments_min = 1,
     .arguments_max = 1},
    {.name = "hash_sha256",
     .category = "hash",
     .summary = "Gives the SHA-256 digest of a value.",
     .params = {{kHashedValue}},
     .returns = "string of 64 hexadecimal digits.",
     .examples = {{{"print hash_sha256('World')",
                    "78ae647dc5544d227130a0682a51e30bc7777fbb6d8a8f17007463a3ecd1d524"}}},
     .bind = bind_text_call<digest<Algorithm::kSha256>>,
     .arguments_min = 1,
     .arguments_max = 1},
    {.name = "hash_sha512",
     .category = "hash",
     .summary = "Gives the SHA-512 digest of a value.",
     .params = {{kHashedValue}},
     .returns = "string of 128 hexadecimal digits.",
     .examples = {{{"print strlen(hash_sha512('World'))", "128"}}},
     .bind = bind_text_call<digest<Algorithm::kSha512>>,
     .arguments_min = 1,
     .arguments_max = 1},
    {.name = "hash_xxhash64",
     .category = "hash",
     .summary = "Hashes a value with XXH64.",
     .params = {{kHashedValue,
                 {"[modulus]", "A whole number above 0 to divide by; null is none.", true}}},
     .returns =
         "long: the hash, or what is left of it, from 0 to below the modulus; null when that "
         "is no such number.",
     .examples = {{{"print hash_xxhash64('World')", "1846988464401551951"},
                   {"print hash_xxhash64('World', 100)", "51"}}},
     .bind = bind_text_call<hash_xxhash64>,
     .arguments_min = 1,
     .arguments_max = 2},
}};

}  // namespace

std::span<const ScalarFunction> hash_functions() {
  return kHashFunctions;
}

}  // namespace evq
