#!/bin/sh
# A player in shell: it plays a random open try.
#
#     kriegbot match "program:sh examples/shell_bot.sh" rand
#
# docs/bots.md explains the protocol.

state=1
while read -r word rest; do
    case $word in
        seed) state=$((rest % 65521 + 1)) ;;
        newgame) echo "version 1.0"; echo "ready" ;;
        tries) tries=$rest ;;
        go)
            # shellcheck disable=SC2086 # the tries are words
            set -- $tries
            state=$((state * 17364 % 65521)) # a random number generator: Lehmer's
            shift $((state % $#))
            echo "try $1"
            ;;
    esac
done
