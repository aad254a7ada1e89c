#!/usr/bin/env bash
# Runs a command of apps/operator/stack that changes the number of replicas, or replaces them, without a container engine: a replica is a file with
# its share of the CPU, in the folder made, and one in the folder started; the configuration of the proxy is made by its own script, with stand-ins
# for its programs. Kills itself after the step KILL_AT. The folder FOLDER keeps the state from run to run. PROXY=proxy-tls: the proxy with this name
# alone runs.
#   FOLDER=… KILL_AT=3 PROXY=proxy-tls test/containers/simulated-replicas.sh stack_scale 3
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
docker() {
  local one
  case $* in
    compose*) echo '  "name": "simulated",' ;;
    ps* | run*) ;;
    'inspect -f {{.State.Health.Status}} '*) echo healthy ;;
    'inspect -f {{.RestartCount}} '*) echo 0 ;;
    'inspect -f {{range'*) echo "simulated_public 10.0.0.$4" ;;
    'update --cpu-shares '*) for one in "${@:4}"; do echo "$3" >"$FOLDER/made/$one"; done ;;
    'start '*) touch "$FOLDER/started/$2" ;;
    'stop --time '*) rm "$FOLDER/started/$4" ;;
    'rm '*) for one in "${@:2}"; do rm -f "$FOLDER"/{made,started}/"$one"; done ;;
    *) echo "not simulated: docker $*" >&2; exit 70 ;;
  esac
  case $1 in update | start | stop | rm) step ;; esac
}
for part in common proxy replicas commands backup rotate; do . "apps/operator/stack/$part.sh"; done

step() {
  echo >>"$FOLDER/steps"
  [ "$(wc -l <"$FOLDER/steps")" != "${KILL_AT:-}" ] || kill -9 0
}
# What runs docker for the lines of its input.
xargs() {
  local given
  given=$(cat)
  while [[ $1 == -* ]]; do case $1 in -r) shift ;; *) shift 2 ;; esac; done
  [ -z "$given" ] || "$@" $given
}
containers() { if [ "$1" = api ]; then ls "$FOLDER/made" | sort -n; fi; }
running() {
  case $1 in
    api) ls "$FOLDER/started" | sort -n ;;
    proxy*) if [ "$1" = "${PROXY:-proxy}" ]; then echo "$1"; fi ;;
  esac
}
remove_ended() { comm -23 <(containers api | sort) <(running api | sort) | xargs -r docker rm -f; }
make_containers() {
  echo >>"$FOLDER/numbers"
  echo 1024 >"$FOLDER/made/$(wc -l <"$FOLDER/numbers")"
  step
}
in_service() {
  [ "$1" = "${PROXY:-proxy}" ] || return 1
  case $2 in
    test | curl) ;;
    *) proxy_sh "${@:3}" || return ;;
  esac
  [ "$3" != reload ] || step
}
proxy_sh() { PATH=$FOLDER/bin:$PATH RUN=$FOLDER/proxy sh apps/operator/proxy/proxy.sh "$@"; }
dc() {
  case $* in
    'config --services') printf '%s\n' api console ;;
    'up -d --wait'*) for one in $(containers api); do touch "$FOLDER/started/$one"; done ;;
    *) echo "not simulated: $*" >&2; exit 70 ;;
  esac
}
secrets_sh() { (cd "$FOLDER/secrets" && bash -euc "$1"); step; }

if [ ! -e "$FOLDER/proxy" ]; then
  mkdir -p "$FOLDER"/{bin,made,started,secrets/owner}
  printf '#!/bin/sh\necho nginx/1.30.0 >&2\n' >"$FOLDER/bin/nginx"
  printf '#!/bin/sh\nsed -n "s/^.*generation { default \\(.*\\); }/\\1/p" "$RUN/replicas.conf"\n' >"$FOLDER/bin/curl"
  chmod +x "$FOLDER"/bin/*
  proxy_sh start
fi
"$@"
