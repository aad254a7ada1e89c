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
  made_with=$(docker compose --profile operator config --hash operator)
  docker compose --progress quiet run -d --rm --no-deps --label "account.commands=$made_with" --entrypoint sleep operator 8h >/dev/null
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
terminal=-i
if [ -t 0 ] && [ -t 1 ]; then terminal=-it; fi
exec docker exec $terminal -e "OPERATOR_NAME=${OPERATOR_NAME:-${SUDO_USER:-$(id -un)}}" "$container" node dist/apps/operator/src/main.js "${arguments[@]}"
