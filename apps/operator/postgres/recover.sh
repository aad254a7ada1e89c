#!/bin/bash
# Point-in-time recovery, beside the database that runs. Changes the data folder only in the last step.
#   recover.sh find TIME      the base backup to begin from; fails if there is none, or no room for its database
#   recover.sh replay TIME    makes the database of that moment in a folder of its own (TIME: latest = all that is archived)
#   recover.sh swap           puts it in the place of the database, which must be stopped
#   recover.sh undo           puts the database back that a swap was replacing when it was interrupted; replay does that first
set -euo pipefail
. "$(dirname "$0")/archive-folders.sh"
made=$PGDATA/.recovered
former=$PGDATA/.swapping # while a swap lasts: PostgreSQL does not start beside it

moment() { if [ "$1" = latest ]; then now; else date -u -d "$1" +%Y%m%dT%H%M%SZ; fi; }

find_base() {
  local base
  base=$(base_before "$(moment "$1")")
  [ -n "$base" ] || { echo "There is no base backup from before $1; the oldest: $(bases | head -n 1)" >&2; exit 1; }
  echo "$base"
}

# warn_of_gap TIME BASE: if the archive has begun another history between them, whose base backup is not complete: what was changed since
# then is not in the result
warn_of_gap() {
  local next
  next=$(histories | awk -v time="$(moment "$1")" -v history="${2%%/*}" '$1 > history && $1 <= time' | head -n 1)
  [ -z "$next" ] ||
    echo "Warning: changes since $(moment_of "$next") cannot be restored: the archive began anew then, after a restore or a gap, and has no base backup since. If one is in progress (docker compose logs archive), wait for it" >&2
}

# check_room BASE: fails if the disk does not have room for the database that is made of it: the present one stops, too, on a full disk. A gigabyte is
# for the changes since, which are read piece by piece. Where a swap was interrupted, both databases are there
check_room() {
  local needed free
  [ ! -d "$former" ] || return 0
  needed=$(sed -n 's/.*"Size": \([0-9]*\),.*/\1/p' "/archive/$1/backup_manifest" | awk '{n += $1} END {printf "%.0f", n + 1e9}')
  free=$(df --output=avail -B1 "$PGDATA" | tail -n 1)
  # Left by a replay that was killed, and removed first.
  [ ! -d "$made" ] || free=$((free + $(du -sb "$made" | cut -f1)))
  [ "$free" -ge "$needed" ] || {
    awk -v needed="$needed" -v free="$free" 'BEGIN {
      printf "The database of that moment is made beside the present one: it needs %.1f GB, and the disk has %.1f GB free\n", needed / 1e9, free / 1e9 }' >&2
    exit 1
  }
}

replay() {
  local base wal segment target=()
  base=/archive/$(find_base "$1")
  wal=${base%/base/*}/wal
  [ "$1" = latest ] || target=(-c "recovery_target_time=$(date -u -d "$1" '+%Y-%m-%d %H:%M:%S.%6N+00')" -c recovery_target_action=promote)
  undo
  # Nothing of it stays behind a failure: a base backup would contain it.
  trap 'rm -rf "$made"' EXIT
  rm -rf "$made"
  mkdir -m 700 "$made"
  tar xzf "$base/base.tar.gz" -C "$made"
  tar xzf "$base/pg_wal.tar.gz" -C "$made/pg_wal"
  pg_verifybackup --quiet --no-parse-wal --manifest-path="$base/backup_manifest" "$made"
  # Remains of other restores that the base backup found in the folder of the database.
  rm -rf "$made/.recovered" "$made/.former" "$made/.swapping" "$made/.replaced"
  touch "$made/recovery.signal"
  # The segment that is being written is named .partial. One that a full disk has left short has nothing yet, and PostgreSQL would end with it. Nobody
  # can connect before the moment is reached.
  segment=$(LC_ALL=C pg_controldata "$made" | sed -n 's/^Bytes per WAL segment: *//p')
  pg_ctl -D "$made" -s -w -t 86400 -l /tmp/recovery.log start -o "$(printf '%q ' -c listen_addresses= -c unix_socket_directories=/tmp -c hot_standby=off \
    -c "restore_command=cp $wal/%f %p 2>/dev/null || { test -n \"\$(find $wal/%f.partial -size ${segment}c)\" && cp $wal/%f.partial %p; } 2>/dev/null" "${target[@]}")" || fail_replay
  until pg_isready -q -h /tmp; do
    pg_ctl -D "$made" -s status >/dev/null || fail_replay
    sleep 0.2
  done
  pg_ctl -D "$made" -s -w stop
  trap - EXIT
  sed -n 's/^.*\(last completed transaction was .*\)$/\1/p' /tmp/recovery.log
}

fail_replay() {
  tail -n 5 /tmp/recovery.log >&2
  exit 1
}

swap() {
  [ -f "$made/PG_VERSION" ] && [ ! -e "$former" ] || { echo 'Nothing was recovered' >&2; exit 1; }
  mkdir -p "$former"
  files -exec mv -t "$former" {} +
  touch "$former/all"
  find "$made" -mindepth 1 -maxdepth 1 -exec mv -t "$PGDATA" {} +
  chmod 700 "$PGDATA"
  # From now on the database is the new one.
  mv "$former" "$PGDATA/.replaced"
  rm -rf "$made" "$PGDATA/.replaced"
}

# undo: can be interrupted and repeated itself
undo() {
  [ -d "$former" ] || return 0
  # Those of the new database. Of the former one all are elsewhere, or else none of the new one is here.
  if [ -f "$former/all" ]; then files -exec rm -rf {} +; fi
  rm -f "$former/all"
  find "$former" -mindepth 1 -maxdepth 1 -exec mv -t "$PGDATA" {} +
  rmdir "$former"
}

# files ACTION…: what a database has in its folder
files() { find "$PGDATA" -mindepth 1 -maxdepth 1 ! -name .swapping ! -name .former ! -name .recovered ! -name .replaced "$@"; }

case ${1:-} in find) base=$(find_base "$2"); check_room "$base"; warn_of_gap "$2" "$base"; echo "$base" ;; replay) replay "$2" ;; swap) swap ;; undo) undo ;; *) exit 64 ;; esac
