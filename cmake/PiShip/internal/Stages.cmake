# SPDX-License-Identifier: MIT
# One function per stage: each makes one Ninja edge (add_custom_command) whose output is an inventory.
#
# What all edges have in common. The tool writes its output last and only if it changed, so Ninja's restat, which CMake
# always asks for, stops everything downstream that has nothing new to do. The tool is an input. What only the tool knows
# (walked directories, the content store's epoch) is in the depfile. Options stand on the command line, which Ninja
# remembers, so a changed option re-runs its own edge; long lists of files stand in generated files. No edge reads more
# than it needs: VERSION, for example, is known to assemble and archive only.
#
# `work` is where a distribution's intermediate files lie; it contains $<CONFIG> under Ninja Multi-Config.
include_guard(GLOBAL)

# The value of a property of `target` when generating, with the generator expressions in it evaluated.
function(_piship_property target property result)
  set(${result} "$<TARGET_GENEX_EVAL:${target},$<TARGET_PROPERTY:${target},${property}>>" PARENT_SCOPE)
endfunction()

# "--option=a;--option=b" for the list property of `target`: nothing where it is empty.
function(_piship_list_option target property option result)
  _piship_property(${target} ${property} values)
  # Not BOOL, which would drop an argument such as "0" or "off".
  set(${result} "$<$<NOT:$<STREQUAL:${values},>>:${option}=$<JOIN:${values},;${option}=>>" PARENT_SCOPE)
endfunction()

# "--flag" where the boolean property of `target` is on.
function(_piship_flag target property flag result)
  _piship_property(${target} ${property} value)
  set(${result} "$<$<BOOL:${value}>:${flag}>" PARENT_SCOPE)
endfunction()

function(_piship_fetch_options result)
  set(options --tarballs "${PISHIP_CACHE_HOME}/tarballs")
  if(PISHIP_NPM_REGISTRY)
    list(APPEND options --registry "${PISHIP_NPM_REGISTRY}")
  endif()
  if(PISHIP_OFFLINE)
    list(APPEND options --offline)
  endif()
  set(${result} "${options}" PARENT_SCOPE)
endfunction()

function(_piship_stage_vendor target work package_json lockfile platform)
  _piship_fetch_options(fetch)
  _piship_list_option(${target} PISHIP_ALLOW_MISSING_INTEGRITY --allow-missing-integrity allow)
  add_custom_command(
    OUTPUT "${work}/packages.inventory" "${work}/vendor.json"
    COMMAND PiShip::vendor
      --package-json "${package_json}" --lockfile "${lockfile}" --platform ${platform}
      --store "${PISHIP_CACHE_HOME}/store" ${fetch} "${allow}"
      --output "${work}/packages.inventory" --report "${work}/vendor.json" --depfile "${work}/packages.d"
    DEPENDS PiShip::vendor "${package_json}" "${lockfile}"
    DEPFILE "${work}/packages.d"
    JOB_POOL piship_io COMMENT "${target}: npm packages" VERBATIM COMMAND_EXPAND_LISTS)
endfunction()

function(_piship_stage_engine target work package version integrity)
  _piship_fetch_options(fetch)
  add_custom_command(
    OUTPUT "${work}/engine.inventory"
    COMMAND PiShip::vendor
      --engine-package "${package}" --engine-version "${version}" --engine-integrity "${integrity}"
      --store "${PISHIP_CACHE_HOME}/store" ${fetch} --output "${work}/engine.inventory" --depfile "${work}/engine.d"
    DEPENDS PiShip::vendor
    DEPFILE "${work}/engine.d"
    JOB_POOL piship_io COMMENT "${target}: engine" VERBATIM COMMAND_EXPAND_LISTS)
endfunction()

function(_piship_stage_strip target work)
  _piship_list_option(${target} PISHIP_STRIP_KEEP --keep keep)
  add_custom_command(
    OUTPUT "${work}/stripped.inventory" "${work}/strip.json"
    COMMAND PiShip::strip
      --input "${work}/packages.inventory" --store "${PISHIP_CACHE_HOME}/store" "${keep}"
      --output "${work}/stripped.inventory" --report "${work}/strip.json" --depfile "${work}/stripped.d"
    DEPENDS PiShip::strip "${work}/packages.inventory"
    DEPFILE "${work}/stripped.d"
    COMMENT "${target}: strip" VERBATIM COMMAND_EXPAND_LISTS)
endfunction()

# Own files, or resources, as the inventory <work>/<name>.inventory. `relative` are paths below `base`; `generated` those
# which other rules make, so that Ninja makes them first.
function(_piship_stage_sources target work name base relative generated)
  list(JOIN relative "\n" lines)
  file(GENERATE OUTPUT "${work}/${name}.list" CONTENT "${lines}\n")
  add_custom_command(
    OUTPUT "${work}/${name}.inventory"
    COMMAND PiShip::sources
      --base "${base}" --list "${work}/${name}.list" --store "${PISHIP_CACHE_HOME}/store"
      --output "${work}/${name}.inventory" --depfile "${work}/${name}.d"
    DEPENDS PiShip::sources "${work}/${name}.list" ${generated}
    DEPFILE "${work}/${name}.d"
    COMMENT "${target}: ${name}" VERBATIM COMMAND_EXPAND_LISTS)
endfunction()

# `parts` are options that name the parts, `inputs` their files.
function(_piship_stage_assemble target work parts inputs)
  _piship_list_option(${target} PISHIP_RESOURCES --resources resources)
  _piship_list_option(${target} PISHIP_ENVIRONMENT --environment environment)
  _piship_list_option(${target} PISHIP_ARGUMENTS --argument arguments)
  _piship_list_option(${target} PISHIP_ENGINE_FLAGS --engine-flag engine_flags)
  _piship_property(${target} PISHIP_NAME name)
  _piship_property(${target} PISHIP_COMMAND command)
  _piship_property(${target} PISHIP_RESOURCE_INVENTORIES resource_inventories)
  _piship_property(${target} PISHIP_KEEP_VERSIONS keep_versions)
  _piship_property(${target} PISHIP_STATE_SCHEMA state_schema)
  _piship_flag(${target} PISHIP_VERIFY_AT_LAUNCH --verify-at-launch verify)
  _piship_list_option(${target} PISHIP_CHANNEL_URL --channel-url channel_url)
  _piship_list_option(${target} PISHIP_CHANNEL_ROOT --channel-root channel_root)
  _piship_list_option(${target} PISHIP_CHANNEL --channel channel)
  get_target_property(id ${target} PISHIP_ID)
  get_target_property(version ${target} PISHIP_VERSION)
  get_target_property(platform ${target} PISHIP_PLATFORM)
  _piship_runtime_for(piship_add_distribution ${target} ${platform} runtime runtime_depends)
  add_custom_command(
    OUTPUT "${work}/payload.inventory" "${work}/piship.lock"
    COMMAND PiShip::assemble
      ${parts} "${resources}" --runtime "${runtime}"
      --id ${id} "--name=${name}" --command "${command}"
      --distribution-version "${version}" --platform ${platform} "${environment}" "${arguments}" "${engine_flags}" "${verify}"
      "--keep-versions=${keep_versions}" "--state-schema=${state_schema}" "${channel_url}" "${channel_root}" "${channel}"
      --store "${PISHIP_CACHE_HOME}/store" --output "${work}/payload.inventory" --lock-output "${work}/piship.lock"
      --depfile "${work}/payload.d"
    DEPENDS PiShip::assemble ${runtime_depends} ${inputs} "${resource_inventories}"
    DEPFILE "${work}/payload.d"
    COMMENT "${target}: payload" VERBATIM COMMAND_EXPAND_LISTS)
endfunction()

function(_piship_stage_archive target work archive release)
  _piship_property(${target} PISHIP_COMPRESSION_LEVEL level)
  add_custom_command(
    OUTPUT "${archive}" "${archive}.sha256" "${release}"
    COMMAND PiShip::archive
      --inventory "${work}/payload.inventory" --lock "${work}/piship.lock" --store "${PISHIP_CACHE_HOME}/store"
      --level "${level}"
      --output "${archive}" --checksum "${archive}.sha256" --release "${release}" --depfile "${work}/archive.d"
    DEPENDS PiShip::archive "${work}/payload.inventory" "${work}/piship.lock"
    DEPFILE "${work}/archive.d"
    JOB_POOL piship_pack COMMENT "${target}: archive" VERBATIM COMMAND_EXPAND_LISTS)
endfunction()

function(_piship_stage_installer name distribution archive installer)
  get_target_property(platform ${distribution} PISHIP_PLATFORM)
  _piship_runtime_for(piship_add_installer ${distribution} ${platform} runtime runtime_depends)
  add_custom_command(
    OUTPUT "${installer}" "${installer}.sha256"
    COMMAND PiShip::installer
      --runtime "${runtime}" --archive "${archive}" --output "${installer}" --checksum "${installer}.sha256"
    DEPENDS PiShip::installer ${runtime_depends} "${archive}"
    COMMENT "${name}: installer" VERBATIM)
endfunction()
