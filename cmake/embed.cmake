# embed.cmake - files of the source tree that the library contains, such as style sheets.
#
#   embed_file(TARGET SYMBOL FILE)
#
# adds to TARGET a generated C file that defines
#
#   const char SYMBOL[];         the bytes of FILE, with a zero after them
#   const size_t SYMBOL_size;    their number, without the zero
#
# The folder that uses them declares them in its header:
#
#   extern const char SYMBOL[];
#   extern const size_t SYMBOL_size;
#
# A changed FILE is embedded again by the next build. The build runs this file as a script to write
# the C file, so that it needs no tool besides CMake.

if(DEFINED EMBED_FILE AND CMAKE_SCRIPT_MODE_FILE)
  file(READ "${EMBED_FILE}" bytes HEX)
  string(LENGTH "${bytes}" size)
  math(EXPR size "${size} / 2")
  string(REGEX REPLACE "(..)" "'\\\\x\\1'," bytes "${bytes}")
  string(REPEAT "'....'," 16 line)
  string(REGEX REPLACE "(${line})" "\\1\n" bytes "${bytes}")
  get_filename_component(name "${EMBED_FILE}" NAME)
  file(WRITE "${EMBED_OUT}.new" "/* Made of ${name} by cmake/embed.cmake. */
#include <stddef.h>

extern const char ${EMBED_SYMBOL}[];
extern const size_t ${EMBED_SYMBOL}_size;

const char ${EMBED_SYMBOL}[] = {
${bytes}'\\0'};
const size_t ${EMBED_SYMBOL}_size = ${size};
")
  file(RENAME "${EMBED_OUT}.new" "${EMBED_OUT}")
  return()
endif()

set(EMBED_SCRIPT ${CMAKE_CURRENT_LIST_FILE})
function(embed_file target symbol file)
  get_filename_component(path "${file}" ABSOLUTE)
  set(out ${CMAKE_CURRENT_BINARY_DIR}/embedded/${symbol}.c)
  file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/embedded)
  add_custom_command(OUTPUT ${out}
    COMMAND ${CMAKE_COMMAND} -DEMBED_FILE=${path} -DEMBED_OUT=${out} -DEMBED_SYMBOL=${symbol}
            -P ${EMBED_SCRIPT}
    DEPENDS ${path} ${EMBED_SCRIPT} COMMENT "Embedding ${file}" VERBATIM)
  target_sources(${target} PRIVATE ${out})
endfunction()
