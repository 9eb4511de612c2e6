# cmake -DDIRECTORY=include/millrace -P check_includes.cmake: no third-party header reaches a user of ours.
file(GLOB headers ${DIRECTORY}/*.h)
if(NOT headers)
  message(FATAL_ERROR "no headers in ${DIRECTORY}")
endif()
foreach(header ${headers})
  file(STRINGS ${header} includes REGEX "^[ \t]*#[ \t]*include")
  foreach(include ${includes})
    # <vector>, <cstddef>: names of the standard library have neither a dot nor a slash.
    if(NOT include MATCHES "#include (<[a-z0-9_]+>|\"millrace/[a-z0-9_]+\\.h\")")
      message(SEND_ERROR "${header}: ${include}")
    endif()
  endforeach()
endforeach()
