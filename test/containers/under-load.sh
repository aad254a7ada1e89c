# Phases under load, for the scripts beside this one.

begin_load() {
  results=$(mktemp) logs=$(mktemp -d)
  # A process group of its own, so that all of it ends.
  set -m
  keep_logs &
  set +m
  keeping=$!
  trap 'kill -- "-$keeping" 2>/dev/null; tear_down' EXIT
  coproc LOAD { exec node "$project/test/containers/load.mjs" "$origin" "$token" >"$results"; }
  seconds=(5)
  sleep 5
}

# end_load: prints the table; fails if a phase lost what it should not, or anything had its effect twice
end_load() {
  local result=0
  printf 'end\n' >&"${LOAD[1]}"
  wait "$LOAD_PID"
  node "$project/test/containers/table.mjs" "$results" "$logs" "${seconds[@]}" || result=1
  check 'calls that had their effect twice' 0 "$(count_doubled)"
  return $((result | failures))
}

# count_doubled: charges and SMS of requests that already had one. Each request has an id, and each SMS a text, of its own
count_doubled() {
  dc exec -T -e PGUSER=account_owner postgres psql -qAt -d customer_account -c \
    'select (select count(*) - count(distinct api_request_id) from ai_usage) + (select count(*) - count(distinct message) from sms_message)'
}

# keep_logs: what replicas and proxies say from now on, those that come and go meanwhile too
keep_logs() {
  local service id
  {
    for service in api proxy; do dc ps -q $service | sed "s/^/$service /"; done
    docker events --filter event=start --filter "label=com.docker.compose.project=$COMPOSE_PROJECT_NAME" \
      --format '{{index .Actor.Attributes "com.docker.compose.service"}} {{.ID}}'
  } | while read -r service id; do
    case $service in
      api | proxy) docker logs --since 1s -f "$id" >>"$logs/$service-$id" 2>&1 & ;;
    esac
  done
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
# The killed one is replaced.
up_again() { stack up && [ "$(dc ps -q api | wc -l)" = 2 ]; }
