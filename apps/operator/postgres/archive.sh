#!/bin/bash
# Keeps an archive of the database's WAL as it is written, and base backups to begin from: docs/handbook.
#   archive.sh run      all of it, until it is stopped
#   archive.sh base     a base backup now
#   archive.sh health   whether the WAL arrives and there is a base backup, or one that takes long
#   archive.sh current  whether it runs from these scripts as they are now
set -euo pipefail
. "$(dirname "$0")/archive-folders.sh"
export PGHOST=postgres PGUSER=account_owner PGPASSFILE=/tmp/pgpass
slot=archive

say() { printf '%s %s\n' "$(now)" "$*"; }
sql() { psql -qAtX -v ON_ERROR_STOP=1 -d customer_account -c "$1"; }
log_in() { (umask 077; printf 'postgres:5432:*:account_owner:%s\n' "$(cat /run/owner-secrets/password)" >$PGPASSFILE); }

# A chain is unbroken as long as the slot keeps the part that has not been received yet. The slot comes last: if this is interrupted, no
# slot that begins later counts as the continuation of the history before
begin_history() {
  sql "select pg_drop_replication_slot('$slot') from pg_replication_slots where slot_name = '$slot' and not active" >/dev/null &&
    make_history && pg_receivewal --create-slot --slot=$slot && say "a new history begins: $(history)"
}

# make_history: unless the newest one is empty, which was not begun
make_history() {
  local name
  [ -z "$(history)" ] || [ -n "$(find "/archive/$(history)" -type f | head -n 1)" ] || return 0
  name=$(now)
  # The one that goes on is the last by name, also behind one that was begun while the clock was ahead.
  [[ $(history) < $name ]] || name=$(date -u -d "$(moment_of "$(history)") + 1 second" +%Y%m%dT%H%M%SZ)
  mkdir -p "/archive/$name.new/wal" "/archive/$name.new/base" && mv "/archive/$name.new" "/archive/$name"
}

# receive: what continues the newest history, or another one if the slot does not have it. Where the database does not say whether it has, nothing begins
receive() {
  local kept segment
  kept=$(sql "select count(*) from pg_replication_slots where slot_name = '$slot' and wal_status <> 'lost'") || return 1
  segment=$(sql "select setting from pg_settings where name = 'wal_segment_size'") || return 1
  { [ -n "$(history)" ] && [ "$kept" = 1 ]; } || begin_history || return 1
  # It fills a segment with zeros before it writes into it. One that a full disk, or its own end, has left short has nothing else, and it would never
  # start beside it.
  find "/archive/$(history)/wal" -name '*.partial' -size +0c ! -size "${segment}c" -delete
  pg_receivewal --slot=$slot --synchronous --no-loop -D "/archive/$(history)/wal" &
  receiver=$!
}

take_base() {
  local folder name failed=0
  exec 8>/tmp/base.lock
  flock 8
  folder=/archive/$(history)/base
  # Those that were interrupted, of former histories too.
  rm -rf /archive/*/base/*.new
  # Before the new one, which on a full disk needs the room of the old ones. Its failure is no failed backup: that one is noted.
  if fails_for_long || clock_is_usual; then "$0" prune || failed=1; fi
  pg_basebackup -D "$folder/base.new" --format=tar --compress=client-gzip:1 --wal-method=stream --checkpoint=fast --label=archive 8>&-
  # It is the first one: to read the rest would take minutes.
  tar xzOf "$folder/base.new/base.tar.gz" --occurrence=1 backup_label | sed -n 's/^START WAL LOCATION:.*(file \([0-9A-F]*\))$/\1/p' >"$folder/base.new/first-segment"
  name=$(now)
  mv "$folder/base.new" "$folder/$name"
  say "base backup: $(du -sh "$folder" | cut -f1) with the former ones of $(history)"
  note_base "$folder/$name"
  flock -u 8
  return $failed
}

# note_base FOLDER: that it is complete, for the alert about the age of the newest one
note_base() {
  sql "insert into backup (kind, bytes, free_bytes) values ('base', $(du -sb "$1" | cut -f1), $(df --output=avail -B1 "$1" | tail -n 1))" ||
    say 'the base backup is complete, but the database could not be told'
}

# fails_for_long: whether no base backup has come about for an hour, perhaps for want of the room of the old ones. A clock that was ahead at the
# start is right by then
fails_for_long() { [ -n "$(find /tmp/base-failed -mmin +60 2>/dev/null)" ]; }

# clock_is_usual: fails, and says it, if the newest base backup is older than it gets: by a clock that is ahead, as that of a machine may be when it
# starts, all others would be too old
clock_is_usual() {
  local newest later
  newest=$(base_before "$(now)")
  newest=${newest##*/}
  later=$(bases | awk -F / -v time="$(now)" '$3 > time')
  [ -z "$later" ] || say "the clock was ahead when these base backups were made, or it is behind now:" $later
  [ -z "$newest" ] || [[ $newest > $(date -u -d '-2 days' +%Y%m%dT%H%M%SZ) ]] || {
    say "nothing old is removed this time: the newest base backup is of $newest, and the clock may be ahead"
    return 1
  }
}

# Files that only lead to moments before the last ARCHIVE_DAYS.
prune() {
  local oldest_kept base one first
  oldest_kept=$(base_before "$(date -u -d "-${ARCHIVE_DAYS:-7} days" +%Y%m%dT%H%M%SZ)")
  [ -n "$oldest_kept" ] || return 0
  for base in $(bases); do
    [ "$base" != "$oldest_kept" ] || break
    rm -rf "/archive/$base"
  done
  for one in $(histories); do
    first=$(sort "/archive/$one"/base/*/first-segment 2>/dev/null | head -n 1 || true)
    if [ -n "$first" ]; then
      pg_archivecleanup "/archive/$one/wal" "$first"
    elif [ "$one" != "$(history)" ]; then
      rm -rf "/archive/$one"
    fi
  done
}

# base_is_due: the newest history has none, or none of the last day. One of a later time was made while the clock was ahead
base_is_due() {
  local newest
  newest=$(ls "/archive/$(history)/base" | grep -v new | awk -v now="$(now)" '$0 <= now' | tail -n 1)
  [ -z "$newest" ] || [[ $newest < $(date -u -d '-1 day' +%Y%m%dT%H%M%SZ) ]]
}

scripts() { cat "$0" "$(dirname "$0")/archive-folders.sh"; }

is_at_work() { [ -n "$1" ] && kill -0 "$1" 2>/dev/null; }

# begin_base: beside the WAL, whose receiver may have to be started again meanwhile. In a process group, so that its programs end with it
begin_base() {
  say 'a base backup begins'
  set -m
  "$0" base &
  base=$!
  set +m
}

# note_end: of the base backup. One that failed is not tried again at once, as each try asks the database to write out all that has changed
note_end() {
  if wait "$base"; then
    rm -f /tmp/base-failed
  else
    [ -e /tmp/base-failed ] || touch /tmp/base-failed
    say 'the base backup failed and is tried again in a minute, or old files could not be removed'
    next_base=$((SECONDS + 60))
  fi
  base=
}

end() {
  local one
  for one in $receiver ${base:+-$base}; do
    kill -- "$one" 2>/dev/null || true
    wait "${one#-}" || true
  done
  exit 0
}

run() {
  receiver='' base='' next_base=0
  scripts >/tmp/made-of
  trap end TERM INT
  while :; do
    log_in
    is_at_work "$receiver" || receive || say 'the WAL is not received yet'
    [ -z "$base" ] || is_at_work "$base" || note_end
    if [ -z "$base" ] && [ "$SECONDS" -ge "$next_base" ] && is_at_work "$receiver" && base_is_due; then begin_base; fi
    sleep 5 &
    wait $! || true
  done
}

health() {
  [ "$(sql "select count(*) from pg_replication_slots where slot_name = '$slot' and active")" = 1 ]
  [ -n "$(ls -d "/archive/$(history)"/base/*Z 2>/dev/null)" ] || takes_long
}

# takes_long: whether the first base backup has been at work for nine minutes, has not failed, and writes. Whoever starts the service waits for it
# no longer than the health check's start period
takes_long() {
  [ ! -e /tmp/base-failed ] && [ -n "$(find /tmp/made-of -mmin +8)" ] &&
    [ -n "$(find "/archive/$(history)/base/base.new" -mmin -10 2>/dev/null | head -n 1)" ]
}

case ${1:-} in run) run ;; base) log_in; take_base ;; prune) prune ;; health) health ;; current) scripts | cmp -s - /tmp/made-of ;; *) exit 64 ;; esac
