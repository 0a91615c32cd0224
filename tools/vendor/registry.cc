// SPDX-License-Identifier: MIT
// npm asks a registry for a package's metadata and takes "dist.tarball" from it. Nearly every registry keeps tarballs
// at <registry>/<name>/-/<name without scope>-<version>.tgz, which saves that request (one per package, often larger
// than the tarball), so that place is tried first and the metadata is asked only where it answers 404. What comes is
// checked against the lock's integrity either way.
#include "vendor/registry.h"

#include <algorithm>

#include "base/json.h"

namespace piship {
namespace {

constexpr std::uint64_t kTarballLimit = std::uint64_t{1} << 30;
constexpr std::uint64_t kMetadataLimit = std::uint64_t{128} << 20;
// What npm accepts: the short form of the metadata, else the full one.
constexpr std::string_view kAcceptMetadata = "application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8, */*";

std::string Subject(const TarballRequest& request) {
  return "package " + Printable(request.name) + "@" + Printable(request.version);
}

// "scope" and "name" of "@scope/name"; the first is empty for "name".
std::pair<std::string_view, std::string_view> SplitName(std::string_view name) {
  const std::size_t slash = name.find('/');
  if (name.substr(0, 1) != "@" || slash == std::string_view::npos) return {{}, name};
  return {name.substr(1, slash - 1), name.substr(slash + 1)};
}

bool UsableName(std::string_view part) { return !part.empty() && part.front() != '.'; }

Status CheckNameAndVersion(const TarballRequest& request) {
  const auto [scope, base] = SplitName(request.name);
  const bool scoped = request.name.substr(0, 1) == "@";
  const bool good = UsableName(base) && (!scoped || UsableName(scope)) && base.find('/') == std::string_view::npos &&
                    !request.version.empty() && request.version.find('/') == std::string::npos;
  if (good) return {};
  return Fail(ErrorCode::kLockfileInvalid, Subject(request) + " is not a package that a registry can hold");
}

// "@scope/name" as a path of a URL; metadata wants its slash as %2f.
std::string NameInUrl(std::string_view name, std::string_view slash) {
  const auto [scope, base] = SplitName(name);
  if (scope.empty()) return PercentEncode(base);
  return "@" + PercentEncode(scope) + std::string(slash) + PercentEncode(base);
}

// Version characters are those of Semantic Versioning; "+" is one of them.
std::string VersionInUrl(std::string_view version) {
  std::string text = PercentEncode(version);
  for (std::size_t at = 0; (at = text.find("%2B", at)) != std::string::npos;) text.replace(at, 3, "+");
  return text;
}

std::string LowerCase(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return lower;
}

void ReplaceAll(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
}

// The file name of a URL that follows the convention for `name`: what comes after ".../<name>/-/"; empty for others.
std::string_view ConventionalFile(const Url& url, std::string_view name) {
  const std::size_t slash = url.path.rfind('/');
  std::string directory = LowerCase(std::string_view(url.path).substr(0, slash));
  ReplaceAll(directory, "%40", "@");
  ReplaceAll(directory, "%2f", "/");
  const std::string end = "/" + LowerCase(name) + "/-";
  if (directory.size() < end.size() || directory.compare(directory.size() - end.size(), end.size(), end) != 0)
    return {};
  return std::string_view(url.path).substr(slash + 1);
}

Error UnusableUrl(const TarballRequest& request, Error error) {
  error.code = ErrorCode::kLockfileInvalid;
  return std::move(error).While("locating " + Subject(request));
}

std::string FirstLine(std::string_view text) {
  text = text.substr(0, text.find_first_of("\r\n"));
  return Printable(text.substr(0, 200));
}

}  // namespace

Result<TarballPlace> Registry::Locate(const TarballRequest& request) const {
  const std::string registry_text = config_.RegistryFor(request.name);
  PISHIP_CHECK(CheckNameAndVersion(request));
  if (request.resolved.empty()) {
    if (registry_text.empty()) {
      return Fail(ErrorCode::kRegistryUnknown, Subject(request) + " must be fetched, and no npm registry is configured",
                  "Set \"registry\" in an .npmrc, npm_config_registry, or PISHIP_NPM_REGISTRY when configuring.");
    }
    const std::string_view base = SplitName(request.name).second;
    PISHIP_TRY(Url url, Url::Parse(registry_text + NameInUrl(request.name, "/") + "/-/" + PercentEncode(base) + "-" +
                                   VersionInUrl(request.version) + ".tgz"));
    return TarballPlace{std::move(url), true};
  }
  auto resolved = Url::Parse(request.resolved);
  if (!resolved) return Fail(UnusableUrl(request, std::move(resolved).error()));
  const auto registry = Url::Parse(registry_text);
  if (!registry) return TarballPlace{*std::move(resolved), false};
  if (resolved->host == registry->host) {
    // Already there; a lock that was made before the registry had TLS is not sent back to plain HTTP.
    if (registry->secure() && !resolved->secure()) {
      resolved->scheme = registry->scheme;
      resolved->port = registry->port;
    }
    if (resolved->port == registry->port) return TarballPlace{*std::move(resolved), false};
  }
  const ReplaceHost& rule = config_.replace_host();
  const bool replaced =
      rule.rule == ReplaceHost::Rule::kAlways || (rule.rule == ReplaceHost::Rule::kHost && rule.host == resolved->host);
  const std::string_view file = ConventionalFile(*resolved, request.name);
  if (!replaced || file.empty()) return TarballPlace{*std::move(resolved), false};
  PISHIP_TRY(Url url, Url::Parse(registry_text + NameInUrl(request.name, "/") + "/-/" + std::string(file)));
  return TarballPlace{std::move(url), true};
}

Result<HttpResponse> Registry::Get(const Url& url, const TarballRequest& request, std::string accept,
                                   std::uint64_t limit, BodySink& sink) const {
  HttpRequest http;
  http.url = url.ToString();
  http.authorization = config_.CredentialsFor(url, request.name).authorization;
  if (http.authorization.empty() && !(url.user.empty() && url.password.empty())) {
    http.authorization = BasicAuthorization(url.user, url.password);
  }
  http.headers.push_back({"Accept", std::move(accept)});
  http.body_limit = limit;
  auto response = client_.Get(http, sink);
  if (!response) return Fail(std::move(response).error().While("fetching " + Subject(request)));
  return response;
}

Status Registry::Download(const TarballRequest& request, BodySink& sink) const {
  PISHIP_TRY(TarballPlace place, Locate(request));
  PISHIP_TRY(HttpResponse response, Get(place.url, request, "*/*", kTarballLimit, sink));
  if (response.head.status == 404 && place.by_convention) {
    PISHIP_TRY(const Url other, AskMetadata(request));
    if (other.ToString() != place.url.ToString()) {
      place.url = other;
      PISHIP_TRY(response, Get(place.url, request, "*/*", kTarballLimit, sink));
    }
  }
  if (response.head.status == 200) return {};
  return Fail(StatusError(place.url, request, response));
}

Result<Url> Registry::AskMetadata(const TarballRequest& request) const {
  PISHIP_TRY(const Url registry, Url::Parse(config_.RegistryFor(request.name)));
  PISHIP_TRY(const Url url, Url::Parse(registry.ToString() + NameInUrl(request.name, "%2f")));
  StringSink sink;
  PISHIP_TRY(const HttpResponse response, Get(url, request, std::string(kAcceptMetadata), kMetadataLimit, sink));
  if (response.head.status != 200) return Fail(StatusError(url, request, response));
  const json::Value* tarball = nullptr;
  PISHIP_TRY(const json::Value metadata, json::Parse(sink.body, url.ToString()));
  if (const json::Value* versions = metadata.Find("versions")) {
    if (const json::Value* version = versions->Find(request.version)) {
      if (const json::Value* dist = version->Find("dist")) tarball = dist->Find("tarball");
    }
  }
  if (tarball == nullptr || !tarball->is(json::Kind::kString)) {
    return Fail(ErrorCode::kHttpFailed,
                "the registry at " + Printable(registry.ToString()) + " has no tarball of " + Subject(request),
                "The version may have been withdrawn: update the lock.");
  }
  PISHIP_TRY(Url place, Url::Parse(tarball->string()));
  if (registry.secure() && !place.secure()) {
    if (place.host != registry.host) {
      return Fail(ErrorCode::kHttpFailed,
                  "the registry leads from https to " + Printable(place.ToString()) + " for " + Subject(request));
    }
    // A registry behind a proxy that speaks TLS for it often does not know.
    place.scheme = registry.scheme;
    place.port = registry.port;
  }
  return place;
}

Error Registry::StatusError(const Url& url, const TarballRequest& request, const HttpResponse& response) const {
  const int status = response.head.status;
  Error error{ErrorCode::kHttpFailed,
              "GET " + Printable(response.url) + " for " + Subject(request) + " answers " + std::to_string(status)};
  if (const std::string line = FirstLine(response.error_body); !line.empty()) error.message += ": " + line;
  if (status == 401 || status == 403) {
    error.code = ErrorCode::kAuthenticationFailed;
    const Credentials used = config_.CredentialsFor(url, request.name);
    if (response.redirected_to_other_host) {
      error.hint = "The request was redirected to another host, to which credentials are not sent.";
    } else if (used.authorization.empty()) {
      const auto registry = Url::Parse(config_.RegistryFor(request.name));
      const bool at_registry = registry && registry->Authority() == url.Authority();
      error.hint = "Set " + NpmConfig::AuthTokenKey(at_registry ? *registry : url) + " in your .npmrc.";
    } else if (const std::size_t open = used.authorization.find("${"); open != std::string::npos) {
      error.hint =
          "The variable " + Printable(used.authorization.substr(open)) + " in " + Printable(used.key) + " is not set.";
    } else {
      error.hint = "The credentials of " + Printable(used.key) + " were not accepted.";
    }
  } else if (status == 404) {
    error.hint =
        "Check the registry and, for a private package, its credentials: many registries hide what they refuse.";
  }
  return error;
}

}  // namespace piship
