// SPDX-License-Identifier: MIT
#include "support/test_certificates.h"

#include <arpa/inet.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <cstdlib>

namespace piship {
namespace {

struct Deleter {
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(BIO* bio) const { BIO_free_all(bio); }
};
template <class T>
using Owned = std::unique_ptr<T, Deleter>;

std::string Content(BIO* bio) {
  const char* data = nullptr;
  const long size = BIO_ctrl(bio, BIO_CTRL_INFO, 0, &data);
  return std::string(data, static_cast<std::size_t>(size));
}

std::string ToPem(X509* certificate) {
  const Owned<BIO> bio(BIO_new(BIO_s_mem()));
  PEM_write_bio_X509(bio.get(), certificate);
  return Content(bio.get());
}

std::string ToPem(EVP_PKEY* key) {
  const Owned<BIO> bio(BIO_new(BIO_s_mem()));
  PEM_write_bio_PrivateKey(bio.get(), key, nullptr, nullptr, 0, nullptr, nullptr);
  return Content(bio.get());
}

Owned<EVP_PKEY> MakeKey() { return Owned<EVP_PKEY>(EVP_EC_gen("P-256")); }

void AddExtension(X509* certificate, X509* issuer, int id, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, id, value.c_str());
  if (extension == nullptr) std::abort();
  X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
}

Owned<X509> MakeCertificate(EVP_PKEY* key, const std::string& common_name, int from_days, int to_days) {
  static int serial = 0;
  Owned<X509> certificate(X509_new());
  X509_set_version(certificate.get(), 2);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), ++serial);
  constexpr long kDay = 24L * 60 * 60;
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), from_days * kDay);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), to_days * kDay);
  X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate.get()), "CN", MBSTRING_UTF8,
                             reinterpret_cast<const unsigned char*>(common_name.c_str()), -1, -1, 0);
  X509_set_pubkey(certificate.get(), key);
  return certificate;
}

std::string AlternativeNames(const std::vector<std::string>& names) {
  std::string value;
  for (const std::string& name : names) {
    in6_addr ignored;
    const bool address =
        inet_pton(AF_INET, name.c_str(), &ignored) == 1 || inet_pton(AF_INET6, name.c_str(), &ignored) == 1;
    value += (value.empty() ? "" : ",") + std::string(address ? "IP:" : "DNS:") + name;
  }
  return value;
}

}  // namespace

struct TestAuthority::State {
  Owned<EVP_PKEY> key;
  Owned<X509> certificate;
};

TestAuthority::TestAuthority() : state_(std::make_unique<State>()) {
  state_->key = MakeKey();
  static int count = 0;
  state_->certificate = MakeCertificate(state_->key.get(), "Test Authority " + std::to_string(++count), -10, 10);
  X509* certificate = state_->certificate.get();
  X509_set_issuer_name(certificate, X509_get_subject_name(certificate));
  AddExtension(certificate, certificate, NID_basic_constraints, "critical,CA:TRUE");
  AddExtension(certificate, certificate, NID_key_usage, "critical,keyCertSign,cRLSign");
  AddExtension(certificate, certificate, NID_subject_key_identifier, "hash");
  X509_sign(certificate, state_->key.get(), EVP_sha256());
  certificate_pem_ = ToPem(certificate);
}

TestAuthority::~TestAuthority() = default;

TestCertificate TestAuthority::Issue(const std::vector<std::string>& names, int from_days, int to_days) const {
  const Owned<EVP_PKEY> key = MakeKey();
  const Owned<X509> certificate = MakeCertificate(key.get(), names.front(), from_days, to_days);
  X509_set_issuer_name(certificate.get(), X509_get_subject_name(state_->certificate.get()));
  AddExtension(certificate.get(), state_->certificate.get(), NID_subject_alt_name, AlternativeNames(names));
  X509_sign(certificate.get(), state_->key.get(), EVP_sha256());
  return {ToPem(certificate.get()), ToPem(key.get())};
}

TestCertificate TestAuthority::SelfSigned(const std::vector<std::string>& names) {
  const Owned<EVP_PKEY> key = MakeKey();
  const Owned<X509> certificate = MakeCertificate(key.get(), names.front(), -1, 1);
  X509_set_issuer_name(certificate.get(), X509_get_subject_name(certificate.get()));
  AddExtension(certificate.get(), certificate.get(), NID_subject_alt_name, AlternativeNames(names));
  X509_sign(certificate.get(), key.get(), EVP_sha256());
  return {ToPem(certificate.get()), ToPem(key.get())};
}

}  // namespace piship
