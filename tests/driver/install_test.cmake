# Installs to a folder, moves that folder, and runs the tour's model from there.
set(folder ${BUILD}/install_test)
file(REMOVE_RECURSE ${folder})
execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${folder}/first OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
file(RENAME ${folder}/first ${folder}/moved)
file(COPY ${SOURCE}/examples/01_low_pass.sr DESTINATION ${folder})
if(NOT EXISTS ${folder}/moved/share/sigrel/stdlib/Electrical.sr)
  message(FATAL_ERROR "the standard library is not in share/sigrel/stdlib")
endif()
execute_process(COMMAND ${folder}/moved/bin/sigrel run 01_low_pass.sr --no-plot WORKING_DIRECTORY ${folder}
  OUTPUT_VARIABLE output RESULT_VARIABLE result)
if(NOT result EQUAL 0 OR NOT output MATCHES "c1.u")
  message(FATAL_ERROR "exit code ${result}: ${output}")
endif()
