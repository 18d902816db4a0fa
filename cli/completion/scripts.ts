// What a shell needs to complete our command line: it asks the hidden command `__complete` for words. What was typed is
// handed on as arguments and never evaluated. Where there is no answer the shell completes names of files.

const ask = "pallas __complete --";

const bash = `# bash completion for pallas: source <(pallas completion bash)
_pallas() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    COMPREPLY+=("\${line%%$'\\t'*}")
  done < <(${ask} "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _pallas pallas`;

const zsh = `#compdef pallas
# zsh completion for pallas: source <(pallas completion zsh), or as _pallas in a folder of $fpath
_pallas() {
  local -a found
  found=("\${(@f)$(${ask} "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  found=("\${(@)found//$'\\t'/:}")
  if [[ -n "$found[1]" ]]; then
    _describe pallas found
  else
    _files
  fi
}
if [[ "$funcstack[1]" == _pallas ]]; then
  _pallas "$@"
else
  compdef _pallas pallas
fi`;

const fish = `# fish completion for pallas: pallas completion fish > ~/.config/fish/completions/pallas.fish
function __pallas_complete
  set -l typed (commandline -opc) (commandline -ct)
  set -l found (${ask} $typed[2..-1] 2>/dev/null)
  if set -q found[1]
    printf '%s\\n' $found
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c pallas -f -a '(__pallas_complete)'`;

export const completionScripts = { bash, zsh, fish } as const;
