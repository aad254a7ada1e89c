# A published port has one owner at a time, so that whoever connects between the end of a proxy's container and the start of its
# successor would be refused. Another proxy serves new connections meanwhile: rules of the machine's firewall, in front of the
# engine's own, lead them to it. Connections keep the way that they began with.

# can_detour: whether this user may change the rules, and they are those of the engine's machine
can_detour() { [ "$(id -u)" = 0 ] && [ "$(uname -s)" = Linux ] && nat -S OUTPUT >/dev/null 2>&1; }

nat() { iptables --wait 10 -t nat "$@"; }

# begin_detour PROXY: starts another one, and leads new connections to it. Fails if it does not become healthy
begin_detour() {
  local container ports options=() address outside inside
  mapfile -t ports < <(published "$1")
  while read -r address outside inside; do options+=(--publish "$address::$inside"); done < <(printf '%s\n' "${ports[@]}")
  container=$(dc run -d --no-deps --label "account.detour=$1" "${options[@]}" "$1") || return 1
  until_healthy "$container" || return 1
  while read -r address outside inside; do
    # Straight to the container, which sees callers' addresses.
    lead PREROUTING "$address" "$outside" -j DNAT --to-destination "$(address_of "$container"):$inside"
    # Containers' and this machine's own come by the port that the engine chose for it: so they come to any published port.
    outside="$outside -j REDIRECT --to-ports $(docker port "$container" "$inside/tcp" | sed -n '1s/.*://p')"
    lead PREROUTING "$address" $outside -i docker+
    lead PREROUTING "$address" $outside -i br-+
    lead OUTPUT "$address" $outside
  done < <(printf '%s\n' "${ports[@]}")
}

# lead CHAIN ADDRESS PORT OPTION…: new connections to this port of the machine, before all rules that are there
lead() {
  local to=(-m addrtype --dst-type LOCAL)
  case $2 in 0.0.0.0 | *:*) ;; *) to=(-d "$2") ;; esac
  nat -I "$1" "${to[@]}" -p tcp --dport "$3" -m comment --comment "detour-of-$compose_project" "${@:4}"
}

# published PROXY: for each port that it publishes the machine's address, the machine's port and its own
published() {
  docker inspect -f '{{range $inside, $all := .HostConfig.PortBindings}}{{range $all}}{{or .HostIp "0.0.0.0"}} {{.HostPort}} {{$inside}}{{"\n"}}{{end}}{{end}}' \
    "$(running "$1" | head -n 1)" | sed -n 's|/tcp$||p'
}

# until_healthy CONTAINER: fails if it is not after half a minute
until_healthy() {
  local try
  for try in $(seq 60); do
    ! is_healthy "$1" || return 0
    sleep 0.5
  done
  docker logs --tail 5 "$1" >&2
  return 1
}

# end_detour: new connections go to the proxy itself again; the other one ends when it has answered its requests. Also what a
# command left behind that was interrupted
end_detour() {
  local rule left
  left=$(docker ps -aq --filter "label=com.docker.compose.project=$compose_project" --filter label=account.detour)
  [ -n "$left" ] || return 0
  can_detour || {
    say "A second proxy still takes connections, as a command was interrupted. To end it: sudo apps/operator/stack.sh up"
    return 0
  }
  nat -S | sed -n "/--comment detour-of-$compose_project /s/^-A/-D/p" | while read -r rule; do
    # In words, as iptables wrote them.
    nat $rule
  done
  stop_gracefully $left
}

# stop_gracefully PROXY…: they answer their requests, AI messages too, and clients' idle connections
stop_gracefully() {
  printf '%s\n' "$@" | xargs -r -P 0 -n 1 docker stop --time "$(stop_seconds)" >/dev/null
  docker rm "$@" >/dev/null
}
