// SPDX-License-Identifier: MIT
// Host names by files and DNS alone, for a program that can't load the C library's name services: addresses as they are
// written, then hosts(5), then the name servers of resolv.conf(5) with its search list. "localhost" and names below it
// are this machine, whatever a server says (RFC 6761).
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "net/resolver.h"

namespace piship {

// What resolv.conf says; what it does not say is as resolv.conf(5) has it.
struct DnsSettings {
  std::vector<std::string> servers;  // addresses; at most three count
  std::vector<std::string> search;   // domains that are tried behind a name
  int dots = 1;                      // a name with at least so many dots is tried as it is first
  int attempts = 2;                  // of all servers
  std::chrono::milliseconds timeout{5000};
  std::uint16_t port = 53;
};
DnsSettings ParseResolvConf(std::string_view text);
// The addresses that hosts(5) gives the name, in the order of the file.
std::vector<std::string> FindInHosts(std::string_view hosts, std::string_view name);

// Reads both files anew for each name: they change while a machine moves between networks.
std::shared_ptr<Resolver> DnsResolver(std::string hosts_file = "/etc/hosts",
                                      std::string resolv_conf = "/etc/resolv.conf");
// With settings that are given, and the text of a hosts file.
std::shared_ptr<Resolver> DnsResolver(DnsSettings settings, std::string hosts);

}  // namespace piship
