# Which replicas the proxy chooses from.

# choose CONTAINER…: new requests go to these replicas only. Without any: to all that the service's name stands for.
# Returns when it holds for every new request. An nginx before 1.28 closes idle connections of clients when it is told so, and
# somebody may be sending on one: there nothing is done, as a replica that stops refuses connections, and the proxy tries the
# next one.
choose() {
  proxy_sh '[ -f /tmp/keepalive.conf ]' || return 0
  reload_proxy "$@"
}

reload_proxy() {
  local generation=$RANDOM$RANDOM
  proxy_sh 'printf %s "$NGINX_CONF"' | with_replicas "$generation" "$@" |
    proxy_sh 'cat > /tmp/next.conf && nginx -q -t -c /tmp/next.conf && mv /tmp/next.conf /tmp/nginx.conf && nginx -c /tmp/nginx.conf -s reload 2>/dev/null' ||
    fail 'The proxy did not take its new configuration; nothing has been stopped'
  # Workers of the former configuration accept connections until those of the new one do.
  proxy_sh "for try in \$(seq 100); do
      for again in 1 2 3 4 5; do [ \"\$(curl -fsS http://127.0.0.1:8081/)\" = $generation ] || { sleep 0.1; continue 2; }; done
      exit 0
    done; exit 1" || fail 'The proxy goes on with its former configuration; nothing has been stopped'
}

proxy_sh() { dc exec -T proxy sh -c "$1"; }

# with_replicas GENERATION CONTAINER…: changes a configuration, from standard input to standard output
with_replicas() {
  local generation=$1 container address public= internal=
  shift
  for container in "$@"; do
    address=$(address_of "$container")
    public+=" server $address:3000 max_fails=0;"
    internal+=" server $address:9464 max_fails=0;"
  done
  if [ $# -gt 0 ]; then
    sed -E "s/^( *http \{)/\1 upstream chosen {$public } upstream chosen_internal {$internal }/
      s/set \\\$replicas [^;]*;/set \$replicas chosen;/; s/set \\\$internal [^;]*;/set \$internal chosen_internal;/"
  else
    cat
  fi | sed "s/return 200 'started';/return 200 '$generation';/"
}

# address_of CONTAINER: its address on the network that it shares with the proxy
address_of() {
  docker inspect -f '{{range $name, $network := .NetworkSettings.Networks}}{{$name}} {{$network.IPAddress}}{{"\n"}}{{end}}' "$1" |
    awk '$1 ~ /_public$/ {print $2}'
}
