// SPDX-License-Identifier: MIT
// Who owns what OpenSSL gives. For the sources of this box only: no other header may include it.
#pragma once

#include <openssl/bio.h>
#include <openssl/evp.h>

#include <memory>

namespace piship::tuf {

template <auto Free>
struct Deleter {
  template <class T>
  void operator()(T* pointer) const {
    Free(pointer);
  }
};
using PkeyPointer = std::unique_ptr<EVP_PKEY, Deleter<EVP_PKEY_free>>;
using BioPointer = std::unique_ptr<BIO, Deleter<BIO_free>>;
using ContextPointer = std::unique_ptr<EVP_MD_CTX, Deleter<EVP_MD_CTX_free>>;
using PkeyContextPointer = std::unique_ptr<EVP_PKEY_CTX, Deleter<EVP_PKEY_CTX_free>>;

}  // namespace piship::tuf
