# Writes the commit of the sources into a header, if it has changed: cmake -DSOURCE=… -DOUTPUT=… -P commit.cmake.
# Empty for sources without a repository.
execute_process(COMMAND git -C ${SOURCE} rev-parse --short=8 HEAD
  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
execute_process(COMMAND git -C ${SOURCE} diff --quiet HEAD RESULT_VARIABLE changed OUTPUT_QUIET ERROR_QUIET)
if(commit AND changed)
  string(APPEND commit ", changed")
endif()
if(commit)
  set(commit " (${commit})")
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "#define SIGREL_COMMIT \"${commit}\"\n" @ONLY)
