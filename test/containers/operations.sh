#!/usr/bin/env bash
# Does what operators do, under a load of 200 requests a second through the proxy, and prints how many failed meanwhile.
# ONLY='upgrade|scale.*' does some of it.
#   npm run build && test/containers/operations.sh
# Needs a Docker engine with the images of the compose file. Ends with 1 if a planned operation lost a request, if a restart
# of PostgreSQL had other failures than 503 for 2 s, or if a killed replica lost more than it had.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

start_stack

results=$(mktemp)
coproc LOAD { exec node "$project/test/containers/load.mjs" "$origin" "$token" >"$results"; }
# phase NAME COMMAND…
phase() {
  [[ $1 =~ ^(${ONLY:-.*})$ ]] || return 0
  local name=$1 took
  printf '%s\n' "$name" >&"${LOAD[1]}"
  shift
  took=$(seconds_of "$@") || { echo "DIFFERS $name failed"; failures=1; }
  seconds+=("$took")
  sleep 2
}
# Another program, so that the image is another one.
upgrade() { echo "export const build = $RANDOM;" >>"$stage/apps/worker/src/main.ts" && stack upgrade; }
settings() { echo 'LOG_LEVEL=warn' >>"$stage/.env" && stack up; }
provider_key() { echo 'ANTHROPIC_API_KEY=another-key' >>"$stage/.env" && stack up; }
# The new replicas never start: the old ones go on, and the operator is told.
broken_setting() {
  local before
  before=$(dc ps -q api | sort)
  echo 'LOG_LEVEL=nonsense' >>"$stage/.env"
  if stack up; then return 1; fi
  sed -i '$d' "$stage/.env"
  [ "$(dc ps -aq api | sort)" = "$before" ]
}
kill_one() {
  docker kill --signal KILL "$(dc ps -q api | head -n 1)"
  sleep 5
}

seconds=(5)
sleep 5
phase 'upgrade' upgrade
phase 'settings change' settings
phase 'provider key' provider_key
phase 'broken setting' broken_setting
phase 'scale 2 to 6' stack scale 6
phase 'scale 6 to 1' stack scale 1
phase 'scale 1 to 2' stack scale 2
phase 'restart api' stack restart api
phase 'restart worker' stack restart worker
phase 'reload proxy' stack restart proxy
phase 'restart valkey' stack restart valkey
phase 'rotate passwords' stack rotate database-passwords
phase 'rotate secrets key' stack rotate secrets-key
phase 'restart postgres' dc restart postgres
phase 'kill -9 of a replica' kill_one
printf 'end\n' >&"${LOAD[1]}"
wait "$LOAD_PID"
! [[ 'provider key' =~ ^(${ONLY:-.*})$ ]] || check 'the provider is called with its new key' 201 "$(status_of "$token" /ai/messages '{"messages":[{"role":"user","content":"[[sandbox:api-key=another-key]]"}],"max_tokens":5}')"

node "$project/test/containers/table.mjs" "$results" "${seconds[@]}" || failures=1
exit $failures
