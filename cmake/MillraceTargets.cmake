# How a folder becomes a target. Each folder of src/ is one library that sees the headers of the folders it links and of
# no others, so that an arrow in the wrong direction fails to build.

# millrace_flags(TARGET): language level, warnings, sanitizers.
function(millrace_flags target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  set_target_properties(${target} PROPERTIES
    CXX_EXTENSIONS OFF CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON POSITION_INDEPENDENT_CODE ON)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor)
  if(MILLRACE_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(MILLRACE_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${MILLRACE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
    target_link_options(${target} PUBLIC -fsanitize=${MILLRACE_SANITIZE})
  endif()
  if(MILLRACE_BUILD_FUZZ)
    # The fuzzer steers by the branches of all code, not of the target's own file.
    target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
  endif()
endfunction()

# millrace_is_headers_only(LIBRARY RESULT): whether LIBRARY adds nothing to a link line. Whoever links one of our static libraries
# then does not need it, and the installed package does not ask for it.
function(millrace_is_headers_only library result)
  set(${result} OFF PARENT_SCOPE)
  if(NOT TARGET ${library})
    return()
  endif()
  get_target_property(type ${library} TYPE)
  get_target_property(libraries ${library} INTERFACE_LINK_LIBRARIES)
  get_target_property(options ${library} INTERFACE_LINK_OPTIONS)
  if(type STREQUAL "INTERFACE_LIBRARY" AND NOT libraries AND NOT options)
    set(${result} ON PARENT_SCOPE)
  endif()
endfunction()

# millrace_folder(NAME SOURCES a.cc b.cc LINKS base stream PRIVATE_LINKS OpenSSL::Crypto): src/NAME as millrace_NAME.
# Copies are counted (base/copy.h) in every build that has tests.
function(millrace_folder name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINKS;PRIVATE_LINKS" ${ARGN})
  set(target millrace_${name})
  add_library(${target} STATIC ${arg_SOURCES})
  add_library(millrace::${name} ALIAS ${target})
  millrace_flags(${target})
  # The folder's own include root: a directory that holds nothing but a link named like the folder.
  set(root ${PROJECT_BINARY_DIR}/include-roots/${name})
  file(MAKE_DIRECTORY ${root})
  file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR}/${name} ${root}/${name} SYMBOLIC)
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${root}> $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  foreach(link ${arg_LINKS})
    target_link_libraries(${target} PUBLIC millrace_${link})
  endforeach()
  foreach(link ${arg_PRIVATE_LINKS})
    millrace_is_headers_only(${link} headers_only)
    if(headers_only)
      target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:${link}>)
    else()
      target_link_libraries(${target} PRIVATE ${link})
    endif()
  endforeach()
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  set_property(GLOBAL APPEND PROPERTY MILLRACE_FOLDERS ${target})
endfunction()

# What is tested is in the libraries, at full optimization; the tests around it spend their time in the compiler. With so
# little of it g++ 12 sees overlaps in joined strings, and operators delete of others, that are not there.
function(millrace_test_flags target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>
    "$<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds;-Wno-mismatched-new-delete;-Wno-restrict;-Wno-stringop-overflow>")
endfunction()

# millrace_test(NAME SOURCES a_test.cc LINKS tink): one test program, one line of ctest.
function(millrace_test name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINKS;LIBRARIES" ${ARGN})
  if(NOT MILLRACE_BUILD_TESTS)
    return()
  endif()
  add_executable(${name} ${arg_SOURCES})
  millrace_flags(${name})
  millrace_test_flags(${name})
  foreach(link ${arg_LINKS})
    target_link_libraries(${name} PRIVATE millrace_${link})
  endforeach()
  target_link_libraries(${name} PRIVATE millrace_testing ${arg_LIBRARIES} GTest::gtest_main)
  # The large headers are parsed once for all tests. (A program, because objects of libraries are compiled with other flags.)
  if(NOT TARGET millrace_test_headers)
    file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/test_headers.cc CONTENT "int main() {}\n")
    add_executable(millrace_test_headers ${PROJECT_BINARY_DIR}/test_headers.cc)
    millrace_flags(millrace_test_headers)
    millrace_test_flags(millrace_test_headers)
    target_link_libraries(millrace_test_headers PRIVATE millrace_testing GTest::gtest)
    target_precompile_headers(millrace_test_headers PRIVATE <gtest/gtest.h> <nlohmann/json.hpp>)
  endif()
  target_precompile_headers(${name} REUSE_FROM millrace_test_headers)
  add_test(NAME ${name} COMMAND ${name})
endfunction()
