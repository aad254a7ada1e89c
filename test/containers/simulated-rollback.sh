#!/usr/bin/env bash
# Runs a rollback of apps/operator/stack without a container engine: tags, and what each program runs, are files with the id of an image.
# Kills itself after the step KILL_AT. The folder FOLDER keeps the state from run to run.
#   FOLDER=… KILL_AT=3 test/containers/simulated-rollback.sh [TAG]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
docker() {
  case $* in
    compose*) echo '  "name": "simulated",' ;;
    'image inspect'*) cat "$FOLDER/tags/${*: -1}" 2>/dev/null ;;
    images*) ls "$FOLDER/tags" | sed -n 's/^service://p' ;;
    tag*) id_of "$2" >"$FOLDER/tags/new" && mv "$FOLDER/tags/new" "$FOLDER/tags/$3" && step ;;
    *) echo "not simulated: docker $*" >&2; exit 70 ;;
  esac
}
for part in common images detour commands backup rotate; do . "apps/operator/stack/$part.sh"; done

step() {
  echo >>"$FOLDER/steps"
  [ "$(wc -l <"$FOLDER/steps")" != "${KILL_AT:-}" ] || kill -9 0
}
# An image is known by its id, too.
id_of() { case $1 in sha256:*) echo "$1" ;; *) cat "$FOLDER/tags/$1" 2>/dev/null || true ;; esac; }
image() { echo service:local; }
run_programs() { local name; for name in "$@"; do id_of "$(image)" >"$FOLDER/programs/$name"; step; done; }
outdated() { [ -f "$FOLDER/programs/$1" ] && [ "$(cat "$FOLDER/programs/$1")" != "$(id_of "$(image)")" ]; }
replace_replicas() { run_programs replica api; }
set_replicas() { :; }
replace() { run_programs "$1"; }
count_of() { echo 2; }
replicas_meant() { echo 2; }
check_secrets() { :; }
proxies() { :; }
end_commands() { :; }
missing() { :; }
end_detour() { :; }
secrets_sh() { (cd "$FOLDER/secrets" && bash -euc "$1"); step; }
dc() {
  case $* in
    'run --rm --no-deps -T migrate') step ;;
    *) echo "not simulated: $*" >&2; exit 70 ;;
  esac
}

stack_rollback "$@"
