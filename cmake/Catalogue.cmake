# sextant_catalogue(<target> <kind> [UNITY] <name>...)
#
# Declares the members of an open family: encodings, theorems, verbs. Each <name> is one file <name>.cpp in
# the current folder that defines register_<name>(). Writes catalogue_<kind>.inc, which lists them
# as X(<name>), and stops if a .cpp file in the folder is not in the list, so that a file can
# never be forgotten.
#
# Members are alike and use the same names for the same things, so that each is compiled alone. UNITY says
# that their names differ: a unity build compiles them together, where headers take longer than all else.
function(sextant_catalogue target kind)
  cmake_parse_arguments(PARSE_ARGV 2 members UNITY "" "")
  set(names ${members_UNPARSED_ARGUMENTS})
  file(GLOB on_disk CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} *.cpp)
  list(TRANSFORM on_disk REPLACE "\\.cpp$" "")
  set(forgotten ${on_disk})
  list(REMOVE_ITEM forgotten ${names})
  if(forgotten)
    message(FATAL_ERROR "${kind}: not in the catalogue: ${forgotten}")
  endif()

  set(lines "")
  foreach(name IN LISTS names)
    target_sources(${target} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/${name}.cpp)
    string(APPEND lines "X(${name})\n")
  endforeach()
  if(NOT members_UNITY)
    list(TRANSFORM names APPEND .cpp OUTPUT_VARIABLE files)
    set_source_files_properties(${files} TARGET_DIRECTORY ${target}
                                PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endif()
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/catalogue_${kind}.inc CONTENT "${lines}")
  target_include_directories(${target} PRIVATE ${PROJECT_BINARY_DIR}/generated)
endfunction()
