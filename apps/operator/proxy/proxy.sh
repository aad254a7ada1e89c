#!/bin/sh
# The proxy, inside its container. The variables below have the values of the container; RUN is a folder that it may write.
#   proxy.sh start             writes the configuration and becomes nginx
#   proxy.sh reload ADDRESS…   reads the configuration anew; new requests go to these replicas, or to all if none is named.
#                              Returns when that holds for every new request; if it fails, the former configuration stays
#   proxy.sh retire            idle connections of clients no longer outlive the end of nginx, which it would wait for
#   proxy.sh current           whether the files beside this one are those that it read
#   proxy.sh pinned            whether requests go to replicas that were named
set -eu
here=$(cd "$(dirname "$0")" && pwd)
run=${RUN:-/tmp/proxy}
# only with TLS: the folder of fullchain.pem and privkey.pem, and the port of the machine, for redirects
certificates=${CERTIFICATES:-}
https_port=:${HTTPS_PORT:-443}
# with one token; 0: any number
requests_per_second=${PROXY_REQUESTS_PER_SECOND:-300}
case $requests_per_second in
  0?*) echo "PROXY_REQUESTS_PER_SECOND must be a number that does not begin with 0, not $requests_per_second" >&2 && exit 64 ;;
  *[!0-9]*) echo "PROXY_REQUESTS_PER_SECOND must be a number, not $requests_per_second" >&2 && exit 64 ;;
esac
# where the configuration that is at work names itself
state=${STATE:-127.0.0.1:8081}

# Both the configuration and its parts that depend on the container, into RUN.
write() {
  mkdir -p "$run"
  # Since 1.27.4, idle connections of clients outlive a reload, so that nobody sends on one that is just being closed.
  if outlives_reload; then echo 'keepalive_min_timeout 10s;' >"$run/keepalive.conf"; fi
  if [ -n "$certificates" ]; then filled tls.conf; else filled plain.conf; fi >"$run/servers.conf"
  replicas "$@" >"$run/replicas.conf"
  limits >"$run/limits.conf"
  filled nginx.conf >"$run/nginx.conf"
  cat "$here"/* >"$run/made-of"
}

outlives_reload() {
  case $(nginx -v 2>&1) in *nginx/1.2[89].* | *nginx/1.[3-9][0-9].* | *nginx/[2-9].*) ;; *) return 1 ;; esac
}

# limits: of the requests with a token and from an address. With a token as many may wait as the API, with its defaults, lets a customer send
# in two minutes, at the end of one and the beginning of the next; from an address, so many that nobody waits for more than two seconds.
limits() {
  if [ "$requests_per_second" != 0 ]; then filled limits.conf; fi
}

# With one token: nginx takes no 0.
at_once() {
  if [ "$requests_per_second" -lt 10 ]; then echo 1; else echo $((requests_per_second / 10)); fi
}

# in_progress TIMES: so many times the number, at most what nginx can count.
in_progress() {
  if [ $((requests_per_second * $1)) -gt 65535 ]; then echo 65535; else echo $((requests_per_second * $1)); fi
}

# filled FILE: with its variables
filled() {
  sed -e "s#@RUN@#$run#g; s#@HERE@#$here#g; s#@CERTIFICATES@#$certificates#; s#@STATE@#$state#" \
    -e "s#@RESOLVER@#${RESOLVER:-127.0.0.11}#; s#@PROXY_BEFORE@#$(proxy_before)#" \
    -e "s#@TOKEN_RATE@#$requests_per_second#; s#@TOKEN_PER_MINUTE@#$((requests_per_second * 60))#; s#@TOKEN_AT_ONCE@#$(at_once)#" \
    -e "s#@TOKEN_BURST@#$((requests_per_second * 4))#; s#@TOKEN_IN_PROGRESS@#$(in_progress 4)#" \
    -e "s#@ADDRESS_RATE@#$((requests_per_second * 2))#; s#@ADDRESS_AT_ONCE@#$((requests_per_second * 4))#" \
    -e "s#@ADDRESS_BURST@#$((requests_per_second * 8))#; s#@ADDRESS_IN_PROGRESS@#$(in_progress 16)#" \
    -e "s#@LISTEN@#${LISTEN:-8080}#; s#@LISTEN_TLS@#${LISTEN_TLS:-8443}#; s#@HTTPS_PORT@#${https_port#:443}#" "$here/$1"
}

# proxy_before: whose X-Forwarded-For is believed. If the port is published for this machine alone, its programs come by the gateway of the
# container's network; otherwise that could be anybody whom the engine passes on.
proxy_before() {
  gateway=$(sed -n 's/^[^\t]*\t00000000\t\(..\)\(..\)\(..\)\(..\)\t.*/0x\4 0x\3 0x\2 0x\1/p' "${ROUTES:-/proc/net/route}" | head -n 1)
  case ${PROXY_BEFORE:-},${PUBLISH_ADDRESS:-},$gateway in
    ?*,*,*) echo "$PROXY_BEFORE" ;;
    ,127.*,?*) printf '%d.%d.%d.%d/32' $gateway ;;
    *) echo 127.0.0.1/32 ;;
  esac
}

# replicas GENERATION ADDRESS…: by the name of their service, whose addresses are looked up, or these addresses
replicas() {
  generation=$1
  shift
  api=${REPLICAS:-api:3000} internal=${INTERNAL:-api:9464}
  if [ $# -gt 0 ]; then
    api=$(printf '%s:3000 ' "$@") internal=$(printf '%s:9464 ' "$@")
  fi
  # nginx looks up the name of a variable for each connection, and keeps none of them.
  case $api in
    *[!0-9.:\ ]*)
      if looks_up; then
        upstream api "$api" ' resolve'
        api=api
      fi
      ;;
    *)
      upstream api "$api"
      api=api
      ;;
  esac
  case $internal in
    *[!0-9.:\ ]*) ;;
    *)
      upstream internal "$internal"
      internal=internal
      ;;
  esac
  printf "map '' \$%s { default %s; }\n" replicas "$api" internal "$internal" generation "$generation"
}

# Since 1.27.3, the servers of an upstream are looked up again and again.
looks_up() {
  case $(nginx -v 2>&1) in *nginx/1.2[89].* | *nginx/1.27.[345]* | *nginx/1.[3-9][0-9].* | *nginx/[2-9].*) ;; *) return 1 ;; esac
}

# upstream NAME SERVERS PARAMETERS. A replica that stops keeps idle connections for longer than this (SHUTDOWN_IDLE_MS), so that
# no request is sent on one that is being closed: a POST could not be sent again.
upstream() {
  echo "upstream $1 {"
  echo "  zone $1 256k;"
  for server in $2; do echo "  server $server max_fails=0${3:-};"; done
  echo '  keepalive 256;'
  echo '  keepalive_timeout 1s;'
  echo '}'
}

start() {
  write started
  exec nginx -c "$run/nginx.conf" -g 'daemon off;'
}

reload() {
  next=$(date +%s)$$ told=
  rm -rf "$run/former" && mkdir "$run/former" && cp "$run"/*.conf "$run/made-of" "$run/former"
  trap go_back EXIT
  trap 'exit 1' INT TERM HUP
  write "$next" "$@"
  nginx -q -t -c "$run/nginx.conf"
  told=yes
  nginx -c "$run/nginx.conf" -s reload 2>/dev/null
  # Workers of the former configuration accept connections until those of the new one do.
  for try in $(seq 100); do
    for again in 1 2 3 4 5; do [ "$(curl -fsS "http://$state/")" = "$next" ] || { sleep 0.1; continue 2; }; done
    trap - EXIT
    exit 0
  done
  exit 1
}

# go_back: to the former configuration, whatever failed: no start and no later reload finds the one that did not work
go_back() {
  cp "$run"/former/* "$run"
  [ -z "$told" ] || nginx -c "$run/nginx.conf" -s reload 2>/dev/null
}

# Returns when the workers that keep them have ended, or after a quarter of a minute: streams may take longer.
retire() {
  rm -f "$run/keepalive.conf"
  nginx -c "$run/nginx.conf" -s reload 2>/dev/null
  sleep 1
  for try in $(seq 30); do
    grep -qs 'worker process is shutting down' /proc/[0-9]*/cmdline || break
    sleep 0.5
  done
}

command=${1:-}
[ $# = 0 ] || shift
case $command in
  start) start ;;
  reload) reload "$@" ;;
  retire) retire ;;
  current) cat "$here"/* | cmp -s - "$run/made-of" ;;
  pinned) grep -q '^  server [0-9.]*:' "$run/replicas.conf" ;;
  *) exit 64 ;;
esac
