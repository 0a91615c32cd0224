// SPDX-License-Identifier: MIT
// OpenSSL reads and writes through a BIO of ours that calls the transport below, which waits until its deadline. So
// OpenSSL sees a blocking stream and there is no "want read" to handle; a deadline that passes comes back as the lower
// transport's error, kept here because a BIO can't carry one.
#include "net/tls.h"

#include <arpa/inet.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <filesystem>
#include <optional>

namespace piship {

const std::vector<std::string> kSystemCertificateFiles = {
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/var/lib/ca-certificates/ca-bundle.pem",
    "/etc/pki/tls/cacert.pem",
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
    "/etc/ssl/cert.pem",
    "/usr/local/share/certs/ca-root-nss.crt",
};
const std::vector<std::string> kSystemCertificateDirectories = {"/etc/ssl/certs", "/etc/pki/tls/certs"};

namespace {

struct SslDeleter {
  void operator()(SSL* ssl) const { SSL_free(ssl); }
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  void operator()(BIO* bio) const { BIO_free_all(bio); }
  void operator()(X509* certificate) const { X509_free(certificate); }
};
template <class T>
using Owned = std::unique_ptr<T, SslDeleter>;

constexpr std::string_view kTrustHint =
    "Name the certificate of the authority with npm's \"cafile\" or with SSL_CERT_FILE.";

std::string OpenSslReason() {
  const unsigned long code = ERR_peek_last_error();
  const char* reason = code == 0 ? nullptr : ERR_reason_error_string(code);
  ERR_clear_error();
  return reason == nullptr ? "TLS error" : reason;
}

bool IsAddress(const std::string& host) {
  in6_addr ignored;
  return inet_pton(AF_INET, host.c_str(), &ignored) == 1 || inet_pton(AF_INET6, host.c_str(), &ignored) == 1;
}

// What the BIO works on.
struct Lower {
  std::unique_ptr<Transport> transport;
  Deadline deadline = Deadline::Never();
  std::optional<Error> error;
};

int BioRead(BIO* bio, char* buffer, int size) {
  auto* lower = static_cast<Lower*>(BIO_get_data(bio));
  if (size <= 0) return 0;
  auto count = lower->transport->Read(buffer, static_cast<std::size_t>(size), lower->deadline);
  if (!count) {
    lower->error = std::move(count).error();
    return -1;
  }
  return static_cast<int>(*count);
}

int BioWrite(BIO* bio, const char* buffer, int size) {
  auto* lower = static_cast<Lower*>(BIO_get_data(bio));
  if (size <= 0) return 0;
  auto status = lower->transport->Write({buffer, static_cast<std::size_t>(size)}, lower->deadline);
  if (!status) {
    lower->error = std::move(status).error();
    return -1;
  }
  return size;
}

long BioControl(BIO*, int command, long, void*) { return command == BIO_CTRL_FLUSH ? 1 : 0; }

BIO_METHOD* TransportBioMethod() {
  static BIO_METHOD* const method = [] {
    BIO_METHOD* made = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "piship transport");
    BIO_meth_set_read(made, BioRead);
    BIO_meth_set_write(made, BioWrite);
    BIO_meth_set_ctrl(made, BioControl);
    return made;
  }();
  return method;
}

class TlsTransport : public Transport {
 public:
  TlsTransport(SSL_CTX* context, std::unique_ptr<Transport> lower, std::string host)
      : ssl_(SSL_new(context)), host_(std::move(host)) {
    lower_.transport = std::move(lower);
    BIO* bio = BIO_new(TransportBioMethod());
    BIO_set_data(bio, &lower_);
    BIO_set_init(bio, 1);
    SSL_set_bio(ssl_.get(), bio, bio);
  }

  Status Handshake(Deadline deadline) {
    if (IsAddress(host_)) {
      X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl_.get()), host_.c_str());
    } else {
      // SSL_set_tlsext_host_name without its macro's cast.
      SSL_ctrl(ssl_.get(), SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name, host_.data());
      SSL_set_hostflags(ssl_.get(), X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
      SSL_set1_host(ssl_.get(), host_.c_str());
    }
    lower_.deadline = deadline;
    ERR_clear_error();
    const int result = SSL_connect(ssl_.get());
    if (result == 1) return {};
    if (lower_.error) return Fail(*lower_.error);
    const long verdict = SSL_get_verify_result(ssl_.get());
    if (verdict != X509_V_OK) return Fail(CertificateError(verdict));
    if (UnexpectedEnd(result)) {
      return Fail(ErrorCode::kNetworkFailed, Subject() + "the connection was closed during the TLS handshake");
    }
    return Fail(ErrorCode::kTlsFailed, Subject() + OpenSslReason());
  }

  Result<std::size_t> Read(char* buffer, std::size_t size, Deadline deadline) override {
    lower_.deadline = deadline;
    ERR_clear_error();
    std::size_t count = 0;
    const int result = SSL_read_ex(ssl_.get(), buffer, size, &count);
    if (result == 1) return count;
    if (lower_.error) return Fail(*lower_.error);
    if (SSL_get_error(ssl_.get(), result) == SSL_ERROR_ZERO_RETURN) return std::size_t{0};
    if (UnexpectedEnd(result)) return Fail(ErrorCode::kNetworkFailed, Subject() + "the connection was cut");
    return Fail(ErrorCode::kNetworkFailed, Subject() + OpenSslReason());
  }

  Status Write(std::string_view bytes, Deadline deadline) override {
    lower_.deadline = deadline;
    ERR_clear_error();
    std::size_t count = 0;
    if (SSL_write_ex(ssl_.get(), bytes.data(), bytes.size(), &count) == 1) return {};
    if (lower_.error) return Fail(*lower_.error);
    return Fail(ErrorCode::kNetworkFailed, Subject() + OpenSslReason());
  }

  bool Quiet() override { return SSL_pending(ssl_.get()) == 0 && lower_.transport->Quiet(); }

 private:
  std::string Subject() const { return "TLS with host '" + Printable(host_) + "': "; }

  bool UnexpectedEnd(int result) const {
    return SSL_get_error(ssl_.get(), result) == SSL_ERROR_SYSCALL ||
           ERR_GET_REASON(ERR_peek_error()) == SSL_R_UNEXPECTED_EOF_WHILE_READING;
  }

  Error CertificateError(long verdict) const {
    ERR_clear_error();
    std::string hint;
    switch (verdict) {
      case X509_V_ERR_HOSTNAME_MISMATCH:
      case X509_V_ERR_IP_ADDRESS_MISMATCH:
        hint =
            "The certificate was made for another host: check the URL, and whether something intercepts connections.";
        break;
      case X509_V_ERR_CERT_HAS_EXPIRED:
      case X509_V_ERR_CERT_NOT_YET_VALID:
        hint = "The server needs a new certificate, unless this machine's clock is wrong.";
        break;
      default:
        hint = kTrustHint;
    }
    return Error{ErrorCode::kTlsFailed,
                 Subject() + "the certificate was refused: " + X509_verify_cert_error_string(verdict), hint};
  }

  Lower lower_;  // outlives the BIO, which SSL_free releases
  Owned<SSL> ssl_;
  std::string host_;
};

Status AddFile(X509_STORE* store, const std::string& path) {
  if (X509_STORE_load_file(store, path.c_str()) == 1) return {};
  return Fail(ErrorCode::kTlsFailed, "can't read certificates from " + Printable(path) + ": " + OpenSslReason(),
              "The file must hold certificates in PEM form.");
}

Status AddPem(X509_STORE* store, const std::string& pem) {
  const Owned<BIO> bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  std::size_t count = 0;
  while (true) {
    const Owned<X509> certificate(PEM_read_bio_X509_AUX(bio.get(), nullptr, nullptr, nullptr));
    if (certificate == nullptr) break;
    X509_STORE_add_cert(store, certificate.get());
    ++count;
  }
  ERR_clear_error();
  if (count > 0) return {};
  return Fail(ErrorCode::kTlsFailed, "npm's \"ca\" holds no certificate in PEM form");
}

void AddDirectories(X509_STORE* store, std::string_view list) {
  while (!list.empty()) {
    const std::size_t colon = list.find(':');
    const std::string directory(list.substr(0, colon));
    if (!directory.empty()) X509_STORE_load_path(store, directory.c_str());
    list.remove_prefix(colon == std::string_view::npos ? list.size() : colon + 1);
  }
}

bool Exists(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

// Whether any could be read.
bool AddExtraFiles(X509_STORE* store, const TlsSettings& settings) {
  bool found = false;
  for (const std::string& file : settings.extra_files) {
    if (Exists(file) && AddFile(store, file)) found = true;
  }
  return found;
}

Status AddSystemPlaces(X509_STORE* store, const TlsSettings& settings) {
  bool found = false;
  for (const std::string& file : kSystemCertificateFiles) {
    if (!Exists(file) || !AddFile(store, file)) continue;
    found = true;
    break;
  }
  for (const std::string& directory : kSystemCertificateDirectories) {
    if (found || !Exists(directory)) continue;
    AddDirectories(store, directory);
    found = true;
  }
  if (AddExtraFiles(store, settings) || found) return {};
  return Fail(ErrorCode::kTlsFailed, "no trusted certificates were found on this machine", std::string(kTrustHint));
}

Status AddTrust(X509_STORE* store, const TlsSettings& settings) {
  if (!settings.pem.empty() || !settings.files.empty()) {
    for (const std::string& pem : settings.pem) PISHIP_CHECK(AddPem(store, pem));
    for (const std::string& file : settings.files) PISHIP_CHECK(AddFile(store, file));
    return {};
  }
  if (!settings.environment_file.empty() || !settings.environment_directory.empty()) {
    if (!settings.environment_file.empty()) PISHIP_CHECK(AddFile(store, settings.environment_file));
    AddDirectories(store, settings.environment_directory);
    AddExtraFiles(store, settings);
    return {};
  }
  return AddSystemPlaces(store, settings);
}

}  // namespace

struct TlsContext::State {
  Owned<SSL_CTX> context;
};

TlsContext::TlsContext(std::unique_ptr<State> state) : state_(std::move(state)) {}
TlsContext::~TlsContext() = default;

Result<std::shared_ptr<TlsContext>> TlsContext::Create(const TlsSettings& settings) {
  OPENSSL_init_ssl(OPENSSL_INIT_NO_LOAD_CONFIG, nullptr);
  auto state = std::make_unique<State>();
  state->context.reset(SSL_CTX_new(TLS_client_method()));
  SSL_CTX* context = state->context.get();
  if (context == nullptr) return Fail(ErrorCode::kTlsFailed, "can't start TLS: " + OpenSslReason());
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_mode(context, SSL_MODE_AUTO_RETRY | SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_options(context, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION);
  if (settings.verify == VerifyPeer::kYes) {
    PISHIP_CHECK(AddTrust(SSL_CTX_get_cert_store(context), settings));
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  } else {
    SSL_CTX_set_verify(context, SSL_VERIFY_NONE, nullptr);
  }
  return std::shared_ptr<TlsContext>(new TlsContext(std::move(state)));
}

Result<std::unique_ptr<Transport>> TlsContext::Handshake(std::unique_ptr<Transport> lower, const std::string& host,
                                                         Deadline deadline) const {
  auto transport = std::make_unique<TlsTransport>(state_->context.get(), std::move(lower), host);
  PISHIP_CHECK(transport->Handshake(deadline));
  return std::unique_ptr<Transport>(std::move(transport));
}

}  // namespace piship
