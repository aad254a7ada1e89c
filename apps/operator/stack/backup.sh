# backup, schedule

stack_backup() {
  case ${1:-} in
    --base)
      not_on_a_cluster 'backup --base'
      base_backup
      ;;
    '') scheduled_backup ;;
    *)
      [ -d "$(from_caller "$1")" ] || fail 'backup takes a directory that exists, or --base'
      dump "$(from_caller "$1")"
      note_backup
      ;;
  esac
}

base_backup() {
  is_running archive || fail 'The archive is not running: COMPOSE_PROFILES=archive in .env, then apps/operator/stack.sh up'
  in_service archive /etc/account-postgres/archive.sh base
}

# scheduled_backup: as .env says: into BACKUP_DIRECTORY, copied by BACKUP_COPY, without those that are older than BACKUP_DAYS
scheduled_backup() {
  local directory days copy former usual=
  directory=$(setting BACKUP_DIRECTORY)
  days=$(setting BACKUP_DAYS 14)
  copy=$(setting BACKUP_COPY)
  [ -d "$directory" ] || fail 'backup takes a directory, or BACKUP_DIRECTORY in .env, which must exist'
  [[ $days =~ ^[1-9][0-9]*$ ]] || fail "BACKUP_DAYS is a number of days, not $days"
  if by_timer; then until_answers; fi
  if clock_is_usual "$directory"; then usual=yes; fi
  dump "$directory"
  if [ -n "$copy" ]; then
    # In a shell of its own, so that the operator may write a pipeline.
    [[ $copy == *'{}'* ]] || copy+=' {}'
    sh -c "${copy//'{}'/"$(word_of_shell "$folder")"}" || fail "The backup is complete, but BACKUP_COPY failed: $folder is only on this machine"
    say 'BACKUP_COPY has copied it'
  fi
  # Noted when it is where it should be: an alert tells of the age of the newest one.
  note_backup
  if by_timer; then note_schedule true; fi
  [ -n "$usual" ] || {
    say 'No older backups are removed this time: the one before is older than usual, and the clock may be ahead'
    return 0
  }
  for former in "$directory"/account-????????T??????Z; do
    if [[ $(basename "$former") < account-$(date -u -d "-$days days" +%Y%m%dT%H%M%SZ) ]]; then rm -rf "$former"; fi
  done
}

# clock_is_usual DIRECTORY: fails if it is more than a day later than the next backup there is due, by the time between the last two: by a
# clock that is ahead, as that of a machine may be when it starts, all of them would be too old
clock_is_usual() {
  ls "$1" | sed -nE 's/^account-([0-9]{4})([0-9]{2})([0-9]{2})T([0-9]{2})([0-9]{2})([0-9]{2})Z$/\1-\2-\3 \4:\5:\6 UTC/p' | date -u -f - +%s |
    awk -v now="$(date +%s)" '$1 <= now {before = last; last = $1}
      END {usual = before && last - before > 86400 ? last - before : 86400; exit last && now - last > usual + 86400}'
}

# by_timer: by this name the timer runs it
by_timer() { [ "$OPERATOR_NAME" = backup ]; }

# until_answers: or for ten minutes. A timer that made up for a backup when the machine started tries once, and the database may have to
# recover first
until_answers() {
  local try
  for try in $(seq 300); do
    ! in_postgres pg_isready -q 2>/dev/null || return 0
    sleep 2
  done
}

# word_of_shell TEXT: for any shell and in any language: printf %q writes letters such as å, which cron's language does not have, as sh
# cannot read them. A percent sign with a backslash, as cron would end the line there
word_of_shell() { printf '%s' "$1" | LC_ALL=C sed 's|[^A-Za-z0-9_./:@+=-]|\\&|g'; }

# dump DIRECTORY: makes a backup there, whose folder is then in $folder
dump() {
  local rows
  ! is_cluster || say 'Warning: a dump of a cluster is of one moment only if nothing is written meanwhile; otherwise it may not be possible to restore it. docs/handbook/cluster.md, Backups' >&2
  folder=$1/account-$(date -u +%Y%m%dT%H%M%SZ)
  umask 077
  mkdir "$folder"
  trap 'rm -rf "$folder"' EXIT
  in_postgres pg_dump --format=custom customer_account >"$folder/account.dump"
  secrets_sh 'cat operator/secrets-key' >"$folder/secrets-key"
  # As long as it is known, something may be encrypted under it.
  secrets_sh 'cat operator/former-secrets-key' >"$folder/former-secrets-key"
  [ -s "$folder/former-secrets-key" ] || rm "$folder/former-secrets-key"
  (cd "$folder" && sha256sum account.dump *secrets-key >SHA256SUMS)
  trap - EXIT
  # For a comparison after a restore by hand, and exact only if nothing was written meanwhile. Of a table that is dropped meanwhile, as a month that has
  # become too old, the count fails, and the backup is complete all the same.
  if count_rows >"$folder/rows.txt"; then
    rows="$(awk '{n += $2} END {print n + 0}' "$folder/rows.txt") rows"
  else
    rm "$folder/rows.txt"
    rows='its rows could not be counted'
  fi
  say "$folder: $(du -sh "$folder" | cut -f1), $rows"
  say 'The files together give access to every customer'\''s data and keys: keep secrets-key and former-secrets-key apart from account.dump'
}

# note_backup: that the one in $folder is complete
note_backup() {
  in_postgres psql -qX -v ON_ERROR_STOP=1 -d customer_account -c \
    "insert into backup (kind, bytes, free_bytes) values ('dump', $(du -sb "$folder" | cut -f1), $(df --output=avail -B1 "$folder" | tail -n 1))"
}

# note_schedule BOOLEAN: whether the newest backup is of the schedule, for the alert when the next one does not come; false: none is. Fails never:
# the database may be of a release that does not know it, or be away
note_schedule() {
  in_postgres psql -qX -d customer_account -c "update backup set scheduled = $1 and completed_at = (select max(completed_at) from backup where kind = 'dump')" \
    2>/dev/null || true
}

# stack_schedule [--remove]: lets this machine make a backup every day at BACKUP_AT: a timer of systemd, or else cron
stack_schedule() {
  local name=$compose_project-backup at
  at=$(setting BACKUP_AT 03:15)
  [[ $at =~ ^([01][0-9]|2[0-3]):[0-5][0-9]$ ]] || fail "BACKUP_AT is a time such as 03:15, not $at"
  [ "$(id -u)" = 0 ] || fail 'Run it as root: it adds a timer to this machine'
  case ${1:-} in
    --remove)
      remove_timer
      note_schedule false
      say "$name: removed; no backup is made by itself any more"
      ;;
    '')
      # One that was never tried is none.
      scheduled_backup
      add_timer
      note_schedule true
      say "$name: makes a backup every day at $at, this machine's time"
      ;;
    *) fail 'schedule takes nothing, or --remove' ;;
  esac
}

# add_timer: of this name, at this time. The messages are in systemd's journal, or in /var/log/NAME.log
add_timer() {
  local units=/etc/systemd/system variable inherited=() line
  # As it was tried, with the configuration of BACKUP_COPY's programs in HOME, which systemd leaves out.
  for variable in HOME PATH DOCKER_HOST DOCKER_CONFIG DOCKER_CONTEXT COMPOSE_PROJECT_NAME COMPOSE_FILE; do
    [ -z "${!variable:-}" ] || inherited+=("$variable=${!variable}")
  done
  remove_timer
  if [ -d /run/systemd/system ]; then
    {
      printf '[Unit]\nDescription=Backup of %s\nAfter=docker.service\n\n[Service]\nType=oneshot\nWorkingDirectory=%s\n' "$compose_project" "${PWD//%/%%}"
      printf 'Environment="%s"\n' "${inherited[@]//%/%%}" OPERATOR_NAME=backup
      # systemd knows no escaped space; a percent sign begins a word of its own.
      printf 'ExecStart="%s/apps/operator/stack.sh" backup\n' "${PWD//%/%%}"
    } >"$units/$name.service"
    # Persistent: a machine that was off at that time does it when it is on again.
    printf '[Unit]\nDescription=Daily backup of %s\n\n[Timer]\nOnCalendar=*-*-* %s\nPersistent=true\n\n[Install]\nWantedBy=timers.target\n' \
      "$compose_project" "$at" >"$units/$name.timer"
    systemctl daemon-reload
    systemctl enable --now "$name.timer"
  elif [ -d /etc/cron.d ]; then
    {
      printf '%s\n' "${inherited[@]}" OPERATOR_NAME=backup
      printf '%d %d * * * root cd %s && apps/operator/stack.sh backup >>/var/log/%s.log 2>&1\n' \
        "$((10#${at#*:}))" "$((10#${at%:*}))" "$(word_of_shell "$PWD")" "$name"
    } >"/etc/cron.d/$name"
    # cron takes no group's or others' files.
    chmod 644 "/etc/cron.d/$name"
  else
    fail "This machine has neither systemd nor /etc/cron.d: let its scheduler run $PWD/apps/operator/stack.sh backup"
  fi
}

remove_timer() {
  if [ -e "/etc/systemd/system/$name.timer" ]; then
    systemctl disable --now "$name.timer"
    rm -f "/etc/systemd/system/$name".{timer,service}
    systemctl daemon-reload
  fi
  rm -f "/etc/cron.d/$name"
}

# in_postgres COMMAND…: as the owner, in the database's container
in_postgres() { in_service postgres env PGUSER=account_owner "$@"; }

# secrets_sh SCRIPT: in the folder with all programs' secrets
secrets_sh() { dc run --rm --no-deps -T secrets bash -euc "cd /secrets; $1"; }

# count_rows: a line for each table with its name and its number of rows
count_rows() {
  in_postgres psql -qAt -F ' ' -d customer_account -c \
    "select c.oid::regclass::text, (xpath('/row/n/text()', query_to_xml('select count(*) as n from only ' || c.oid::regclass, false, true, '')))[1]
     from pg_class c where c.relkind = 'r' and c.relnamespace::regnamespace::text not in ('pg_catalog', 'information_schema') order by 1"
}
