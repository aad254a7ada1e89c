#!/usr/bin/env bash
# Does what operators do, under a load of 200 requests a second through the proxy, and prints how many failed meanwhile.
#   npm run build && test/containers/operations.sh
# Needs a Docker engine with the images of the compose file. Ends with 1 if a planned operation lost a request.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

dc build >&2
dc up -d --wait >&2
start_sandbox
token=$(new_customer)

results=$(mktemp)
coproc LOAD { exec node "$project/test/containers/load.mjs" "$origin" "$token" >"$results"; }
# phase NAME COMMAND…
phase() {
  printf '%s\n' "$1" >&"${LOAD[1]}"
  shift
  seconds+=("$(seconds_of "$@")")
  sleep 2
}
# Another program, so that the image is another one.
upgrade() { echo "export const build = $RANDOM;" >>"$stage/apps/worker/src/main.ts" && stack upgrade; }
settings() { echo 'LOG_LEVEL=warn' >>"$stage/.env" && stack up; }
kill_one() {
  docker kill --signal KILL "$(dc ps -q api | head -n 1)"
  sleep 5
}

seconds=(5)
sleep 5
phase 'upgrade' upgrade
phase 'settings change' settings
phase 'scale 2 to 6' stack scale 6
phase 'scale 6 to 1' stack scale 1
phase 'scale 1 to 2' stack scale 2
phase 'restart api' stack restart api
phase 'restart worker' stack restart worker
phase 'reload proxy' stack restart proxy
phase 'restart valkey' stack restart valkey
planned=9
phase 'restart postgres' dc restart postgres
phase 'kill -9 of a replica' kill_one
printf 'end\n' >&"${LOAD[1]}"
wait "$LOAD_PID"

node - "$results" $planned "${seconds[@]}" <<'END'
const { readFileSync } = require('node:fs');
const [file, planned, ...seconds] = process.argv.slice(2);
const phases = readFileSync(file, 'utf8').trim().split('\n').map((line) => JSON.parse(line));
console.table(phases.map(({ name, requests, failed, slowest_ms, outcomes }, index) => ({ name, seconds: seconds[index], requests, failed, slowest_ms, outcomes: JSON.stringify(outcomes) })));
process.exit(phases.slice(1, 1 + Number(planned)).some(({ failed }) => failed > 0) ? 1 : 0);
END
