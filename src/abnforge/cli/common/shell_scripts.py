"""The functions by which bash, zsh and fish ask for completions, as scripts.

Each runs the command with the words of the line so far, and ``_ABNFORGE_COMPLETE`` set. It answers with a
line for each completion: its kind, the value, and what it is, with tabs between them. ``plain`` values are
followed by a blank, ``open`` ones by more of the same word; for ``file`` and ``dir`` the shell looks.
"""

BASH = """\
# Completion of %(prog_name)s for bash. Names with ":" and "=", which bash takes for ends of words, come
# without what stands before them.
%(complete_func)s() {
    local kind value help files=
    COMPREPLY=()
    while IFS=$'\\t' read -r kind value help; do
        case $kind in
            plain) COMPREPLY+=("$value") ;;
            open) COMPREPLY+=("$value"); compopt -o nospace 2>/dev/null ;;
            file | dir) files=$kind; local beginning=$value ;;
        esac
    done < <(%(complete_var)s=bash_complete COMP_BREAKS=$COMP_WORDBREAKS \\
        "$1" "${COMP_LINE:0:COMP_POINT}" 2>/dev/null)
    if [[ $files == dir ]]; then
        compopt -o dirnames 2>/dev/null
    elif [[ $files && ${#COMPREPLY[@]} -eq 0 ]]; then
        compopt -o default 2>/dev/null
    elif [[ $files ]]; then
        compopt -o filenames 2>/dev/null
        while IFS= read -r value; do
            COMPREPLY+=("$value")
        done < <(compgen -f -- "$beginning")
    fi
    return 0
}
if [[ ${BASH_VERSINFO[0]} -ge 4 ]]; then
    complete -F %(complete_func)s %(prog_name)s
else  # without compopt, files are what is left
    complete -o default -F %(complete_func)s %(prog_name)s
fi
"""

ZSH = """\
#compdef %(prog_name)s
# Completion of %(prog_name)s for zsh.
%(complete_func)s() {
    local line files=
    local -a parts shown opened
    local asked=${~${(Q)words[1]}}
    for line in "${(@f)$(%(complete_var)s=zsh_complete $asked \\
        "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}"; do
        parts=("${(@ps:\\t:)line}")
        case $parts[1] in
            plain) shown+=("${parts[2]//:/\\\\:}${parts[3]:+:$parts[3]}") ;;
            open) opened+=("$parts[2]") ;;
            file | dir) files=$parts[1] ;;
        esac
    done
    local found=1
    (( $#shown )) && _describe -V '%(prog_name)s' shown -U && found=0
    (( $#opened )) && compadd -U -S '' -- "${opened[@]}" && found=0
    [[ $PREFIX == --*=* ]] && compset -P '*='
    [[ $files == file ]] && _files && found=0
    [[ $files == dir ]] && _files -/ && found=0
    return found
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
    %(complete_func)s "$@"
else
    (( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
    compdef %(complete_func)s %(prog_name)s
fi
"""

FISH = """\
# Completion of %(prog_name)s for fish.
function %(complete_func)s
    set -l token (commandline -ct)
    set -l words (commandline -opc)
    set -l plain (string unescape -- "$token" 2>/dev/null; or string replace -r '^["\\']' '' -- "$token")
    for line in (env %(complete_var)s=fish_complete $words[1] $words[2..-1] "$plain" 2>/dev/null)
        set -l parts (string split \\t -- $line)
        switch $parts[1]
            case file dir
                # The token as it stands, quotes and all, behind no command: fish completes files.
                set -l option (string match -r -- '^--[^=]*=' "$token")
                for path in (complete -C "'' "(string replace -r -- '^--[^=]*=' '' "$token"))
                    test $parts[1] = file; or string match -qr '/(\\t|$)' -- "$path"; and echo "$option$path"
                end
            case plain open
                printf '%%s\\t%%s\\n' $parts[2] "$parts[3]"
        end
    end
end
complete --no-files --command %(prog_name)s --arguments '(%(complete_func)s)'
"""
