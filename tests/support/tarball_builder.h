// SPDX-License-Identifier: MIT
// Makes npm tarballs for tests, right ones and wrong ones: every field of a header can be set to anything.
#pragma once

#include <libdeflate.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace piship {

struct TarHeader {
  std::string name;
  char type = '0';
  unsigned mode = 0644;
  std::string size = {};    // raw field; empty: the body's
  std::string prefix = {};  // of ustar
  std::string link = {};
  bool right_checksum = true;
};

class TarballBuilder {
 public:
  TarballBuilder& Entry(const TarHeader& header, std::string_view body = {}) {
    std::string block(512, '\0');
    const auto put = [&](std::size_t at, std::string_view text) { block.replace(at, text.size(), text); };
    const auto octal = [](std::uint64_t value, int digits) {
      char text[32];
      std::snprintf(text, sizeof text, "%0*llo", digits, static_cast<unsigned long long>(value));
      return std::string(text);
    };
    put(0, std::string_view(header.name).substr(0, 100));
    put(100, octal(header.mode, 7));
    put(108, octal(0, 7));
    put(116, octal(0, 7));
    put(124, header.size.empty() ? octal(body.size(), 11) : header.size);
    put(136, octal(0, 11));
    block[156] = header.type;
    put(157, std::string_view(header.link).substr(0, 100));
    put(257, std::string_view("ustar\00000", 8));
    put(345, std::string_view(header.prefix).substr(0, 155));
    put(148, "        ");
    unsigned sum = header.right_checksum ? 0 : 1;
    for (const char c : block) sum += static_cast<unsigned char>(c);
    put(148, octal(sum, 6));
    block[154] = '\0';
    tar_ += block;
    tar_ += body;
    tar_.append((512 - body.size() % 512) % 512, '\0');
    return *this;
  }
  TarballBuilder& File(std::string_view name, std::string_view body, unsigned mode = 0644) {
    return Entry({std::string(name), '0', mode}, body);
  }
  // One record of a pax header, its length counted.
  static std::string PaxRecord(std::string_view key, std::string_view value) {
    const std::size_t rest = 3 + key.size() + value.size();
    std::size_t length = rest + 1;
    while (std::to_string(length).size() + rest != length) length = std::to_string(length).size() + rest;
    return std::to_string(length) + " " + std::string(key) + "=" + std::string(value) + "\n";
  }
  TarballBuilder& Pax(std::string_view records, char type = 'x') { return Entry({"PaxHeader/x", type}, records); }
  TarballBuilder& Raw(std::string_view bytes) {
    tar_ += bytes;
    return *this;
  }
  std::string Tar() const { return tar_ + std::string(1024, '\0'); }
  std::string TarWithoutEnd() const { return tar_; }
  std::string Gzip() const { return GzipOf(Tar()); }

  static std::string GzipOf(std::string_view bytes) {
    libdeflate_compressor* compressor = libdeflate_alloc_compressor(6);
    std::string out(libdeflate_gzip_compress_bound(compressor, bytes.size()), '\0');
    out.resize(libdeflate_gzip_compress(compressor, bytes.data(), bytes.size(), out.data(), out.size()));
    libdeflate_free_compressor(compressor);
    return out;
  }

 private:
  std::string tar_;
};

}  // namespace piship
