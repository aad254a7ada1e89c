#!/usr/bin/env bash
# Runs a rotation of apps/operator/stack without a container engine: folders are the volumes, and a program is a file with the keys that it has read
# at its start. Kills itself after the step KILL_AT. The folder FOLDER keeps the state from run to run.
#   FOLDER=… KILL_AT=3 test/containers/simulated-rotation.sh secrets-key
# sealed: a line with the key of each stored secret that only the service has, replies: the same of replies that are kept for a day
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
docker() { echo '  "name": "simulated",'; }
. apps/operator/stack/common.sh
. apps/operator/stack/backup.sh
. apps/operator/stack/rotate.sh

# Without programs of its own, as it runs thousands of times.
step() {
  local steps
  [ -n "${KILL_AT:-}" ] || return 0
  echo >>"$FOLDER/steps"
  mapfile -t steps <"$FOLDER/steps"
  [ ${#steps[@]} -lt "$KILL_AT" ] || kill -9 0
}
mv() { command mv "$@"; step; }
rm() { command rm "$@"; step; }
export -f step mv rm
export FOLDER KILL_AT=${KILL_AT:-}

# start PROGRAM SECRETS: it reads its keys, and fails if it lacks the one of a secret
start() {
  cat "$FOLDER/secrets/$2/secrets-key" >"$FOLDER/programs/$1"
  printf '\n' >>"$FOLDER/programs/$1"
  cat "$FOLDER/secrets/$2/former-secrets-key" >>"$FOLDER/programs/$1"
  step
  work
}

# Every program that runs encrypts something, and every one can read it and all else.
work() {
  local program key keys stored
  for program in "$FOLDER"/programs/*; do
    read -r key <"$program"
    printf '%s\n' "$key" >>"$FOLDER/sealed"
    printf '%s\n' "$key" >>"$FOLDER/replies"
  done
  for program in "$FOLDER"/programs/*; do
    mapfile -t keys <"$program"
    while read -r stored; do
      [[ " ${keys[*]} " == *" $stored "* ]] || echo "$program cannot read what is under $stored" >>"$FOLDER/failures"
    done < <(exec cat "$FOLDER/sealed" "$FOLDER/replies")
  done
}

replicas_meant() { echo 2; }
replace_replicas() { local n; for n in $(seq "$1"); do start "api-$n" api; done; }
replace() { start worker operator; }
secrets_sh() { (cd "$FOLDER/secrets" && bash -euc "$1"); step; }
dc() {
  case "$*" in
    'config --format json secrets') printf '    "SECRETS_KEY": "%s",\n' "${GIVEN:-}" ;;
    'run --rm -T operator secrets reencrypt')
      if grep -vxF -f <(cat "$FOLDER/secrets/operator/secrets-key" && echo && cat "$FOLDER/secrets/operator/former-secrets-key") "$FOLDER/sealed" >/dev/null; then
        return 1
      fi
      sed -i "s|.*|$(cat "$FOLDER/secrets/operator/secrets-key")|" "$FOLDER/sealed"
      step
      ;;
    *) echo "not simulated: $*" >&2; exit 70 ;;
  esac
}

stack_rotate "$@"
