# up, upgrade, scale, restart

stack_up() {
  local replicas
  check_profiles
  check_key_file
  if [ "$(count_of api)" = 0 ]; then
    if [ -z "$(id_of "$(image)")" ]; then
      build_image
      take_image
    fi
    start_all
    dc logs --no-log-prefix --tail 5 migrate | grep '^SECRETS_KEY' >&2 || true
  else
    replicas=$(wanted_replicas)
    apply_changes "$replicas"
  fi
  say_interrupted
  say 'The service is up'
  examine
}

# named_profiles: a line for each different COMPOSE_PROFILES of .env
named_profiles() { sed -n 's/^ *COMPOSE_PROFILES=//p' .env 2>/dev/null | tr -d "\"' " | sort -u; }

# check_profiles: fails if .env has COMPOSE_PROFILES twice, as after two "echo … >> .env". Compose takes the last, and the parts that
# the other one names, such as TLS, would be left out
check_profiles() {
  local given
  given=$(named_profiles)
  [ "$(wc -l <<<"$given")" -lt 2 ] ||
    fail ".env has COMPOSE_PROFILES twice, and only the last one counts. Make it one line: COMPOSE_PROFILES=$(tr ',' '\n' <<<"$given" | sed '/^$/d' | sort -u | paste -sd ,)"
}

# check_key_file: fails if .env names a file for SECRETS_KEY: no container reads it, and with another key than that one nothing would be said
check_key_file() {
  [ -z "$(setting SECRETS_KEY_FILE)" ] || [ -n "$(setting SECRETS_KEY)" ] ||
    fail '.env has SECRETS_KEY_FILE, which nothing reads: another key would be made, or is in use. Remove the line: the key that was made is kept. Or write the key of that file there: SECRETS_KEY=…'
}

# examine: says what does not work although everything runs, and names in .env that nothing reads; fails never
examine() {
  local name
  for name in $(sed -n 's/^ *\([A-Z][A-Z0-9_]*\)=.*/\1/p' .env 2>/dev/null | sort | uniq -d); do
    say "Warning: .env has $name more than once: the last one counts"
  done
  for name in $(sed -n 's/^ *\([A-Z][A-Z0-9_]*\)=.*/\1/p' .env 2>/dev/null | sort -u); do
    case $name in
      COMPOSE_* | DOCKER_*) continue ;;
      # Programs have other such names, too, with files that are always the same.
      *_FILE) ! grep -q "[$]{$name[:}-]" docker-compose*.yml || continue ;;
      *) ! grep -qE "(^|[^A-Z0-9_])$name([^A-Z0-9_]|\$)" .env.example docker-compose*.yml apps/operator/stack.sh apps/operator/stack/*.sh || continue ;;
    esac
    say "Warning: .env has $name, which nothing reads"
  done
  case $(setting PROXY_BEFORE) in
    127.0.0.1/32) ;; # deliberate: nobody is believed
    127.* | localhost) say 'Warning: PROXY_BEFORE in .env is never the address of your proxy in the container, so that all customers share the limits of one address. For a proxy on this machine remove it; to believe nobody set 127.0.0.1/32: docs/handbook/install.md, TLS' ;;
  esac
  dc run --rm --no-deps -T operator doctor --csv 2>/dev/null \
    | sed -n 's/^\([^,]*\),\(warning\|failed\),"\{0,1\}\([^"]*[^"\r]\).*$/Warning: \1: \3/p' || true
}

stack_upgrade() {
  check_profiles
  check_key_file
  build_image
  check_secrets
  # Migrations only add: the former version goes on with them. If they fail or are interrupted, it stays the one that is run.
  migrate_candidate || {
    say_interrupted >&2
    exit 1
  }
  take_image
  run_image
  say "The service is upgraded to $(tags_of "$(image)")"
}

# start_all [OPTION]…: everything, the API first. A proxy that was without it for half a minute counts as unhealthy until its
# next check, and compose would not wait for that
start_all() {
  local proxy try programs=(api worker console) all=()
  remove_disabled
  if without_console console; then
    programs=(api worker)
    mapfile -t all < <(services | grep -vx -e console -e console-tls)
  fi
  dc up -d --wait "$@" "${programs[@]}" || explain_start
  choose_all
  for proxy in $(proxies); do
    for try in $(seq 60); do
      ! is_healthy "$(running "$proxy")" || break
      sleep 0.5
    done
  done
  dc up -d --wait "$@" "${all[@]}" || explain_start
}

# explain_start: why the service did not start: the last lines of the containers that ended with a failure, that end again and
# again or that are not healthy
explain_start() {
  local service container
  for service in secrets postgres valkey migrate api worker console console-tls proxy proxy-tls archive; do
    for container in $(containers "$service" | head -n 1); do
      case $(docker inspect -f '{{.State.Status}} {{.State.ExitCode}} {{if .State.Health}}{{.State.Health.Status}}{{end}} {{.RestartCount}}' "$container") in
        'exited 0 '* | 'running 0 healthy '* | 'running 0  '* | created*) ;;
        *)
          say "$service:" >&2
          docker logs --tail 5 "$container" >&2
          ;;
      esac
    done
  done
  fail 'The service did not start: docker compose ps'
}

# check_secrets: makes those that are missing; fails if .env has another SECRETS_KEY than the data
check_secrets() { dc run --rm --no-deps -T secrets; }

# apply_changes REPLICAS: replaces containers of other settings or another image, and starts missing ones
apply_changes() {
  local service proxy absent
  check_secrets
  remove_disabled
  # The API needs them: also where a command was interrupted while it replaced their containers.
  for service in valkey postgres; do
    if outdated $service; then replace $service; elif ! is_running $service; then start_missing $service; fi
  done
  if outdated api; then replace_replicas "$1"; else set_replicas "$1"; fi
  for service in worker console console-tls archive prometheus alertmanager grafana; do
    if outdated $service; then replace $service; fi
  done
  for proxy in $(proxies); do
    if outdated "$proxy"; then
      say "$proxy: has changed. It has the port: without root's rights it cannot be replaced without an interruption. When it suits:"
      say "  sudo apps/operator/stack.sh replace $proxy"
    elif ! in_service "$proxy" /etc/account-proxy/proxy.sh current; then
      say "$proxy: reads its configuration"
      reload "$proxy"
    fi
  done
  end_commands
  absent=$(missing)
  for service in $absent; do start_missing "$service"; done
  # Made anew, and not run: docker compose up would else replace all that depends on them, at once.
  for service in secrets migrate; do
    if outdated $service; then
      containers $service | xargs docker rm -f >/dev/null
      make_containers $service
    fi
  done
  end_detour
  # Everything has the image now that a rollback was to.
  forget_rollback
}

# start_missing SERVICE: with a new container, as its former one may have been made with other settings
start_missing() {
  say "$1: is started"
  containers "$1" | xargs -r docker rm -f >/dev/null
  begin "$1"
}

stack_replace() {
  case ${1:-} in
    postgres) check_secrets; replace "$1" ;;
    proxy | proxy-tls | worker | console | console-tls | valkey) replace "$1" ;;
    *) fail 'replace takes proxy, proxy-tls, worker, console, console-tls, valkey or postgres' ;;
  esac
}

# replace SERVICE: by a new container, with an interruption of its work, but for a proxy's
replace() {
  if without_console "$1"; then return; fi
  say "$1: is replaced"
  case $1 in
    proxy*) replace_proxy "$1" ;;
    *)
      containers "$1" | xargs -r docker stop >/dev/null
      containers "$1" | xargs -r docker rm -f >/dev/null
      begin "$1"
      ;;
  esac
}

# has_console: whether the image of the programs has the console: that of release 1.0, which a rollback may be to, has none
has_console() {
  local result=0
  docker run --rm --network none --entrypoint test "$(image)" -f dist/apps/operator-api/src/main.js || result=$?
  [ $result -le 1 ] || fail "The image $(image) cannot be run"
  return $result
}

# without_console SERVICE: whether it is the console, or its TLS proxy, and the image has none. They are removed then: they would end again and
# again, and hold up all that waits for them
without_console() {
  local service
  case $1 in console | console-tls) ;; *) return 1 ;; esac
  ! has_console || return 1
  for service in console-tls console; do
    containers $service | xargs -r docker stop >/dev/null
    containers $service | xargs -r docker rm -f >/dev/null
  done
  say "$1: is left out, as this release has no console"
}

# begin SERVICE: makes its container if there is none, starts it, and waits until it is healthy. Fails if it is not
begin() {
  local container state
  container=$(containers "$1")
  if [ -z "$container" ]; then
    make_containers "$1"
    container=$(containers "$1")
  fi
  docker start "$container" >/dev/null
  while :; do
    state=$(docker inspect -f '{{if .State.Health}}{{.State.Health.Status}}{{else}}{{.State.Status}}{{end}} {{.RestartCount}}' "$container")
    case $state in
      healthy* | running*) return 0 ;;
      unhealthy* | exited* | dead* | *' '[3-9])
        docker logs --tail 5 "$container" >&2
        fail "$1 does not become healthy: docker compose ps"
        ;;
    esac
    sleep 0.5
  done
}

# end_commands [all]: the container of operator.sh, if it was made with another image or other settings; all: in any case
end_commands() {
  local container wanted=none
  # It is nobody's, as operator.sh makes it: each command brings its person's name.
  [ "${1:-}" = all ] || wanted="$(OPERATOR_NAME='' dc --profile operator config --hash operator) $(id_of "$(image)")"
  for container in $(docker ps -q --filter "label=com.docker.compose.project=$compose_project" --filter label=account.commands); do
    [ "$(docker inspect -f '{{index .Config.Labels "account.commands"}} {{.Image}}' "$container")" = "$wanted" ] ||
      docker rm -f "$container" >/dev/null
  done
}

# services: that should run, those of profiles in .env too
services() { dc config --services | grep -vx -e secrets -e migrate -e operator -e recover; }

# remove_disabled: containers of profiles that COMPOSE_PROFILES does not name any more: compose would leave them, and the console could still be
# reached. Their volumes stay
remove_disabled() {
  local service named
  if [ "$(named_profiles | wc -l)" -gt 1 ]; then
    say 'Warning: .env has COMPOSE_PROFILES twice, so that no container of a profile is removed: make it one line'
    return
  fi
  named=$(services)
  for service in proxy-tls console-tls archive prometheus alertmanager grafana; do
    [ -n "$(containers $service)" ] && ! grep -qx $service <<<"$named" || continue
    say "$service: is removed, as COMPOSE_PROFILES does not name its profile"
    containers $service | xargs -r docker stop --time "$(stop_seconds)" >/dev/null
    containers $service | xargs -r docker rm -f >/dev/null
  done
}

# missing: services that should run and do not. Of the API remove_ended has those that end again and again
missing() {
  local service
  for service in $(services); do
    if ! is_running "$service" || { [ "$service" != api ] && [ -n "$(running "$service" | ending_again)" ]; }; then
      case $service in console | console-tls) has_console || continue ;; esac
      echo "$service"
    fi
  done
}

stack_scale() {
  is_count "${1:-}" || fail 'scale takes a number of replicas, at least 1'
  set_replicas "$1"
  say "api: $(count_of api) replicas"
}

stack_restart() {
  local service
  if [ $# -eq 0 ]; then
    set -- api worker console proxy valkey
    # Its certificate may have been renewed.
    if services | grep -qx console-tls; then set -- api worker console console-tls proxy valkey; fi
  fi
  for service in "$@"; do
    if without_console "$service"; then continue; fi
    case $service in
      api)
        replace_replicas "$(replicas_meant)"
        # It may have a secret's file that is no longer there by this name.
        end_commands all
        ;;
      # Reads configuration and certificates anew. Requests in progress go on; an nginx before 1.27.4 closes clients' idle
      # connections.
      proxy) reload_proxies ;;
      worker | console | console-tls | valkey | postgres)
        dc restart "$service"
        dc up -d --no-deps --no-recreate --wait "$service"
        ;;
      *) fail "There is no service $service: api, worker, console, console-tls, proxy, valkey, postgres" ;;
    esac
    say "$service: restarted"
  done
}
