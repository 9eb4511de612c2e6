# What an installed Millrace consists of: the public headers, one static library per folder of src/, the command, and two
# descriptions of them, for CMake (find_package(millrace COMPONENTS checksum tink)) and for pkg-config (millrace).
include(CMakePackageConfigHelpers)

# How a library from outside is asked for by those who link a folder that needs it: the find_package line and the
# pkg-config module or linker flag. One that is missing here stops the configuration instead of breaking a user's.
set(millrace_external_OpenSSL::Crypto "OpenSSL 3|libcrypto|")
set(millrace_external_OpenSSL::SSL "OpenSSL 3|libssl|")
set(millrace_external_Threads::Threads "Threads||-pthread")
set(millrace_external_xxHash::xxhash "xxHash|libxxhash|")
set(millrace_external_CURL::libcurl "CURL|libcurl|")

get_property(folders GLOBAL PROPERTY MILLRACE_FOLDERS)

set(millrace_components "")
set(pc_libraries "")
set(pc_requires "")
set(pc_flags "")
set(folder_facts "")
foreach(folder ${folders})
  string(REPLACE "millrace_" "" component ${folder})
  list(APPEND millrace_components ${component})
  # Folders are declared lowest first; a linker wants the users before the used.
  list(PREPEND pc_libraries -l${folder})
  set(uses "")
  set(finds "")
  get_target_property(links ${folder} LINK_LIBRARIES)
  if(NOT links)
    set(links "")
  endif()
  foreach(link ${links})
    if(link MATCHES "^\\$<BUILD_INTERFACE:")
      continue()  # headers only, see millrace_folder()
    elseif(link MATCHES "^millrace_(.*)")
      list(APPEND uses ${CMAKE_MATCH_1})
    elseif(DEFINED millrace_external_${link})
      string(REPLACE "|" ";" external "${millrace_external_${link}}")
      list(GET external 0 find)
      list(GET external 1 module)
      list(GET external 2 flag)
      list(APPEND finds "${find}")
      list(APPEND pc_requires ${module})
      list(APPEND pc_flags ${flag})
    else()
      message(FATAL_ERROR "${folder} links ${link}: say in cmake/MillraceInstall.cmake how its users find it")
    endif()
  endforeach()
  string(APPEND folder_facts "set(_millrace_${component}_uses \"${uses}\")\nset(_millrace_${component}_finds \"${finds}\")\n")
endforeach()

# `millrace::millrace` is all of it.
add_library(millrace_all INTERFACE)
add_library(millrace::millrace ALIAS millrace_all)
set_target_properties(millrace_all PROPERTIES EXPORT_NAME millrace)
target_link_libraries(millrace_all INTERFACE ${folders})

if(NOT MILLRACE_INSTALL)
  return()
endif()

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/millrace)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/millrace DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(TARGETS ${folders} millrace_all EXPORT millrace ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT millrace NAMESPACE millrace:: FILE millrace-targets.cmake DESTINATION ${package_dir})

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/millrace-config.cmake.in
  ${PROJECT_BINARY_DIR}/package/millrace-config.cmake INSTALL_DESTINATION ${package_dir})
# Before 1.0 a minor version may break its users; afterwards only a major one may.
if(PROJECT_VERSION VERSION_LESS 1)
  set(compatible SameMinorVersion)
else()
  set(compatible SameMajorVersion)
endif()
write_basic_package_version_file(${PROJECT_BINARY_DIR}/package/millrace-config-version.cmake COMPATIBILITY ${compatible})
install(FILES ${CMAKE_CURRENT_LIST_DIR}/FindxxHash.cmake DESTINATION ${package_dir})
install(FILES ${PROJECT_BINARY_DIR}/package/millrace-config.cmake ${PROJECT_BINARY_DIR}/package/millrace-config-version.cmake
  DESTINATION ${package_dir})

# The prefix is known only when installing (cmake --install --prefix), so the file says where it is by where it lies.
file(RELATIVE_PATH pc_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" pc_prefix ${pc_prefix})
foreach(list pc_requires pc_flags)
  list(REMOVE_DUPLICATES ${list})
  list(REMOVE_ITEM ${list} "")
endforeach()
list(JOIN pc_requires ", " pc_requires)
list(JOIN pc_libraries " " pc_libraries)
list(JOIN pc_flags " " pc_flags)
configure_file(${CMAKE_CURRENT_LIST_DIR}/millrace.pc.in ${PROJECT_BINARY_DIR}/package/millrace.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/package/millrace.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

if(TARGET millrace_cli)
  install(TARGETS millrace_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
