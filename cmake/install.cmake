# What `cmake --install` puts where: the command, both libraries, the header, the pkg-config file
# and the CMake package, the manual. All of it may be moved to another prefix as one tree.
set(HEDGEROW_CMAKEDIR ${CMAKE_INSTALL_LIBDIR}/cmake/hedgerow)
# Of libpq only the shared library: what a static one needs (pgcommon, Kerberos, ...) is not
# installed with its header, and pkg-config would ask for it.
set(HEDGEROW_REQUIRES_PRIVATE ${HEDGEROW_REQUIRES})
if(libpq IN_LIST HEDGEROW_REQUIRES)
  list(REMOVE_ITEM HEDGEROW_REQUIRES_PRIVATE libpq)
  set(HEDGEROW_LIBS_PRIVATE " -lpq")
endif()
list(JOIN HEDGEROW_REQUIRES " " HEDGEROW_REQUIRES_LINE)
list(JOIN HEDGEROW_REQUIRES_PRIVATE " " HEDGEROW_REQUIRES_PRIVATE_LINE)

install(TARGETS hedgerow_command RUNTIME)
install(TARGETS hedgerow_shared EXPORT hedgerow-shared
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS hedgerow_static EXPORT hedgerow-static
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES include/hedgerow.h include/hedgerow_arrow.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

# Two export sets, so that a client of the shared library needs none of its dependencies.
foreach(kind shared static)
  install(EXPORT hedgerow-${kind} NAMESPACE hedgerow:: DESTINATION ${HEDGEROW_CMAKEDIR})
endforeach()
configure_package_config_file(cmake/hedgerowConfig.cmake.in hedgerowConfig.cmake
  INSTALL_DESTINATION ${HEDGEROW_CMAKEDIR} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(hedgerowConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/hedgerowConfig.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/hedgerowConfigVersion.cmake DESTINATION ${HEDGEROW_CMAKEDIR})

# hedgerow.pc finds its prefix from its own place.
if(IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR} OR IS_ABSOLUTE ${CMAKE_INSTALL_INCLUDEDIR})
  set(HEDGEROW_PC_PREFIX ${CMAKE_INSTALL_PREFIX})
else()
  file(RELATIVE_PATH up /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
  string(REGEX REPLACE "/$" "" up ${up})
  set(HEDGEROW_PC_PREFIX "\${pcfiledir}/${up}")
endif()
foreach(dir LIBDIR INCLUDEDIR)
  if(IS_ABSOLUTE ${CMAKE_INSTALL_${dir}})
    set(HEDGEROW_PC_${dir} ${CMAKE_INSTALL_${dir}})
  else()
    set(HEDGEROW_PC_${dir} "\${prefix}/${CMAKE_INSTALL_${dir}}")
  endif()
endforeach()
configure_file(cmake/hedgerow.pc.in hedgerow.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/hedgerow.pc
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# Manual pages and completions are made by the command, from the tables that its --help uses.
set(made ${CMAKE_CURRENT_BINARY_DIR}/made)
add_custom_command(OUTPUT ${made}/hedgerow.1
  COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/tools/pages $<TARGET_FILE:hedgerow_command> ${made}
  DEPENDS hedgerow_command ${CMAKE_CURRENT_SOURCE_DIR}/tools/pages VERBATIM)
add_custom_target(hedgerow_pages ALL DEPENDS ${made}/hedgerow.1)
install(DIRECTORY ${made}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 FILES_MATCHING PATTERN "*.1")
install(FILES ${made}/hedgerow.bash RENAME hedgerow
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${made}/_hedgerow DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES ${made}/hedgerow.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR} OPTIONAL)
install(DIRECTORY docs examples DESTINATION ${CMAKE_INSTALL_DOCDIR})
