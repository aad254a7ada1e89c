# Which replicas the proxies choose from, and how a proxy is replaced.

# choose CONTAINER…: new requests go to these replicas only. Without any: to all that the service's name stands for.
# Returns when it holds for every new request. An nginx before 1.27.4 closes idle connections of clients when it is told so,
# and somebody may be sending on one: there nothing is done, as a replica that stops refuses connections, and the proxy tries
# the next one.
choose() {
  local proxy
  for proxy in $(proxies); do
    in_service "$proxy" test -f /tmp/proxy/keepalive.conf || continue
    reload "$proxy" "$@"
  done
}

# choose_all: if a command that was interrupted left a proxy with named replicas: others, and those that start at another address, would
# get no request
choose_all() {
  local proxy
  for proxy in $(proxies); do
    ! in_service "$proxy" /etc/account-proxy/proxy.sh pinned || reload "$proxy"
  done
}

# proxies: those that run
proxies() {
  local proxy
  for proxy in proxy proxy-tls; do if is_running $proxy; then echo $proxy; fi; done
}

# reload PROXY CONTAINER…
reload() {
  local proxy=$1 container addresses=()
  shift
  for container in "$@"; do addresses+=("$(address_of "$container")"); done
  in_service "$proxy" /etc/account-proxy/proxy.sh reload "${addresses[@]}" ||
    fail "The service $proxy goes on with its former configuration; no replica has been stopped"
}

reload_proxies() {
  local proxy
  for proxy in $(proxies); do reload "$proxy"; done
}

# address_of CONTAINER: its address on the network that it shares with the proxy
address_of() {
  docker inspect -f '{{range $name, $network := .NetworkSettings.Networks}}{{$name}} {{$network.IPAddress}}{{"\n"}}{{end}}' "$1" |
    awk '$1 ~ /_public$/ {print $2}'
}

# replace_proxy PROXY: by a new container
replace_proxy() {
  local former made
  former=$(containers "$1")
  if is_running "$1" && can_detour; then
    end_detour
    begin_detour "$1" || {
      end_detour
      fail "A new container of $1 does not become healthy; the former one goes on"
    }
    stop_gracefully $former
  else
    # From the end of the former one to the start of the new one, nobody listens on their port.
    if is_running "$1"; then in_service "$1" /etc/account-proxy/proxy.sh retire || true; fi
    make_containers "$1" --scale "$1=$(($(wc -w <<<"$former") + 1))"
    made=$(containers "$1" | grep -vxF "$former") || fail "No new container of $1 could be made; the former one goes on"
    xargs -r docker stop <<<"$former" >/dev/null
    docker start "$made" >/dev/null
    xargs -r docker rm -f <<<"$former" >/dev/null
  fi
  begin "$1"
  end_detour
}
