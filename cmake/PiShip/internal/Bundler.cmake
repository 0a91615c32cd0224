# SPDX-License-Identifier: MIT
# The bundler, esbuild: an npm package with one program, pinned here and nowhere else. A new version needs a look at what
# piship-bundle reads of its messages, metafile and output (docs/adr/0016), which the tests of tests/tool/bundle hold.
include_guard(GLOBAL)

# The package for the machine that builds, whatever platform the distribution is for.
function(_piship_esbuild_package function target package version integrity)
  set(linux-x64 sha512-4xTZr1FUmSoQW4XIWmit3tzQrUTZM+N3P0XV8xROKYF50XfI7xeO90+1bZvNwxIufQ9hDQVRJH5YhgPVF8A/HQ==)
  set(linux-arm64 sha512-pW4AC0P3it8c7do9MVM4p51FzHzdM/TZrerurgRcHJ2WTa1VQ1CIq18xncfpBJw4ojkiZZrKW2yIBWBP92j6Ug==)
  set(linux-arm sha512-XlDnu2q5yoqems+xay6wSAcg9DDD7K9RLKZEBOMZm3ckNpJBvOX20tSfby8KfrrhINDyv9V2YVZKY/SpoGJI8w==)
  set(linux-ia32 sha512-CYbnj78HsIeA+DhgUKgFCfvNsTHFhMMrinUrMZpDXJXKN8T3XViTZ/+wtHeVxEWY8ewSzTFN+nRmSwO2tZaLUQ==)
  set(linux-loong64 sha512-buwkd8nsph4R+ajRvw0qM5Hja/TXQow3ptzWO2EbG/cqcIkHloRrdlBtQlshyYGTNFvfkfJ5tpPLVkY4DtsPfQ==)
  set(linux-ppc64 sha512-CAXl+Dtd9UUuJd8pKKdwh6MLm3MUMiqMPmhZ3tTSXPqfyQ3vDl6R5hZdZ/kYojK4ofXtdfSv1tFq8XzWx3heNQ==)
  set(linux-riscv64 sha512-GeXCej4IQtU1B+QlDV8W/RRvbzI3O/Stss+/bCXv4lZls5WGRtu2a+3JkA3i4qIUlMXpcHebWpF8AkJhATowuA==)
  set(linux-s390x sha512-3H1weTYZPxt/WOhByszQZybS9w5lKzUn1FDMsgEChbHWQwHYQQRfBxgCcZvPhjHfKyJjIievvMmEUawJrdY9Dg==)
  _piship_host_platform(host)
  string(REGEX REPLACE "-musl$" "" host "${host}")  # esbuild's programs are static
  if(NOT DEFINED ${host})
    _piship_fail(${function} "${target}" "esbuild has no program for this machine (${host}); give BUNDLE OFF")
  endif()
  set(${package} "@esbuild/${host}" PARENT_SCOPE)
  set(${version} 0.28.2 PARENT_SCOPE)
  set(${integrity} "${${host}}" PARENT_SCOPE)
endfunction()

function(_piship_stage_bundler target work)
  _piship_esbuild_package(piship_add_distribution ${target} package version integrity)
  _piship_fetch_options(fetch)
  add_custom_command(
    OUTPUT "${work}/esbuild.inventory"
    COMMAND PiShip::vendor
      --engine-package "${package}" --engine-version ${version} --engine-integrity "${integrity}"
      --executable bin/esbuild
      --store "${PISHIP_CACHE_HOME}/store" ${fetch} --output "${work}/esbuild.inventory" --depfile "${work}/esbuild.d"
    DEPENDS PiShip::vendor
    DEPFILE "${work}/esbuild.d"
    JOB_POOL piship_io COMMENT "${target}: esbuild" VERBATIM COMMAND_EXPAND_LISTS)
endfunction()

# `parts` are the options that name the application's parts and its entry, `inputs` their files, `engines` the range of
# versions that may run it.
function(_piship_stage_bundle target work parts inputs engines)
  _piship_list_option(${target} PISHIP_PUBLIC_MODULES --public-module public)
  _piship_list_option(${target} PISHIP_BUNDLE_KEEP --keep keep)
  _piship_list_option(${target} PISHIP_BUNDLE_EXTERNAL --external external)
  _piship_flag(${target} PISHIP_BUNDLE_PRUNE --prune prune)
  _piship_flag(${target} PISHIP_BUNDLE_STRICT --strict strict)
  get_target_property(platform ${target} PISHIP_PLATFORM)
  add_custom_command(
    OUTPUT "${work}/bundled.inventory" "${work}/bundle.json"
    COMMAND PiShip::bundle
      ${parts} --engines "${engines}" --platform ${platform} "${public}" "${keep}" "${external}" "${prune}" "${strict}"
      --bundler "${work}/esbuild.inventory" --store "${PISHIP_CACHE_HOME}/store" --work "${work}/bundle"
      --output "${work}/bundled.inventory" --report "${work}/bundle.json" --depfile "${work}/bundled.d"
    DEPENDS PiShip::bundle "${work}/esbuild.inventory" ${inputs}
    DEPFILE "${work}/bundled.d"
    JOB_POOL piship_pack COMMENT "${target}: bundle" VERBATIM COMMAND_EXPAND_LISTS)
endfunction()
