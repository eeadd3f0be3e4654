#include "apl/functions/user_agent.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>

#include "store/base/ascii.h"

namespace evq {
namespace {

// The first rule whose marks all stand in the text wins. The version follows `version_after`.
struct Rule {
  std::string_view mark;
  std::string_view other_mark;  // empty: none
  std::string_view version_after;
  std::string_view family;
};

// Programs that pretend to be others stand before those.
constexpr Rule kBrowsers[] = {
    {"Googlebot", "", "Googlebot/", "Googlebot"},
    {"bingbot", "", "bingbot/", "bingbot"},
    {"YandexBot", "", "YandexBot/", "YandexBot"},
    {"Baiduspider", "", "Baiduspider/", "Baiduspider"},
    {"DuckDuckBot", "", "DuckDuckBot/", "DuckDuckBot"},
    {"Applebot", "", "Applebot/", "Applebot"},
    {"AhrefsBot", "", "AhrefsBot/", "AhrefsBot"},
    {"SemrushBot", "", "SemrushBot/", "SemrushBot"},
    {"Twitterbot", "", "Twitterbot/", "Twitterbot"},
    {"facebookexternalhit", "", "facebookexternalhit/", "FacebookBot"},
    {"Slackbot", "", "Slackbot ", "Slackbot"},
    {"GPTBot", "", "GPTBot/", "GPTBot"},
    {"PetalBot", "", "PetalBot/", "PetalBot"},
    {"Edg/", "", "Edg/", "Edge"},
    {"EdgA/", "", "EdgA/", "Edge Mobile"},
    {"EdgiOS/", "", "EdgiOS/", "Edge Mobile"},
    {"Edge/", "", "Edge/", "Edge"},
    {"OPR/", "Mobile", "OPR/", "Opera Mobile"},
    {"OPR/", "", "OPR/", "Opera"},
    {"Opera Mini", "", "Opera Mini/", "Opera Mini"},
    {"Opera/", "Version/", "Version/", "Opera"},
    {"Opera/", "", "Opera/", "Opera"},
    {"Vivaldi/", "", "Vivaldi/", "Vivaldi"},
    {"YaBrowser/", "", "YaBrowser/", "Yandex Browser"},
    {"SamsungBrowser/", "", "SamsungBrowser/", "Samsung Internet"},
    {"UCBrowser/", "", "UCBrowser/", "UC Browser"},
    {"Electron/", "", "Electron/", "Electron"},
    {"FxiOS/", "", "FxiOS/", "Firefox iOS"},
    {"CriOS/", "", "CriOS/", "Chrome Mobile iOS"},
    {"HeadlessChrome/", "", "HeadlessChrome/", "HeadlessChrome"},
    {"SeaMonkey/", "", "SeaMonkey/", "SeaMonkey"},
    {"Thunderbird/", "", "Thunderbird/", "Thunderbird"},
    {"Firefox/", "Mobile", "Firefox/", "Firefox Mobile"},
    {"Firefox/", "", "Firefox/", "Firefox"},
    {"Chromium/", "", "Chromium/", "Chromium"},
    {"Chrome/", "; wv)", "Chrome/", "Chrome Mobile WebView"},
    {"Chrome/", "Mobile", "Chrome/", "Chrome Mobile"},
    {"Chrome/", "", "Chrome/", "Chrome"},
    {"Trident/", "rv:", "rv:", "IE"},
    {"MSIE ", "", "MSIE ", "IE"},
    {"Android", "Version/", "Android ", "Android"},
    {"Mobile", "Safari/", "Version/", "Mobile Safari"},
    {"Safari/", "", "Version/", "Safari"},
    {"curl/", "", "curl/", "curl"},
    {"Wget/", "", "Wget/", "Wget"},
    {"python-requests/", "", "python-requests/", "Python Requests"},
    {"Python-urllib/", "", "Python-urllib/", "Python-urllib"},
    {"aiohttp/", "", "aiohttp/", "aiohttp"},
    {"python-httpx/", "", "python-httpx/", "python-httpx"},
    {"Go-http-client/", "", "Go-http-client/", "Go-http-client"},
    {"okhttp/", "", "okhttp/", "okhttp"},
    {"axios/", "", "axios/", "axios"},
    {"node-fetch/", "", "node-fetch/", "node-fetch"},
    {"PostmanRuntime/", "", "PostmanRuntime/", "PostmanRuntime"},
    {"Apache-HttpClient/", "", "Apache-HttpClient/", "Apache-HttpClient"},
    {"libwww-perl/", "", "libwww-perl/", "libwww-perl"},
    {"Prometheus/", "", "Prometheus/", "Prometheus"},
    {"kube-probe/", "", "kube-probe/", "kube-probe"},
    {"ELB-HealthChecker/", "", "ELB-HealthChecker/", "ELB-HealthChecker"},
    {"Java/", "", "Java/", "Java"},
};

constexpr Rule kSystems[] = {
    {"Windows Phone", "", "Windows Phone ", "Windows Phone"},
    {"Windows NT 10.0", "", "", "Windows 10"},
    {"Windows NT 6.3", "", "", "Windows 8.1"},
    {"Windows NT 6.2", "", "", "Windows 8"},
    {"Windows NT 6.1", "", "", "Windows 7"},
    {"Windows NT 6.0", "", "", "Windows Vista"},
    {"Windows NT 5.1", "", "", "Windows XP"},
    {"Windows", "", "", "Windows"},
    {"iPhone OS ", "", "iPhone OS ", "iOS"},
    {"iPad", "CPU OS ", "CPU OS ", "iOS"},
    {"iPod", "CPU OS ", "CPU OS ", "iOS"},
    {"Android", "", "Android ", "Android"},
    {"Mac OS X", "", "Mac OS X ", "Mac OS X"},
    {"Macintosh", "", "", "Mac OS X"},
    {"CrOS", "", "", "Chrome OS"},
    {"Ubuntu", "", "Ubuntu/", "Ubuntu"},
    {"Fedora", "", "Fedora/", "Fedora"},
    {"Debian", "", "", "Debian"},
    {"FreeBSD", "", "", "FreeBSD"},
    {"OpenBSD", "", "", "OpenBSD"},
    {"Linux", "", "", "Linux"},
};

struct Device {
  std::string_view mark;
  std::string_view family;
  std::string_view brand;
  std::string_view model;
};

// Devices that their names tell.
constexpr Device kDevices[] = {
    {"iPhone", "iPhone", "Apple", "iPhone"},
    {"iPad", "iPad", "Apple", "iPad"},
    {"iPod", "iPod", "Apple", "iPod"},
    {"Macintosh", "Mac", "Apple", "Mac"},
    {"Googlebot", "Spider", "Spider", "Desktop"},
    {"bot/", "Spider", "Spider", "Desktop"},
    {"Bot/", "Spider", "Spider", "Desktop"},
    {"spider", "Spider", "Spider", "Desktop"},
};

struct Brand {
  std::string_view mark;  // begins the model
  std::string_view name;
};
constexpr Brand kBrands[] = {
    {"SM-", "Samsung"},  {"GT-", "Samsung"}, {"Pixel", "Google"},    {"Nexus", "Google"},
    {"Redmi", "XiaoMi"}, {"Mi ", "XiaoMi"},  {"ONEPLUS", "OnePlus"}, {"moto", "Motorola"},
    {"LG-", "LG"},       {"Nokia", "Nokia"}, {"HUAWEI", "Huawei"},   {"VOG-", "Huawei"},
};

bool contains(std::string_view text, std::string_view mark) {
  return text.find(mark) != std::string_view::npos;
}

const Rule* find_rule(std::string_view text, std::span<const Rule> rules) {
  for (const Rule& rule : rules) {
    if (contains(text, rule.mark) && contains(text, rule.other_mark)) {
      return &rule;
    }
  }
  return nullptr;
}

// Up to three numbers parted by dots or underscores.
std::array<std::string_view, 3> version_of(std::string_view text, std::string_view after) {
  std::array<std::string_view, 3> numbers;
  std::size_t at = after.empty() ? std::string_view::npos : text.find(after);
  if (at == std::string_view::npos) {
    return numbers;
  }
  at += after.size();
  for (std::string_view& number : numbers) {
    const std::size_t end = std::min(text.find_first_not_of("0123456789", at), text.size());
    number = text.substr(at, end - at);
    if (number.empty() || end == text.size() || (text[end] != '.' && text[end] != '_')) {
      break;
    }
    at = end + 1;
  }
  return numbers;
}

void add_text(std::string_view name, std::string_view value, DynamicBuilder* out) {
  out->key(name);
  out->add_string(value);
}

void add_rule(std::string_view text, std::span<const Rule> rules, DynamicBuilder* out) {
  const Rule* rule = find_rule(text, rules);
  const auto version =
      rule == nullptr ? std::array<std::string_view, 3>{} : version_of(text, rule->version_after);
  add_text("Family", rule == nullptr ? "Other" : rule->family, out);
  add_text("MajorVersion", version[0], out);
  add_text("MinorVersion", version[1], out);
  add_text("Patch", version[2], out);
}

// The model stands after the system in the parentheses: (Linux; Android 10; SM-G973F Build/…).
std::string_view android_model(std::string_view text) {
  std::size_t at = text.find("Android");
  at = at == std::string_view::npos ? at : text.find(';', at);
  if (at == std::string_view::npos) {
    return {};
  }
  std::string_view rest = text.substr(at + 1);
  rest = rest.substr(0, rest.find_first_of(";)"));
  rest = rest.substr(0, rest.find(" Build/"));
  while (rest.starts_with(' ')) {
    rest.remove_prefix(1);
  }
  return rest;
}

void add_device(std::string_view text, DynamicBuilder* out) {
  for (const Device& device : kDevices) {
    if (contains(text, device.mark)) {
      add_text("Family", device.family, out);
      add_text("Brand", device.brand, out);
      add_text("Model", device.model, out);
      return;
    }
  }
  const std::string_view model = android_model(text);
  const auto* const brand = std::ranges::find_if(
      kBrands, [model](const Brand& known) { return model.starts_with(known.mark); });
  const bool known = brand != std::end(kBrands);
  // What reduced user agents say, and those of Firefox.
  const bool generic = model.empty() || model == "K" || model == "Mobile" || model == "Tablet";
  add_text("Family",
           !generic                    ? model
           : contains(text, "Android") ? "Generic Smartphone"
                                       : "Other",
           out);
  add_text("Brand", known ? brand->name : contains(text, "Android") ? "Generic" : "", out);
  add_text("Model", generic ? "" : model, out);
}

}  // namespace

std::optional<UserAgentPart> user_agent_part(std::string_view name) {
  if (equals_ignoring_ascii_case(name, "browser")) {
    return UserAgentPart::kBrowser;
  }
  if (equals_ignoring_ascii_case(name, "os")) {
    return UserAgentPart::kSystem;
  }
  return equals_ignoring_ascii_case(name, "device") ? std::optional(UserAgentPart::kDevice)
                                                    : std::nullopt;
}

void add_user_agent_part(std::string_view text, UserAgentPart part, DynamicBuilder* out) {
  out->key(part == UserAgentPart::kBrowser  ? "Browser"
           : part == UserAgentPart::kSystem ? "OperatingSystem"
                                            : "Device");
  out->begin_bag();
  switch (part) {
    case UserAgentPart::kBrowser:
      add_rule(text, kBrowsers, out);
      break;
    case UserAgentPart::kSystem:
      add_rule(text, kSystems, out);
      break;
    case UserAgentPart::kDevice:
      add_device(text, out);
      break;
  }
  out->end_bag();
}

}  // namespace evq
