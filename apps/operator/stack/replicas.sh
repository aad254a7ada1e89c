# Replicas of the API: new ones start before old ones stop.

# replace_replicas COUNT: starts new replicas, lets the proxy choose from them alone, and stops the old ones
replace_replicas() {
  local wanted=$1 before old new
  # Without new ones it would stop all.
  is_count "$wanted" || fail "$wanted is no number of replicas"
  note_replicas "$wanted"
  remove_ended
  mapfile -t old < <(running api)
  before=$(containers api)
  say "api: starts $wanted beside ${#old[@]}"
  if ! add_replicas "$wanted"; then
    mapfile -t new < <(containers api | grep -vxF "$before")
    [ ${#new[@]} = 0 ] || docker logs --tail 5 "${new[0]}" >&2
    remove_replicas "${new[@]}"
    choose
    fail 'The new replicas did not become healthy and were removed; the old ones go on'
  fi
  mapfile -t new < <(running api | grep -vxF "$(printf '%s\n' "${old[@]}")")
  retire "${#new[@]}" "${new[@]}" "${old[@]}"
  forget_replicas
}

# note_replicas COUNT: so many are meant to be left, however often the command is interrupted and begun again
note_replicas() { printf '%s' "$1" | put owner/replicas; }
forget_replicas() { secrets_sh 'rm -f owner/replicas'; }

# set_replicas COUNT: starts or stops so many that COUNT are left, of the healthy ones the newest
set_replicas() {
  local wanted=$1 all
  remove_ended
  mapfile -t all < <(running api)
  # One that a command was starting when it was interrupted has little of the CPU.
  [ ${#all[@]} = 0 ] || give_cpu "${all[@]}"
  if [ "$wanted" -gt ${#all[@]} ]; then
    add_replicas $((wanted - ${#all[@]})) || fail 'Not all new replicas became healthy: docker compose ps'
    choose
  elif [ "$wanted" -lt ${#all[@]} ]; then
    mapfile -t all < <(printf '%s\n' "${all[@]}" | tac | healthy_first)
    retire "$wanted" "${all[@]}"
  else
    choose_all
  fi
  forget_replicas
}

# give_cpu CONTAINER…: as much as the engine gives without a word
give_cpu() { docker update --cpu-shares 1024 "$@" >/dev/null; }

is_healthy() { [ "$(docker inspect -f '{{.State.Health.Status}}' "$1")" = healthy ]; }

# healthy_first: the containers on standard input, those that are healthy before those that are not
healthy_first() {
  local container others=
  while read -r container; do
    if is_healthy "$container"; then echo "$container"; else others+="$container"$'\n'; fi
  done
  printf %s "$others"
}

# add_replicas COUNT: so many more. One after the other, each with little of the CPU until it is ready, as it would take it
# from those that serve; then it is chosen, so that not all are new at once.
add_replicas() {
  local present before container step
  mapfile -t present < <(running api)
  choose "${present[@]}"
  for step in $(seq "$1"); do
    before=$(containers api)
    make_containers api --scale "api=$(($(replicas_made) + 1))" || return 1
    container=$(containers api | grep -vxF "$before") || return 1
    docker update --cpu-shares 128 "$container" >/dev/null
    docker start "$container" >/dev/null
    wait_until_ready "$container" || return 1
    present+=("$container")
    choose "${present[@]}"
  done
}

# wait_until_ready CONTAINER: fails if it ends, or is not healthy after two minutes. A busy machine may take one.
wait_until_ready() {
  local try listens=
  for try in $(seq 240); do
    if [ -z "$listens" ] && in_service proxy curl -fsS -m 2 -o /dev/null "http://$(address_of "$1"):3000/health/ready" 2>/dev/null; then
      listens=yes
      give_cpu "$1"
    fi
    if is_healthy "$1"; then
      # Where the proxy that asks does not run.
      [ -n "$listens" ] || give_cpu "$1"
      return 0
    fi
    [ "$(docker inspect -f '{{.RestartCount}}' "$1")" -lt 2 ] || return 1
    sleep 0.5
  done
  return 1
}

# retire KEPT CONTAINER…: keeps the first ones; the others stop one after the other, each when it gets no new requests
retire() {
  local kept=$1
  shift
  while [ $# -gt "$kept" ]; do
    choose "${@:1:$#-1}"
    remove_replicas "${@:$#}"
    set -- "${@:1:$#-1}"
  done
  choose
}

# remove_ended: replicas that were killed, or end again and again. Compose would count them
remove_ended() {
  {
    listed api --all --filter status=exited --filter status=dead --filter status=created --filter status=restarting
    running api | ending_again
  } | xargs -r docker rm -f >/dev/null
}

# remove_replicas CONTAINER…: stops and removes them; each ends when it has answered its requests
remove_replicas() {
  [ $# -gt 0 ] || return 0
  say "api: stops $#"
  docker update --cpu-shares 256 "$@" >/dev/null
  printf '%s\n' "$@" | xargs -P 0 -n 1 docker stop --time "$(stop_seconds)" >/dev/null
  docker rm "$@" >/dev/null
}
