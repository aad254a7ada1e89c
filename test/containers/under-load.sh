# Phases under load, for the scripts beside this one.

begin_load() {
  results=$(mktemp)
  coproc LOAD { exec node "$project/test/containers/load.mjs" "$origin" "$token" >"$results"; }
  seconds=(5)
  sleep 5
}

# end_load: prints the table; fails if a phase lost what it should not
end_load() {
  printf 'end\n' >&"${LOAD[1]}"
  wait "$LOAD_PID"
  node "$project/test/containers/table.mjs" "$results" "${seconds[@]}"
}

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
