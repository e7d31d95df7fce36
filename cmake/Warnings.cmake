# sextant_warnings(<target>): the warnings and the floating-point rules that all our code obeys.
#
# -ffp-contract=off: a compiler that fuses a*b+c on machines with FMA would change the bits of
# tables between machines. Error-free transformations ask for std::fma by name.
function(sextant_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
                                           -ffp-contract=off)
  # g++ 12 at -O3 warns of overlapping copies inside std::string + char (GCC bug 105651).
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    target_compile_options(${target} PRIVATE -Wno-restrict)
  endif()
  if(SEXTANT_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
endfunction()
