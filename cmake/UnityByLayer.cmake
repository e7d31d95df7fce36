# sextant_unity_by_layer(<target> <size>)
#
# A unity build compiles up to <size> files of one layer, a folder of src/, at once. A new file moves
# the batches of its own layer only, so that a compiler cache keeps all others.
function(sextant_unity_by_layer target size)
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    if(NOT source MATCHES "^${PROJECT_SOURCE_DIR}/src/([a-z_]+)/.*[.]cpp$")
      continue()
    endif()
    set(layer ${CMAKE_MATCH_1})
    if(NOT DEFINED files_of_${layer})
      set(files_of_${layer} 0)
    endif()
    math(EXPR batch "${files_of_${layer}} / ${size}")
    math(EXPR files_of_${layer} "${files_of_${layer}} + 1")
    set_source_files_properties(${source} TARGET_DIRECTORY ${target}
                                PROPERTIES UNITY_GROUP ${layer}_${batch})
  endforeach()
endfunction()
