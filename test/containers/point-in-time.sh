#!/usr/bin/env bash
# Writes while the WAL is archived, notes a moment, destroys, and recovers to that moment; then loses the machine, and recovers
# from the archive alone: npm run build && test/containers/point-in-time.sh
# Needs a Docker engine with the images of the compose file. Ends with 1 if something differs.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
archive=$(mktemp -d)
printf 'COMPOSE_PROFILES=archive\nARCHIVE_DIRECTORY=%s\n' "$archive" >>"$stage/.env"
trap 'tear_down; rm -rf "$archive"' EXIT

# what a customer sees, and the rows of all tables
state() {
  call /ai
  rows_of_customers
}
sql() { dc exec -T postgres psql -qAtX -U account_owner -d customer_account -c "$1"; }
log_of_restore=$(mktemp)
restore() { stack restore "$@" --yes >"$log_of_restore" 2>&1; }

start_stack
make_rows 10
echo "base backup: $(seconds_of stack backup --base) s"
make_rows 20
expected=$(state)
sleep 1
moment=$(date -u +'%Y-%m-%d %H:%M:%S.%3N')
sleep 1
make_rows 5
accident='truncate support_ticket cascade; update customer set name = upper(name)'
sql "$accident"
check 'the accident has happened' 0 "$(sql 'select count(*) from support_ticket')"

echo "recovery to the moment before: $(seconds_of restore --to "$moment") s"
cat "$log_of_restore"
check 'rows of all tables, and the credit, are those of the moment' "$expected" "$(state)"
check 'the books' agree "$(operator ai verify >&2 && echo agree)"
check 'the service goes on' 201 "$(status_of "$token" /ai/messages '{"messages":[{"role":"user","content":"Hello"}],"max_tokens":5}')"
check 'a moment without a base backup is refused' 1 "$(restore --to '2020-01-01' && echo 0 || echo $?)"
check 'and changes nothing' 30 "$(sql 'select count(*) from support_ticket')"
check 'text that is no moment is refused' 1 "$(restore --to yesterdayish && echo 0 || echo $?)"

# Another moment of the same past, after the first recovery.
echo "recovery to a later moment: $(seconds_of restore --to "$(date -u -d "$moment UTC + 1 second" +'%Y-%m-%d %H:%M:%S.%3N')") s"
check 'rows of all tables, and the credit, are those of that moment' "$expected" "$(state)"

dc exec -T archive /etc/account-postgres/archive.sh health || sleep 20
make_rows 3
expected=$(state)
key=$(mktemp)
dc run --rm -T --entrypoint cat operator /run/service/secrets-key >"$key"
sleep 2
stop_sandbox
dc kill >&2
dc down -v -t 1 >&2
echo "recovery of all that is archived, into empty volumes: $(seconds_of restore --to latest --secrets-key "$key") s"
cat "$log_of_restore"
start_sandbox
check 'rows of all tables, and the credit, are the last ones' "$expected" "$(state)"
check 'the books, too' agree "$(operator ai verify >&2 && echo agree)"
check 'the service goes on, too' 201 "$(status_of "$token" /ai/messages '{"messages":[{"role":"user","content":"Hello"}],"max_tokens":5}')"
rm -f "$key" "$log_of_restore"
exit $failures
