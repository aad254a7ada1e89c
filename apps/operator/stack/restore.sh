# restore

stack_restore() {
  local folder= moment= key= keep_key= yes= given=
  not_on_a_cluster restore
  while [ $# -gt 0 ]; do
    # Also one that a script left empty: without it another moment would be restored, or with another key.
    case "$1 ${2:-}" in '--to ' | '--secrets-key ' | '--to --'* | '--secrets-key --'*) fail "restore: $1 has no value. Nothing has been changed" ;; esac
    case $1 in
      --to) moment=$2; shift ;;
      --secrets-key) key=$(from_caller "$2"); shift ;;
      --keep-secrets-key) keep_key=yes ;;
      --yes) yes=yes ;;
      -*) fail "restore does not know $1" ;;
      *) folder=$(from_caller "$1") ;;
    esac
    shift
  done
  if [ -n "$moment" ]; then
    [ -z "$folder" ] || fail 'restore takes a folder or --to, not both'
    restore_moment
  else
    restore_dump
  fi
  start_all --scale "api=$replicas"
  check_provider_keys
}

# Both have the variables of stack_restore.

restore_dump() {
  [ ! -d "$folder" ] || [ -x "$folder" ] || fail "$folder is another user's, who made the backup, as root does by schedule: sudo apps/operator/stack.sh restore $folder"
  [ -f "$folder/account.dump" ] || fail 'restore takes a folder with account.dump, or --to TIME'
  if [ -z "$keep_key" ] && [ -z "$key" ]; then
    key=$folder/secrets-key
    [ -s "$key" ] || fail "$key is missing. Name it with --secrets-key FILE. If it is lost: --keep-secrets-key restores all but the customers' own provider keys and the secrets of webhook endpoints, which must then be made anew"
  fi
  if [ -f "$folder/SHA256SUMS" ]; then
    (cd "$folder" && sha256sum --quiet --ignore-missing --check SHA256SUMS) || fail 'The backup is damaged; nothing has been changed'
  fi
  check_key
  warn_of_room
  confirm
  replicas=$(wanted_replicas)
  check_secrets
  dc up -d --wait postgres || explain_start
  in_postgres psql -q -v ON_ERROR_STOP=1 -d postgres -c 'drop database if exists restored with (force)' -c 'create database restored'
  in_postgres pg_restore --dbname=restored --exit-on-error --single-transaction <"$folder/account.dump" ||
    give_up 'The backup could not be read; nothing has been changed'
  migrate_restored || give_up 'The programs cannot use this backup; nothing has been changed'
  dc stop api worker console
  note_event_positions
  keep_event_positions restored
  in_postgres psql -q -v ON_ERROR_STOP=1 -d postgres -c 'drop database if exists customer_account with (force)' \
    -c 'alter database restored rename to customer_account'
  forget_event_positions
  use_key
  # A new volume of the database has those of the first start, and the programs may have had others since.
  put_logins
  dc run --rm migrate
}

# warn_of_room: if the disk may have none for a second database, which the backup is read into: on a full disk the present one stops, too. How large
# it gets nobody knows: as the present one, or at least as the backup
warn_of_room() {
  local needed free dump
  is_running postgres || return 0
  # One that an interrupted restore left is removed first.
  needed=$(in_postgres psql -qAtX -d postgres -c "select coalesce(sum(case datname when 'customer_account' then 1 else -1 end * pg_database_size(datname)), 0)
    from pg_database where datname in ('customer_account', 'restored')") || return 0
  free=$(in_postgres df --output=avail -B1 /var/lib/postgresql/data | tail -n 1) || return 0
  dump=$(stat -c %s "$folder/account.dump")
  [ "$needed" -ge "$dump" ] || needed=$dump
  [ "$free" -ge "$needed" ] ||
    awk -v needed="$needed" -v free="$free" 'BEGIN {
      printf "Warning: the backup is read into a database beside the present one, which may need %.1f GB, and the disk has %.1f GB free. If it becomes full, the present one stops, too\n", needed / 1e9, free / 1e9 }' >&2
}

# migrate_restored: the database that the backup was read into, under the name that it has until it takes the other's place. It says nothing
# unless it fails: the keys that it sees are not those of the backup yet
migrate_restored() {
  local said
  said=$(DATABASE_URL=$(secrets_sh 'sed "s|/customer_account$|/restored|" owner/database-url') dc run --rm --no-deps -T -e DATABASE_URL migrate 2>&1) ||
    { say "$said" >&2; return 1; }
}

# give_up REASON: without the database that the backup was read into
give_up() {
  in_postgres psql -q -d postgres -c 'drop database if exists restored with (force)'
  fail "$1"
}

# event_positions: how far each customer can have read its events, as JSON; nothing of a new database, or of one that has no events yet
event_positions() { in_postgres psql -qAtX -d customer_account -c 'select json_object_agg(customer_id, last) from event_position' 2>/dev/null || true; }

# note_event_positions: beside those of restores that were interrupted before another database had them: the present one may be of such a
# restore, and know of less
note_event_positions() { event_positions | secrets_sh 'IFS= read -r line || true; [ -z "$line" ] || printf "%s\n" "$line" >>owner/event-positions'; }
forget_event_positions() { secrets_sh 'rm -f owner/event-positions'; }

# keep_event_positions DATABASE: new events come behind those of the databases that it replaces. Otherwise they would get positions that
# customers have read already, and be missed
keep_event_positions() {
  local positions
  secret owner/event-positions |
    while IFS= read -r positions; do
      printf '%s\n' 'insert into event_position as p (customer_id, last)' \
        "select c.id, f.value::bigint from json_each_text('$positions') f join customer c on c.id = f.key::uuid" \
        'on conflict (customer_id) do update set last = greatest(p.last, excluded.last);'
    done | in_postgres psql -qX -v ON_ERROR_STOP=1 -d "$1"
}

# The database of the moment is made beside the one that runs, which stops only to be replaced.
restore_moment() {
  local base reached fixed
  # One such as "10 minutes ago" is that which is shown, however long the answer and the archive take. Not every date knows %N.
  fixed=$(date -u -d "$moment" '+%Y-%m-%d %H:%M:%S.%N UTC' 2>/dev/null) || fixed=
  [[ ! $fixed =~ \.[0-9]+\ UTC$ ]] || moment=$fixed
  # First: until use_key the container of the secrets, which recover depends on, would refuse the key in .env.
  check_key
  end_recoveries
  base=$(recover find "$moment") || fail 'Nothing has been changed'
  say "From the base backup $base to $([ "$moment" = latest ] && echo 'the end of the archive' || date -u -d "$moment" '+%Y-%m-%d %H:%M:%S UTC')"
  confirm
  replicas=$(wanted_replicas)
  if is_running postgres; then archive_all; fi
  # An interruption ends this command, but not the container.
  trap end_recoveries EXIT
  reached=$(recover replay "$moment") || fail "The archive does not lead to $moment; nothing has been changed. --to latest restores all that it has"
  trap - EXIT
  say "$reached"
  dc stop api worker console
  if is_running postgres; then note_event_positions; fi
  dc stop archive postgres
  recover swap
  dc up -d --wait postgres
  use_key
  put_logins
  dc run --rm migrate
  keep_event_positions customer_account
  forget_event_positions
}

recover() { dc run --rm -T recover "$@"; }

# end_recoveries: those at work, of a command that was interrupted: the next one would make its database in the same folder
end_recoveries() {
  local left
  left=$(docker ps -q --filter "label=com.docker.compose.project=$compose_project" --filter label=com.docker.compose.service=recover)
  [ -z "$left" ] || docker stop --time 60 $left >/dev/null
}

# archive_all: returns when the archive has all that is committed, and a commit after it, so that the moment is in its past
archive_all() {
  local try end
  is_running archive || { say 'The archive is not running: changes that it does not have are lost'; return 0; }
  end=$(in_postgres psql -qAtX -d customer_account -c "select pg_logical_emit_message(true, 'restore', '')" -c 'select pg_current_wal_insert_lsn()' | tail -n 1)
  for try in $(seq 60); do
    [ "$(in_postgres psql -qAtX -d customer_account -c "select count(*) from pg_stat_replication where application_name = 'pg_receivewal' and flush_lsn >= '$end'")" = 0 ] || return 0
    sleep 0.5
  done
  fail 'The archive does not receive the latest changes: docker compose logs archive. Nothing has been changed'
}

# put_logins: gives the database, which may be older or of another machine, the logins and passwords of the programs, and no others: of those
# that were taken away since, somebody may know the passwords
put_logins() {
  local program role url
  sql "alter role account_owner password '$(secrets_sh 'cat owner/password')'"
  for program in api:customer_api operator:account_operator; do
    role=${program#*:} program=${program%:*}
    url=$(secrets_sh "cat $program/database-url")
    url=${url#postgres://}
    sql "do \$\$ begin create role ${url%%:*} login noinherit in role $role; exception when duplicate_object then null; end \$\$;
         alter role ${url%%:*} password '$(sed -E 's|[^:]*:([^@]*)@.*|\1|' <<<"$url")'"
  done
  drop_other_logins
}

# check_key: fails if .env has another SECRETS_KEY than the one to be restored
check_key() {
  [ -z "$key" ] || [ -s "$key" ] || fail "$key does not exist or is empty; nothing has been changed"
  [ -z "$key" ] || is_secrets_key "$(cat "$key")" || fail "$key has no SECRETS_KEY, which is 32 bytes in base64; nothing has been changed"
  given=$(key_in_env)
  [ -z "$key" ] || [ -z "$given" ] || [ "$given" = "$(cat "$key")" ] ||
    fail "SECRETS_KEY in .env is not the key in $key, which the backup needs: remove it from .env, or put that one there. Nothing has been changed"
  # Until use_key the stored secrets have another one, and the container of the secrets would refuse that of .env.
  [ -z "$key" ] || export SECRETS_KEY=
}

# use_key: from now on, if there is one to be restored
use_key() {
  local former
  [ -n "$key" ] || return 0
  # Of a backup that was made after a rotation, or during one.
  former=$(cat "${folder:+$folder/former-secrets-key}" 2>/dev/null || true)
  keep_replaced_keys "$(cat "$key")" "$former"
  secrets_sh 'rm -f owner/next-secrets-key; rm -f owner/previous-secrets-key owner/secrets-key-replaced'
  put_secret secrets-key <"$key"
  printf '%s' "$former" | put_secret former-secrets-key
  export SECRETS_KEY=$given
}

# keep_replaced_keys KEY…: those of the programs that are none of these. If this was the wrong moment, the data of another one needs them
keep_replaced_keys() {
  local name known left=
  for name in secrets-key former-secrets-key; do
    known=$(secret "operator/$name")
    [ -n "$known" ] && [[ $'\n'$(printf '%s\n' "$@")$'\n' != *$'\n'"$known"$'\n'* ]] || continue
    left=yes
    keep_key "$known"
  done
  [ -z "$left" ] || say "The keys until now are kept, should another moment need them: $SHOW_KEPT_KEYS"
}

confirm() {
  local answer
  [ -z "$yes" ] || return 0
  [ -t 0 ] || fail 'restore replaces the whole database: confirm with --yes'
  read -rp 'This replaces the whole database. Write "restore" to go on: ' answer
  [ "$answer" = restore ] || fail 'Nothing has been changed'
}

# A key that does not open is of another SECRETS_KEY than the data.
check_provider_keys() {
  local said
  if said=$(dc run --rm -T operator secrets reencrypt 2>&1); then
    say 'Restored. Check: docker compose run --rm operator ai verify'
    return 0
  fi
  printf '%s\n' "$said" >&2
  fail "Restored, but SECRETS_KEY is not the one of this data: these keys of customers cannot be read, and nothing is delivered to these webhook endpoints. If you have the right one: restore again with --secrets-key FILE. If it is lost: operator ai configure --customer ID --key-stdin, or operator webhook rotate-secret --endpoint ID"
}
