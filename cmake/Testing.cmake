# sextant_tests(<kind> [PROCESSORS <number>] [SHARDS <number>])
#
# One binary sextant_<kind>_tests from every *_test.cpp below tests/<kind>. Files are found, not
# listed: a test cannot be forgotten. A unity build compiles a folder at once, so that names of a folder's
# tests must differ. Each TEST becomes a ctest entry with the label <kind>; with SHARDS that many
# processes share the tests instead, for kinds whose tests take less time than a process does to start.
# An entry is said to keep PROCESSORS cores busy, 1 unless given.
include(GoogleTest)

# Most of a whole build is compiling tests. What they test keeps its flags.
set(SEXTANT_TEST_OPTIONS "" CACHE STRING "Compiler options of the tests' own code, after all others")

function(sextant_tests kind)
  cmake_parse_arguments(PARSE_ARGV 1 test "" "PROCESSORS;SHARDS" "")
  if(NOT DEFINED test_PROCESSORS)
    set(test_PROCESSORS 1)
  endif()
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${kind}/*_test.cpp)
  if(NOT sources)
    message(FATAL_ERROR "tests/${kind} has no *_test.cpp")
  endif()
  set(target sextant_${kind}_tests)
  add_executable(${target} ${sources})
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${SEXTANT_UNITY_BUILD} UNITY_BUILD_MODE GROUP)
  foreach(source IN LISTS sources)
    file(RELATIVE_PATH folder ${CMAKE_CURRENT_SOURCE_DIR} ${source}/..)
    string(MAKE_C_IDENTIFIER ${folder} folder)
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${folder})
  endforeach()
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(${target} PRIVATE sextant Eigen3::Eigen fmt::fmt
                                          nlohmann_json::nlohmann_json ZLIB::ZLIB PkgConfig::zstd
                                          GTest::gtest_main)
  target_compile_definitions(${target} PRIVATE
    SEXTANT_BINARY="$<TARGET_FILE:sextant_cli>" SEXTANT_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  target_compile_options(${target} PRIVATE ${SEXTANT_TEST_OPTIONS})
  sextant_warnings(${target})
  add_dependencies(${target} sextant_cli)
  set(properties LABELS ${kind} TIMEOUT 600 PROCESSORS ${test_PROCESSORS})
  if(NOT DEFINED test_SHARDS)
    gtest_discover_tests(${target} DISCOVERY_TIMEOUT 60 DISCOVERY_MODE PRE_TEST NO_PRETTY_VALUES
                         PROPERTIES ${properties})
    return()
  endif()
  foreach(shard RANGE 1 ${test_SHARDS})
    math(EXPR index "${shard} - 1")
    set(name ${kind}.${shard}_of_${test_SHARDS})
    add_test(NAME ${name} COMMAND ${target} --gtest_brief=1)
    set_tests_properties(${name} PROPERTIES ${properties} ENVIRONMENT
                         "GTEST_TOTAL_SHARDS=${test_SHARDS};GTEST_SHARD_INDEX=${index}")
  endforeach()
endfunction()
