# Completion of sigrel in bash: commands, options, files.
_sigrel() {
  local word=${COMP_WORDS[COMP_CWORD]} command=
  [[ $COMP_CWORD -gt 1 ]] && command=${COMP_WORDS[1]}
  if [[ $word == -* || -z $command ]]; then
    local words
    words=$(sigrel ${command:+"$command"} --help 2>/dev/null | sed -n \
      -e 's/^  \([a-z][a-z]*\)  .*/\1/p' \
      -e 's/^  \(-[-a-zA-Z,]*\).*/\1/p' | tr ',' '\n')
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
  else
    compopt -o default
  fi
}
complete -F _sigrel sigrel
