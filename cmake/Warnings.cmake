# sextant_warnings(<target>): the warnings and the floating-point rules that all our code obeys.
#
# -ffp-contract=off: a compiler that fuses a*b+c on machines with FMA would change the bits of
# tables between machines. Error-free transformations ask for std::fma by name.
function(sextant_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
                                           -ffp-contract=off)
  if(SEXTANT_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
endfunction()
