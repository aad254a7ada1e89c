#!/usr/bin/env bash
# Daily backups, the archive, log files, an upgrade and the way back from it: npm run build && test/containers/maintenance.sh
# Run as root: it adds a timer to this machine and removes it. Needs a Docker engine with the images of the compose file. Ends with 1 if
# something differs.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
backups=$(mktemp -d)
elsewhere=$(mktemp -d)
archive=$(mktemp -d)
timer=$COMPOSE_PROJECT_NAME-backup
trap 'rm -rf "$backups" "$elsewhere" "$archive" "/etc/cron.d/$timer" "/var/log/$timer.log"; tear_down' EXIT
chmod 1777 "$archive"
cat >>"$stage/.env" <<END
COMPOSE_PROFILES=archive
ARCHIVE_DIRECTORY=$archive
BACKUP_DIRECTORY=$backups
BACKUP_COPY='cp -r {} $elsewhere/ && ls {} >$elsewhere/list'
BACKUP_AT=04:05
END

# metric NAME: its values in the worker
metric() {
  docker exec "$(dc ps -q worker)" node -e "fetch('http://127.0.0.1:9464/metrics').then((r) => r.text()).then((t) => console.log(t))" |
    sed -n "s/^$1\(\|{.*}\) \(.*\)$/\2/p"
}
# within SECONDS COMMAND…: waits until it succeeds
within() {
  local try seconds=$1
  shift
  for try in $(seq "$seconds"); do
    ! "$@" >/dev/null 2>&1 || { echo yes; return; }
    sleep 1
  done
  echo no
}
at_most() { awk -v a="$1" -v b="$2" 'BEGIN {print (a != "" && a + 0 <= b) ? "yes" : "no (" a ")"}'; }
finding() { operator doctor --json 2>/dev/null | field "find(({ check }) => check === '$1').result"; }
# as_cron: what cron would run
as_cron() { (sed -n 's/^[0-9 ]* \* \* \* root //p' "/etc/cron.d/$timer" | env -i HOME=/root $(grep = "/etc/cron.d/$timer" | grep -v '\*' | xargs) sh); }

git -C "$stage" init -q
git -C "$stage" -c user.name=drill -c user.email=drill@localhost commit -q --allow-empty -m drill
stack upgrade >&2
start_sandbox
token=$(new_customer)
release=$(sed -n 's/^  "version": "\(.*\)",$/\1/p' "$stage/package.json")
check 'the image has a tag with version and commit' 1 "$(docker images customer-account-service --format '{{.Tag}}' | grep -c "^$release-$(git -C "$stage" rev-parse --short HEAD)")"

check 'without a directory it says which setting is missing' 1 "$(BACKUP_DIRECTORY=/nowhere stack backup 2>&1 | grep -c 'BACKUP_DIRECTORY in .env')"
# With one of yesterday: those of former years stay where that is missing, as the clock may be ahead.
yesterday=account-$(date -u -d yesterday +%Y%m%dT%H%M%SZ)
mkdir "$backups/account-20200101T000000Z" "$backups/$yesterday" "$backups/account-of-somebody" "$elsewhere/kept"
mkdir -p /etc/cron.d
stack schedule >&2
first=$(ls -d "$backups"/account-202[1-9]* | tail -n 1)
check 'schedule makes the first backup' yes "$([ -s "$first/account.dump" ] && echo yes)"
check 'which is copied' "$(cd "$first" && sha256sum account.dump)" "$(cd "$elsewhere/$(basename "$first")" && sha256sum account.dump)"
check 'and those that are too old are removed, nothing else' "account-of-somebody $(basename "$first") $yesterday" "$(ls "$backups" | sort -r | xargs)"
if [ ! -d /run/systemd/system ]; then
  check 'cron runs it at that time' 1 "$(grep -c '^5 4 \* \* \* root cd ' "/etc/cron.d/$timer")"
  as_cron || cat "/var/log/$timer.log"
  check 'and can' 3 "$(ls -d "$backups"/account-202[1-9]* | wc -l)"
fi
check 'the age of the backup is a metric' yes "$(at_most "$(metric backup_age_seconds | sort -n | head -n 1)" 60)"
check 'and the doctor is content' ok "$(finding backup)"
notes() { docker exec "$(dc ps -q postgres)" psql -qAt -U account_owner customer_account -c "select count(*) from backup where kind = 'dump'"; }
noted=$(notes)
check 'a copy that fails is a failure' '1 1' "$(BACKUP_COPY=false stack backup >"$backups/log" 2>&1; echo $? "$(grep -c 'BACKUP_COPY failed' "$backups/log")")"
check 'and no backup to rely on' "$noted" "$(notes)"
stack schedule --remove >&2
check 'schedule --remove removes it' no "$([ -e "/etc/cron.d/$timer" ] && echo yes || echo no)"

check 'the archive has a base backup, which is noted' yes "$(within 120 test "$(metric 'backup_bytes{kind="base"}')" != '')"
check 'the archive receives' 1 "$(metric archive_receiving)"
dc stop -t 5 archive >&2
check 'and when it is stopped, that is seen' 0 "$(metric archive_receiving)"
check 'by the doctor too' failed "$(finding archive)"
dc start archive >&2
check 'until it is back' yes "$(within 60 eval '[ "$(metric archive_receiving)" = 1 ]')"

id=$(call /customer -D - -o /dev/null | tr -d '\r' | sed -n 's/^x-request-id: //p')
running_image() { docker inspect -f '{{.Image}}' "$(dc ps -q api | head -n 1)"; }
before=$(running_image)
echo "// another version" >>"$stage/apps/customer-api/src/main.ts"
echo "upgrade: $(seconds_of stack upgrade) s"
check 'an upgrade runs another image' yes "$([ "$(running_image)" != "$before" ] && echo yes)"
after=$(running_image)
check 'a request that a replica answered which is gone is in the log files' 'succeeded 200 /api/v1/customer' \
  "$(operator request show --id "$id" --json | node -pe "const { outcome, status, route } = JSON.parse(require('fs').readFileSync(0, 'utf8')); [outcome, status, route].join(' ')")"
echo "rollback: $(seconds_of stack rollback) s"
check 'rollback runs the image before' "$before" "$(running_image)"
check 'in the worker too' "$before" "$(docker inspect -f '{{.Image}}' "$(dc ps -q worker)")"
check 'and customers are served' 200 "$(status_of "$token" /customer)"
stack rollback >&2
check 'once more, and the new one is back' "$after" "$(running_image)"
check 'a tag that is not there is named' 1 "$(stack rollback 9.9.9 2>&1 | grep -c 'There is no image customer-account-service:9.9.9')"
docker exec "$(dc ps -q postgres)" psql -qAt -U account_owner customer_account -c "
  do \$\$ begin execute format('comment on schema app is %L', regexp_replace(obj_description('app'::regnamespace, 'pg_namespace'),
    '^functions of release \S+, usable from \S+,', 'functions of release 99.0.0, usable from 99.0.0,')); end \$\$"
check 'one that cannot use the database is not taken' 1 "$(stack rollback 2>&1 | grep -c 'Nothing has been changed')"
check 'and nothing is changed' "$after" "$(running_image)"
exit $failures
