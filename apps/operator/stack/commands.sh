# up, upgrade, scale, restart

stack_up() {
  if [ "$(count_of api)" = 0 ]; then
    dc up -d --wait
  else
    apply_changes "$(wanted_replicas)"
  fi
  say 'The service is up'
}

stack_upgrade() {
  dc build
  if [ "$(count_of api)" = 0 ]; then
    dc up -d --wait
  else
    # Migrations only add: the former version goes on with them.
    dc run --rm --no-deps migrate
    apply_changes "$(count_of api)"
  fi
  say 'The service is upgraded'
}

# apply_changes REPLICAS: replaces what was made with other settings or another image
apply_changes() {
  local service
  for service in valkey postgres; do
    if outdated $service; then
      say "$service: is replaced"
      dc up -d --no-deps --wait $service
    fi
  done
  if outdated api; then replace_replicas "$1"; else set_replicas "$1"; fi
  if outdated worker; then
    say 'worker: is replaced'
    dc up -d --no-deps --wait worker
  fi
  if outdated proxy; then
    say 'proxy: has changed. It has the port, so it cannot be replaced without an interruption of about a second:'
    say '  docker compose up -d --no-deps --wait proxy'
  fi
}

stack_scale() {
  [[ ${1:-} =~ ^[1-9][0-9]*$ ]] || fail 'scale takes a number of replicas, at least 1'
  set_replicas "$1"
  say "api: $(count_of api) replicas"
}

stack_restart() {
  local service
  [ $# -gt 0 ] || set -- api worker proxy valkey
  for service in "$@"; do
    case $service in
      api) replace_replicas "$(count_of api)" ;;
      # Reads its configuration anew. Requests in progress go on; an nginx before 1.28 closes clients' idle connections.
      proxy) reload_proxy ;;
      worker | valkey | postgres) dc restart "$service" && dc up -d --no-deps --no-recreate --wait "$service" ;;
      *) fail "There is no service $service: api, worker, proxy, valkey, postgres" ;;
    esac
    say "$service: restarted"
  done
}
