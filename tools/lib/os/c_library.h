// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string_view>

namespace piship {

enum class CLibrary : std::uint8_t { kGlibc, kMusl };

// Whether the dynamic loader of that C library lies where its programs look for it. `cpu` in npm's words; one whose
// loader is not known here counts as present.
bool HasCLibrary(CLibrary library, std::string_view cpu);

}  // namespace piship
