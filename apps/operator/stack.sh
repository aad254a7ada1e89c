#!/usr/bin/env bash
# Operates the service under docker compose without losing a call: see usage below, and docs/handbook.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
called_in=$PWD
cd "$here/../.."
for part in common images proxy detour replicas commands backup restore rotate; do . "$here/stack/$part.sh"; done

usage() {
  cat <<'END'
Usage: apps/operator/stack.sh COMMAND

  up                  starts the service, or applies changes of .env and the compose file
  upgrade             builds the image, migrates the database and replaces the programs
  rollback [TAG]      goes back to the image before the last upgrade, or to another that is there, without a build
  scale COUNT         sets the number of replicas of the API; API_REPLICAS in .env makes it last
  restart [SERVICE]…  restarts one service after the other: api, worker, console, console-tls, proxy, valkey, postgres
  replace SERVICE     makes the container of one anew: worker, console, console-tls, valkey, postgres with an interruption; proxy,
                      proxy-tls without one as root
  backup [DIRECTORY]  writes the database and the secrets key into a new folder in DIRECTORY. Without one: in BACKUP_DIRECTORY,
                      copied by BACKUP_COPY, and removes those that are older than BACKUP_DAYS
  schedule            lets this machine do that every day at BACKUP_AT, and does it now; --remove: no more
  backup --base       makes a base backup in the archive now (profile archive, which makes one every day)
  restore FOLDER      replaces the database by a backup; asks first (--yes: does not)
  restore --to TIME   replaces it by its state at a moment, as '2026-11-22 10:15' (UTC unless it says otherwise), or by
                      all that the archive has (latest)
      --secrets-key FILE   the SECRETS_KEY of the data, if it is not in FOLDER, or was another one at that moment
      --keep-secrets-key   none is restored: customers' own provider keys and the secrets of webhook endpoints may be lost
  rotate SECRET       makes a new secrets-key or new database-passwords, without an interruption; the same command again goes
                      on with one that was interrupted. former-secrets-key: forgets the former one, three days later (--now: at once)

A replica of the API that is replaced gets no new requests before it stops, and answers those that it has.
END
}

[ $# -gt 0 ] || { usage; exit 64; }
command=$1
shift
# lock NAME: two commands at once would replace each other's containers. A backup takes its time, and disturbs only a restore and
# a rotation
lock() {
  command -v flock >/dev/null || fail 'There is no flock on this machine (util-linux), by which only one apps/operator/stack.sh is at work'
  exec {lock}<"$1"
  flock --nonblock "$lock" || fail "Another apps/operator/stack.sh is at work here${2:+: $2}: wait until it has ended"
}
case $command in
  up | upgrade | rollback | scale | restart | replace)
    lock .
    "stack_$command" "$@"
    ;;
  backup | schedule)
    lock apps/operator/stack backup
    "stack_$command" "$@"
    ;;
  restore | rotate)
    lock .
    lock apps/operator/stack backup
    "stack_$command" "$@"
    ;;
  -h | --help | help) usage ;;
  *) usage >&2; exit 64 ;;
esac
