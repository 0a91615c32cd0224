// SPDX-License-Identifier: MIT
#include "vendor/npm_config.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <functional>
#include <set>

#include "base/files.h"
#include "base/problems.h"
#include "vendor/npm_layers.h"

namespace piship {
namespace {

bool Unset(const std::string& value) { return value.empty() || value == "null" || value == "undefined"; }

bool HasControlCharacter(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7f;
  });
}

std::optional<double> ParseNumber(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !(value >= 0) || value > 1e9) return std::nullopt;
  return value;
}

std::optional<std::string> DecodeBase64(std::string_view text) {
  static constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  while (!text.empty() && text.back() == '=') text.remove_suffix(1);
  std::string bytes;
  std::uint32_t bits = 0;
  unsigned count = 0;
  for (const char c : text) {
    const std::size_t digit = kAlphabet.find(c == '-' ? '+' : c == '_' ? '/' : c);
    if (digit == std::string_view::npos) return std::nullopt;
    bits = (bits << 6U) | static_cast<std::uint32_t>(digit);
    count += 6;
    if (count >= 8) {
      count -= 8;
      bytes += static_cast<char>((bits >> count) & 0xffU);
    }
  }
  return bytes;
}

// "name" of "//host/path/:name"; empty for other keys.
std::string_view NerfDartName(std::string_view key) {
  if (key.substr(0, 2) != "//") return {};
  const std::size_t colon = key.rfind(':');
  return colon == std::string_view::npos ? std::string_view() : key.substr(colon + 1);
}

bool IsScopeRegistry(std::string_view key) {
  static constexpr std::string_view kEnd = ":registry";
  return key.size() > kEnd.size() + 1 && key.front() == '@' && key.substr(key.size() - kEnd.size()) == kEnd;
}

std::string WithFinalSlash(std::string text) {
  if (text.empty() || text.back() != '/') text += '/';
  return text;
}

// What is wrong with a setting that this reads; empty if nothing.
std::string ProblemOf(std::string_view key, const NpmSetting& setting) {
  static const std::set<std::string_view> kNumbers = {"fetch-retries",          "fetch-retry-factor",
                                                      "fetch-retry-mintimeout", "fetch-retry-maxtimeout",
                                                      "fetch-timeout",          "maxsockets"};
  static const std::set<std::string_view> kUnscoped = {"_auth", "_authToken", "_authtoken", "_password", "username"};
  const std::string& value = setting.value();
  const std::string name = "\"" + Printable(key) + "\"";
  if (kUnscoped.count(key) != 0 && setting.position.line != 0) {
    return name + " belongs to no registry: write it as //<host>/<path>/:" + std::string(key);
  }
  const std::string_view nerf_name = NerfDartName(key);
  if (!nerf_name.empty()) {
    if (HasControlCharacter(value)) return name + " holds a control character";
    if (nerf_name == "_password" && !Unset(value) && !DecodeBase64(value)) return name + " is not base64";
    return {};
  }
  if (Unset(value)) return {};
  if (key == "registry" || IsScopeRegistry(key)) {
    const auto url = Url::Parse(value);
    if (!url) return name + ": " + url.error().message;
    if (!url->query.empty()) return name + " may not have a query";
  } else if (key == "proxy" || key == "https-proxy") {
    if (value == "false") return {};
    const auto url = ParseProxy(value);
    if (!url) return name + ": " + url.error().message;
  } else if (kNumbers.count(key) != 0) {
    if (!ParseNumber(value)) return name + " is not a number";
    if (key == "maxsockets" && *ParseNumber(value) < 1) return name + " is less than 1";
  } else if (key == "strict-ssl") {
    if (value != "true" && value != "false") return name + " is neither true nor false";
  }
  return {};
}

Status CheckLayers(const NpmLayers& layers) {
  std::optional<Error> error;
  for (const NpmLayer& layer : layers.layers()) {
    // By position, as a reader of the file meets them.
    std::vector<std::pair<const std::string*, const NpmSetting*>> ordered;
    for (const auto& [key, setting] : layer.settings) ordered.emplace_back(&key, &setting);
    std::stable_sort(ordered.begin(), ordered.end(),
                     [](const auto& a, const auto& b) { return a.second->position.line < b.second->position.line; });
    Problems problems(layer.is_file ? layer.source : "environment (npm_config_*)");
    for (const auto& [key, setting] : ordered) {
      const std::string problem = ProblemOf(*key, *setting);
      if (problem.empty()) continue;
      layer.is_file ? problems.Add(setting->position, problem) : problems.Add(problem);
    }
    if (problems.empty()) continue;
    if (!error) {
      error = problems.ToError(ErrorCode::kNpmrcInvalid);
    } else {
      if (error->problems.empty()) error->problems.push_back(error->message);
      error->problems.insert(error->problems.end(), problems.lines().begin(), problems.lines().end());
    }
  }
  if (error) return Fail(*std::move(error));
  return {};
}

// The value of an environment variable in lower or else upper case; empty where there is none.
std::string EitherCase(const Environment& environment, std::string_view lower) {
  if (const auto found = environment.find(lower); found != environment.end() && !found->second.empty())
    return found->second;
  std::string upper(lower);
  for (char& c : upper) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  const auto found = environment.find(upper);
  return found == environment.end() ? "" : found->second;
}

std::string Variable(const Environment& environment, std::string_view name) {
  const auto found = environment.find(name);
  return found == environment.end() ? "" : found->second;
}

}  // namespace

class NpmConfigLoader {
 public:
  NpmConfigLoader(const NpmLayers& layers, const std::string& project_directory, const Environment& environment)
      : layers_(layers), project_directory_(project_directory), environment_(environment) {}

  Result<NpmConfig> Load(const std::string& registry) {
    PISHIP_CHECK(LoadRegistries(registry));
    LoadPatience();
    LoadReplaceHost();
    PISHIP_CHECK(LoadProxies());
    LoadCertificates();
    return std::move(config_);
  }

 private:
  std::string Value(std::string_view key) const {
    const NpmSetting* setting = layers_.Find(key);
    return setting == nullptr || Unset(setting->value()) ? "" : setting->value();
  }

  Status LoadRegistries(const std::string& fallback) {
    for (auto layer = layers_.layers().rbegin(); layer != layers_.layers().rend(); ++layer) {
      for (const auto& [key, setting] : layer->settings) {
        if (key != "registry" && !IsScopeRegistry(key) && NerfDartName(key).empty()) continue;
        if (Unset(setting.value())) {
          config_.settings_.erase(key);
        } else {
          config_.settings_[key] = setting.value();
        }
      }
    }
    if (!fallback.empty() && config_.settings_.count("registry") == 0) config_.settings_["registry"] = fallback;
    for (auto& [key, value] : config_.settings_) {
      if (key != "registry" && !IsScopeRegistry(key)) continue;
      PISHIP_TRY(const Url url, Url::Parse(value));
      value = WithFinalSlash(url.scheme + "://" + url.Authority() + url.path);
    }
    return {};
  }

  void LoadPatience() {
    const auto number = [&](std::string_view key, const std::function<void(double)>& set) {
      if (const auto value = ParseNumber(Value(key))) set(*value);
    };
    const auto milliseconds = [](double value) { return std::chrono::milliseconds(static_cast<std::int64_t>(value)); };
    HttpRetries& retries = config_.http_.retries;
    number("fetch-retries", [&](double value) { retries.count = static_cast<int>(std::min(value, 100.0)); });
    number("fetch-retry-factor", [&](double value) { retries.factor = value; });
    number("fetch-retry-mintimeout", [&](double value) { retries.first = milliseconds(value); });
    number("fetch-retry-maxtimeout", [&](double value) { retries.longest = milliseconds(value); });
    number("maxsockets", [&](double value) { config_.max_sockets_ = static_cast<std::size_t>(std::min(value, 64.0)); });
    number("fetch-timeout", [&](double value) {
      if (value < 1) return;  // npm: no limit; ours stay
      HttpTimeouts& timeouts = config_.http_.timeouts;
      timeouts.idle = milliseconds(value);
      timeouts.connect = std::min(timeouts.connect, timeouts.idle);
      if (timeouts.idle < timeouts.slow_window) {
        timeouts.slow_bytes = timeouts.slow_bytes * static_cast<std::uint64_t>(timeouts.idle.count()) /
                              static_cast<std::uint64_t>(timeouts.slow_window.count());
        timeouts.slow_window = timeouts.idle;
      }
    });
  }

  void LoadReplaceHost() {
    const std::string value = Value("replace-registry-host");
    if (value.empty() || value == "npmjs" || value == "always") return;
    if (value == "never") {
      config_.replace_host_.rule = ReplaceHost::Rule::kNever;
      return;
    }
    const auto url = Url::Parse(value);
    config_.replace_host_ = {ReplaceHost::Rule::kHost, url ? url->host : value};
  }

  Status LoadProxies() {
    std::string proxy = Value("https-proxy");
    if (proxy.empty()) proxy = Value("proxy");
    if (proxy == "false") return {};
    const std::string secure = proxy.empty() ? EitherCase(environment_, "https_proxy") : proxy;
    std::string plain = secure;
    for (const std::string_view name : {"http_proxy", "proxy"}) {
      if (plain.empty()) plain = EitherCase(environment_, name);
    }
    if (!secure.empty()) {
      PISHIP_TRY(config_.http_.proxies.for_https, ParseProxy(secure));
    }
    if (!plain.empty()) {
      PISHIP_TRY(config_.http_.proxies.for_http, ParseProxy(plain));
    }
    const NpmSetting* direct = layers_.Find("noproxy");
    std::string list;
    if (direct != nullptr) {
      for (const std::string& value : direct->values) list += value + ",";
    }
    if (ParseNoProxy(list).empty()) list = EitherCase(environment_, "no_proxy");
    config_.http_.proxies.no_proxy = ParseNoProxy(list);
    return {};
  }

  void LoadCertificates() {
    TlsSettings& tls = config_.http_.tls;
    if (Value("strict-ssl") == "false") {
      tls.verify = VerifyPeer::kNo;
      config_.warnings_.push_back(
          "strict-ssl is false in " + Printable(layers_.Find("strict-ssl")->source) +
          ": the registry's certificate is not checked, only what the lock's integrity covers is");
    }
    if (const NpmSetting* authorities = layers_.Find("ca")) {
      for (std::string pem : authorities->values) {
        for (std::size_t at = 0; (at = pem.find("\\n", at)) != std::string::npos;) pem.replace(at, 2, "\n");
        if (!Unset(pem)) tls.pem.push_back(std::move(pem));
      }
    }
    if (const std::string named = Value("cafile"); !named.empty()) {
      const std::string path = ResolvePath(named, project_directory_, environment_);
      std::error_code ignored;
      if (std::filesystem::exists(path, ignored)) {
        // As in npm: the file replaces "ca".
        tls.pem.clear();
        tls.files.push_back(path);
      } else {
        config_.warnings_.push_back("cafile " + Printable(path) + " of " + Printable(layers_.Find("cafile")->source) +
                                    " does not exist and is ignored");
      }
    }
    tls.environment_file = Variable(environment_, "SSL_CERT_FILE");
    tls.environment_directory = Variable(environment_, "SSL_CERT_DIR");
    if (std::string extra = Variable(environment_, "NODE_EXTRA_CA_CERTS"); !extra.empty())
      tls.extra_files.push_back(extra);
  }

  const NpmLayers& layers_;
  const std::string& project_directory_;
  const Environment& environment_;
  NpmConfig config_;
};

Result<NpmConfig> NpmConfig::Load(const std::string& project_directory, const Environment& environment,
                                  const std::string& registry) {
  PISHIP_TRY(const NpmLayers layers, NpmLayers::Read(project_directory, environment));
  PISHIP_CHECK(CheckLayers(layers));
  return NpmConfigLoader(layers, project_directory, environment).Load(registry);
}

std::string NpmConfig::RegistryFor(std::string_view package) const {
  if (package.substr(0, 1) == "@") {
    const auto scoped = settings_.find(std::string(package.substr(0, package.find('/'))) + ":registry");
    if (scoped != settings_.end()) return scoped->second;
  }
  const auto found = settings_.find("registry");
  return found == settings_.end() ? "" : found->second;
}

Credentials NpmConfig::CredentialsAbove(const Url& url) const {
  const auto value = [&](const std::string& key) {
    const auto found = settings_.find(key);
    return found == settings_.end() ? std::string() : found->second;
  };
  // Up the path: cuts in turn what is after the last slash and the slash.
  std::string place = "//" + url.Authority() + url.path;
  while (place.size() > 2) {
    if (const std::string token = value(place + ":_authToken"); !token.empty()) {
      return {"Bearer " + token, place + ":_authToken"};
    }
    if (const std::string basic = value(place + ":_auth"); !basic.empty()) return {"Basic " + basic, place + ":_auth"};
    const std::string user = value(place + ":username");
    const std::string password = value(place + ":_password");
    if (!user.empty() && !password.empty()) {
      return {BasicAuthorization(user, DecodeBase64(password).value_or("")), place + ":_password"};
    }
    const std::size_t slash = place.rfind('/');
    place.resize(slash + 1 == place.size() ? slash : slash + 1);
  }
  return {};
}

Credentials NpmConfig::CredentialsFor(const Url& url, std::string_view package) const {
  const auto registry = Url::Parse(RegistryFor(package));
  const bool same_host = registry && registry->host == url.host;
  // The keys name no scheme; what is meant for a protected registry does not travel in the clear.
  if (same_host && registry->secure() && !url.secure()) return {};
  Credentials credentials = CredentialsAbove(url);
  if (credentials.authorization.empty() && same_host && registry->port == url.port) return CredentialsAbove(*registry);
  return credentials;
}

std::string NpmConfig::AuthTokenKey(const Url& url) {
  return "//" + url.Authority() + url.path.substr(0, url.path.rfind('/') + 1) + ":_authToken";
}

}  // namespace piship
