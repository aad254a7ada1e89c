#!/usr/bin/env bash
# Runs an upgrade or a rollback of apps/operator/stack without a container engine: tags, what each program runs, and which image has migrated
# the database are files with the id of an image. Kills itself after the step KILL_AT. The folder FOLDER keeps the state from run to run. The
# console of the image WITHOUT_CONSOLE does not start. The migrations fail with the words REFUSES. .env names the profile of the service DISABLED
# no more.
#   FOLDER=… KILL_AT=3 WITHOUT_CONSOLE=ID test/containers/simulated-images.sh rollback [TAG]
#   FOLDER=… BUILT=ID REFUSES=… STOPPED=true test/containers/simulated-images.sh upgrade
#   FOLDER=… STOPPED=true DISABLED=console-tls test/containers/simulated-images.sh up
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
docker() {
  case $* in
    compose*) echo '  "name": "simulated",' ;;
    'inspect -f {{.Image}}'*) cat "$FOLDER/programs/api" ;;
    'stop '*) ;;
    'rm -f '*) rm -f "$FOLDER/programs/$3" && step ;;
    run*' --entrypoint test service:local -f dist/apps/operator-api/src/main.js') has_program console ;;
    'image rm'*) rm "$FOLDER/tags/${*: -1}" && step ;;
    *prune*) ;;
    'image inspect'*) cat "$FOLDER/tags/${*: -1}" 2>/dev/null ;;
    images*) ls "$FOLDER/tags" | sed -n 's/^service://p' ;;
    tag*) id_of "$2" >"$FOLDER/tags/new" && mv "$FOLDER/tags/new" "$FOLDER/tags/$3" && step ;;
    *) echo "not simulated: docker $*" >&2; exit 70 ;;
  esac
}
for part in common images proxy detour commands backup rotate; do . "apps/operator/stack/$part.sh"; done

step() {
  echo >>"$FOLDER/steps"
  [ "$(wc -l <"$FOLDER/steps")" != "${KILL_AT:-}" ] || kill -9 0
}
# An image is known by its id, too.
id_of() { case $1 in sha256:*) echo "$1" ;; *) cat "$FOLDER/tags/$1" 2>/dev/null || true ;; esac; }
image() { echo service:local; }
release() { echo 1.1.0-next; }
# has_program NAME: whether the image that is taken has it
has_program() { [ "$1" != console ] || [ "$(id_of "$(image)")" != "${WITHOUT_CONSOLE:-}" ]; }
# What runs docker for each line of its input.
xargs() { local given; given=$(cat); [ "$1" != -r ] || shift; [ -z "$given" ] || "$@" $given; }
containers() { [ ! -f "$FOLDER/programs/$1" ] || echo "$1"; }
running() { [ -n "${STOPPED:-}" ] || containers "$1"; }
ending_again() { :; }
begin() { run_programs "$1"; }
run_programs() {
  local name
  for name in "$@"; do
    has_program "$name" || fail "$name does not become healthy"
    id_of "$(image)" >"$FOLDER/programs/$name"
    step
  done
}
outdated() { [ -f "$FOLDER/programs/$1" ] && [ "$(cat "$FOLDER/programs/$1")" != "$(id_of "$(image)")" ]; }
replace_replicas() { run_programs replica api; }
set_replicas() { :; }
count_of() { if [ -n "${STOPPED:-}" ]; then echo 0; else echo 2; fi; }
replicas_meant() { echo 2; }
wanted_replicas() { echo 2; }
examine() { :; }
check_secrets() { :; }
check_profiles() { :; }
check_key_file() { :; }
proxies() { :; }
end_commands() { :; }
end_detour() { :; }
secrets_sh() { (cd "$FOLDER/secrets" && bash -euc "$1"); step; }
dc() {
  case $* in
    'config --services') printf '%s\n' secrets migrate api worker console console-tls | grep -vx "${DISABLED:-none}" ;;
    'up -d --wait') run_programs replica api worker console $(services | grep -x console-tls) ;;
    'up -d --wait '*) run_programs "${@:4}" ;;
    logs*) ;;
    build) id_of "$BUILT" >"$FOLDER/tags/service:${VERSION:-local}" && step ;;
    'run --rm --no-deps -T migrate' | 'run --rm --no-deps migrate')
      [ -z "${REFUSES:-}" ] || { echo "$REFUSES" >&2; return 1; }
      id_of "service:${VERSION:-local}" >"$FOLDER/migrated"
      step
      ;;
    *) echo "not simulated: $*" >&2; exit 70 ;;
  esac
}

"stack_$1" "${@:2}"
