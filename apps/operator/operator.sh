#!/usr/bin/env bash
# The operator's command line of the containers: docs/handbook/command-line.md
#   alias operator=/srv/account/apps/operator/operator.sh
# Commands run in a container that stays for eight hours, as most of a command's time would be the start of one. stack.sh removes
# it when it was made with another image or other settings.
set -euo pipefail
from=$PWD
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.."

# commands: the container, if it runs
commands() {
  docker ps -q --filter "label=com.docker.compose.project.working_dir=$PWD" ${COMPOSE_PROJECT_NAME:+--filter "label=com.docker.compose.project=$COMPOSE_PROJECT_NAME"} \
    --filter label=com.docker.compose.service=operator --filter label=com.docker.compose.oneoff=True --filter label=account.commands | head -n 1
}

container=$(commands)
if [ -z "$container" ]; then
  # Nobody's, so that it is the same whoever made it: each command brings its person's name.
  made_with=$(OPERATOR_NAME='' docker compose --profile operator config --hash operator)
  # It outlives the commands that run in it then: its end would kill them.
  OPERATOR_NAME='' docker compose --progress quiet run -d --rm --no-deps --label "account.commands=$made_with" --entrypoint sh operator \
    -c 'sleep 8h; while grep -qsz "^OPERATOR_RUN=" /proc/[0-9]*/environ; do sleep 1; done' >/dev/null
  container=$(commands)
fi
# read_from FILE: from now on standard input; a file that cannot be read is a usage error, as it is to the command line itself
read_from() {
  [ -f "$1" ] && [ -r "$1" ] || {
    echo "The file cannot be read: $1" >&2
    exit 2
  }
  exec <"$1"
}
# A file that a command names is one of this machine: it goes in as standard input.
arguments=()
while [ $# -gt 0 ]; do
  case $1 in
    --file=*) set -- --file "${1#--file=}" "${@:2}" ;;
    --file)
      arguments+=(--file)
      shift
      # Without a path the command line says what is missing.
      [ $# -gt 0 ] || break
      case $1 in
        -) ;;
        /*) read_from "$1" ;;
        *) read_from "$from/$1" ;;
      esac
      arguments+=(-)
      shift
      ;;
    *)
      arguments+=("$1")
      shift
      ;;
  esac
done
command=(-e "OPERATOR_NAME=${OPERATOR_NAME:-${SUDO_USER:-$(id -un)}}")
# A person at a terminal is asked, also if the output goes elsewhere: then standard input is no terminal in the container.
if [ -t 0 ]; then command+=(-e OPERATOR_TERMINAL=true); fi
# By this name an interruption finds the command.
run=$$.$RANDOM
command+=(-e "OPERATOR_RUN=$run" "$container" node dist/apps/operator/src/main.js "${arguments[@]}")
if [ -t 0 ] && [ -t 1 ]; then exec docker exec -it "${command[@]}"; fi

# Without a terminal in the container nobody there hears of Ctrl-C, and the command would go on.
interrupt() {
  trap '' INT TERM HUP
  docker exec "$container" sh -c 'for found in $(grep -lsz "^OPERATOR_RUN=$0\$" /proc/[0-9]*/environ); do kill "$(basename "$(dirname "$found")")"; done' "$run" || true
  kill "$client" 2>/dev/null || true
  echo 'Interrupted. Changes that were made before are in the audit log: operator audit list' >&2
  exit 130
}
trap interrupt INT TERM HUP
docker exec -i "${command[@]}" <&0 &
client=$!
wait "$client"
