# sextant_report_page(<target>)
#
# Puts the page of web/ into <target> as kPageTemplate (src/report/page_template.h): npm fetches the
# packages of web/package-lock.json, esbuild makes one file of it and the notes of docs/math/, a tool turns
# it into C++. With SEXTANT_BUILD_PAGE off the constant is empty.
find_program(SEXTANT_NPM npm)
find_program(SEXTANT_NODE node)
set(page_possible OFF)
if(SEXTANT_NPM AND SEXTANT_NODE AND EXISTS ${PROJECT_SOURCE_DIR}/web/package.json)
  set(page_possible ON)
endif()
option(SEXTANT_BUILD_PAGE "Build the page of the report; needs node and npm" ${page_possible})
if(SEXTANT_BUILD_PAGE AND NOT (SEXTANT_NPM AND SEXTANT_NODE))
  message(FATAL_ERROR "SEXTANT_BUILD_PAGE needs node and npm")
endif()

function(sextant_report_page target)
  set(source ${PROJECT_BINARY_DIR}/generated/page_template.cpp)
  target_sources(${target} PRIVATE ${source})
  if(NOT SEXTANT_BUILD_PAGE)
    file(CONFIGURE OUTPUT ${source} CONTENT [[
#include "report/page_template.h"

namespace sextant {
const std::string_view kPageTemplate;
}  // namespace sextant
]])
    return()
  endif()

  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  set(web ${PROJECT_SOURCE_DIR}/web)
  set(tool ${PROJECT_SOURCE_DIR}/tools/embed_text.py)
  set(page ${PROJECT_BINARY_DIR}/web/report-template.html)
  set(stamp ${PROJECT_BINARY_DIR}/web/packages.stamp)
  file(GLOB page_sources CONFIGURE_DEPENDS ${web}/src/* ${PROJECT_SOURCE_DIR}/docs/math/*.md)
  add_custom_command(
    OUTPUT ${stamp}
    COMMAND ${SEXTANT_NODE} ${web}/packages.mjs ${SEXTANT_NPM}
    COMMAND ${CMAKE_COMMAND} -E touch ${stamp}
    DEPENDS ${web}/package-lock.json ${web}/packages.mjs
    COMMENT "Packages of the page" VERBATIM)
  add_custom_command(
    OUTPUT ${page}
    COMMAND ${SEXTANT_NODE} ${web}/build.mjs ${page}
    DEPENDS ${stamp} ${page_sources} ${web}/build.mjs ${web}/notes.mjs
    COMMENT "The page of the report" VERBATIM)
  add_custom_command(
    OUTPUT ${source}
    COMMAND Python3::Interpreter ${tool} report/page_template.h kPageTemplate ${source} ${page}
    DEPENDS ${tool} ${page}
    COMMENT "The page as C++" VERBATIM)
endfunction()
