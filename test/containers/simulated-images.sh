#!/usr/bin/env bash
# Runs an upgrade or a rollback of apps/operator/stack without a container engine: tags, what each program runs, and which image has migrated
# the database are files with the id of an image. Kills itself after the step KILL_AT. The folder FOLDER keeps the state from run to run. The
# console of the image WITHOUT_CONSOLE does not start. The migrations fail with the words REFUSES. .env names the profile of the service DISABLED
# no more. The file postgres has the settings of the database's container and its state; SETTINGS are those of .env.
#   FOLDER=… KILL_AT=3 WITHOUT_CONSOLE=ID test/containers/simulated-images.sh rollback [TAG]
#   FOLDER=… BUILT=ID REFUSES=… STOPPED=true test/containers/simulated-images.sh upgrade
#   FOLDER=… STOPPED=true DISABLED=console-tls SETTINGS=other test/containers/simulated-images.sh up
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
docker() {
  case $* in
    compose*) echo '  "name": "simulated",' ;;
    'inspect -f {{.Image}}'*) cat "$FOLDER/programs/api" ;;
    'stop postgres') postgres_is exited ;;
    'rm -f postgres') rm "$FOLDER/postgres" && step ;;
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
containers() {
  local file=programs/$1
  [ "$1" != postgres ] || file=postgres
  if [ -f "$FOLDER/$file" ]; then echo "$1"; fi
}
running() {
  case $1 in
    valkey) echo valkey ;;
    postgres) ! grep -qs ' running$' "$FOLDER/postgres" || echo postgres ;;
    *) [ -n "${STOPPED:-}" ] || containers "$1" ;;
  esac
}
# postgres_is STATE: its container, which is made if there is none
postgres_is() {
  local made_with=${SETTINGS:-former}
  [ ! -f "$FOLDER/postgres" ] || read -r made_with _ <"$FOLDER/postgres" || true
  echo "$made_with $1" >"$FOLDER/postgres"
  step
}
# compose_starts_postgres: anew, if it was made with other settings
compose_starts_postgres() {
  if outdated postgres; then docker rm -f postgres; fi
  is_running postgres || begin postgres
}
ending_again() { :; }
begin() {
  if [ "$1" != postgres ]; then run_programs "$1"; return; fi
  [ -f "$FOLDER/postgres" ] || postgres_is created
  postgres_is running
}
run_programs() {
  local name
  is_running postgres || fail "$1 does not become healthy without a database"
  for name in "$@"; do
    has_program "$name" || fail "$name does not become healthy"
    id_of "$(image)" >"$FOLDER/programs/$name"
    step
  done
}
outdated() {
  if [ "$1" = postgres ]; then [ -f "$FOLDER/postgres" ] && ! grep -q "^${SETTINGS:-former} " "$FOLDER/postgres"; return; fi
  [ -f "$FOLDER/programs/$1" ] && [ "$(cat "$FOLDER/programs/$1")" != "$(id_of "$(image)")" ]
}
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
    'config --services') printf '%s\n' secrets migrate postgres api worker console console-tls | grep -vx "${DISABLED:-none}" ;;
    'up -d --wait --scale api=2'*) dc up -d --wait "${@:6}" ;;
    'up -d --wait') dc up -d --wait postgres replica api worker console $(services | grep -x console-tls) ;;
    'up -d --wait '*)
      compose_starts_postgres
      run_programs $(printf '%s\n' "${@:4}" | grep -vx postgres)
      ;;
    logs*) ;;
    build) id_of "$BUILT" >"$FOLDER/tags/service:${VERSION:-local}" && step ;;
    'run --rm migrate' | 'run --rm -T migrate') compose_starts_postgres && dc run --rm --no-deps migrate ;;
    'run --rm --no-deps -T migrate' | 'run --rm --no-deps migrate')
      is_running postgres || { echo 'The database cannot be reached' >&2; return 1; }
      [ -z "${REFUSES:-}" ] || { echo "$REFUSES" >&2; return 1; }
      id_of "service:${VERSION:-local}" >"$FOLDER/migrated"
      step
      ;;
    *) echo "not simulated: $*" >&2; exit 70 ;;
  esac
}

"stack_$1" "${@:2}"
