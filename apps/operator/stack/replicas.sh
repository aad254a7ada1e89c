# Replicas of the API: new ones start before old ones stop.

# replace_replicas COUNT: starts new replicas, lets the proxy choose from them alone, and stops the old ones
replace_replicas() {
  local wanted=$1 before old new
  mapfile -t old < <(running api)
  before=$(containers api)
  say "api: starts $wanted beside ${#old[@]}"
  if ! add_replicas $((${#old[@]} + wanted)); then
    # One that ends at its start is started again and again, and need not be running just now.
    mapfile -t new < <(containers api | grep -vxF "$before")
    [ ${#new[@]} = 0 ] || docker logs --tail 5 "${new[0]}" >&2
    remove_replicas "${new[@]}"
    fail 'The new replicas did not become healthy and were removed; the old ones go on'
  fi
  mapfile -t new < <(running api | grep -vxF "$(printf '%s\n' "${old[@]}")")
  retire "${#new[@]}" "${new[@]}" "${old[@]}"
}

# set_replicas COUNT: starts or stops so many that COUNT are left, of the healthy ones the newest
set_replicas() {
  local wanted=$1 all
  mapfile -t all < <(running api)
  if [ "$wanted" -ge ${#all[@]} ]; then
    add_replicas "$wanted" || fail 'Not all new replicas became healthy: docker compose ps'
  else
    mapfile -t all < <(printf '%s\n' "${all[@]}" | tac | healthy_first)
    retire "$wanted" "${all[@]}"
  fi
}

is_healthy() { [ "$(docker inspect -f '{{.State.Health.Status}}' "$1")" = healthy ]; }

# healthy_first: the containers on standard input, those that are healthy before those that are not
healthy_first() {
  local container others=
  while read -r container; do
    if is_healthy "$container"; then echo "$container"; else others+="$container"$'\n'; fi
  done
  printf %s "$others"
}

# add_replicas COUNT: so many in total; those that run stay as they are. One after the other: what starts takes CPU from
# those that serve.
add_replicas() {
  local count
  for count in $(seq $(($(count_of api) + 1)) "$1"); do
    dc up -d --no-deps --no-recreate --no-build --scale "api=$count" api && wait_until_healthy "$count" || return 1
  done
}

# wait_until_healthy COUNT: fails if not so many are after two minutes. A busy machine may take one.
wait_until_healthy() {
  local try container healthy
  for try in $(seq 120); do
    healthy=0
    for container in $(running api); do if is_healthy "$container"; then healthy=$((healthy + 1)); fi; done
    [ $healthy -lt "$1" ] || return 0
    sleep 1
  done
  return 1
}

# retire KEPT CONTAINER…: keeps the first ones, and stops the others when no new request goes to them
retire() {
  local kept=$1
  shift
  choose "${@:1:kept}"
  remove_replicas "${@:kept+1}"
  choose
}

# remove_replicas CONTAINER…: stops and removes them; each ends when it has answered its requests
remove_replicas() {
  [ $# -gt 0 ] || return 0
  say "api: stops $#"
  printf '%s\n' "$@" | xargs -P 0 -n 1 docker stop --time 660 >/dev/null
  docker rm "$@" >/dev/null
}
