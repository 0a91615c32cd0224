# SPDX-License-Identifier: MIT
cmake_minimum_required(VERSION 3.25)
# One lock for one platform: what `npm ci --omit=dev --ignore-scripts` puts on disk and what the inventory says, file by
# file. Needs VENDOR, LOCKS, WORK, CASE, PLATFORM; RESOLVED adds to each entry of the lock the URL that npm would write.
if(NOT EXISTS "${WORK}/ready")
  message("skipped: the pinned npm is not there (see tool.vendor.npm_fixture)")
  return()
endif()
file(READ "${WORK}/ready" registry)
set(node "${WORK}/tools/engine/node")
set(npm "${WORK}/tools/node_modules/npm/bin/npm-cli.js")
set(name "${CASE}-${PLATFORM}")
if(RESOLVED)
  string(APPEND name "-resolved")
endif()
set(tree "${WORK}/trees/${name}")
file(REMOVE_RECURSE "${tree}")
file(MAKE_DIRECTORY "${tree}")
file(COPY "${LOCKS}/${CASE}/package.json" "${LOCKS}/${CASE}/package-lock.json" DESTINATION "${tree}")
if(RESOLVED)
  execute_process(COMMAND "${node}" "${CMAKE_CURRENT_LIST_DIR}/add_resolved.mjs" "${tree}/package-lock.json" "${registry}"
    COMMAND_ERROR_IS_FATAL ANY)
endif()

if(NOT PLATFORM MATCHES "^([a-z0-9]+)-([a-z0-9]+)(-musl)?$")
  message(FATAL_ERROR "not a platform: ${PLATFORM}")
endif()
set(flags --os=${CMAKE_MATCH_1} --cpu=${CMAKE_MATCH_2})
if(CMAKE_MATCH_3)
  list(APPEND flags --libc=musl)
elseif(CMAKE_MATCH_1 STREQUAL "linux")
  list(APPEND flags --libc=glibc)
endif()
execute_process(
  COMMAND "${CMAKE_COMMAND}" -E env "npm_config_cache=${WORK}/npm-cache" npm_config_update_notifier=false
    "${node}" "${npm}" ci --omit=dev --ignore-scripts --no-audit --no-fund --prefer-offline --loglevel=error
    "--registry=${registry}" ${flags}
  WORKING_DIRECTORY "${tree}" COMMAND_ERROR_IS_FATAL ANY)
execute_process(
  COMMAND "${VENDOR}" --package-json "${tree}/package.json" --lockfile "${tree}/package-lock.json" --platform ${PLATFORM}
    --store "${WORK}/store" --tarballs "${WORK}/tarballs" --registry "${registry}"
    --output "${WORK}/${name}.inventory" --depfile "${WORK}/${name}.d" --report "${WORK}/${name}.json"
  COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${node}" "${CMAKE_CURRENT_LIST_DIR}/compare_tree.mjs" "${tree}" "${WORK}/${name}.inventory"
  COMMAND_ERROR_IS_FATAL ANY)
file(REMOVE_RECURSE "${tree}")
