#!/usr/bin/env bash
# Makes data, backs it up, destroys everything, restores it, and compares: npm run build && test/containers/restore.sh
# Needs a Docker engine with the images of the compose file. Ends with 1 if something is missing after the restore.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
backups=$(mktemp -d)

call() { curl -fsS -H "Authorization: Bearer $token" "$origin/api/v1$1" "${@:2}"; }
rows() {
  (cd "$stage" && bash -c '. apps/operator/stack/common.sh; . apps/operator/stack/backup.sh; count_rows')
}

dc build >&2
dc up -d --wait >&2
start_sandbox
token=$(new_customer)
customer=$(call /customer | field id)
printf 'customers-own-key' | operator ai configure --customer "$customer" --key-stdin >&2
for n in $(seq 20); do
  call /ai/messages --json "{\"messages\":[{\"role\":\"user\",\"content\":\"Message $n\"}],\"max_tokens\":20}" >/dev/null
  call /support/tickets --json "{\"title\":\"Ticket $n\",\"body\":\"Text\"}" >/dev/null
done
credit=$(call /ai)
before=$(rows)

echo "backup: $(seconds_of stack backup "$backups") s"
docker rm -f "$COMPOSE_PROJECT_NAME-sandbox" >/dev/null
dc down -v -t 5 >&2
echo "restore into empty volumes: $(seconds_of stack restore "$backups"/account-* --yes) s"
start_sandbox

failures=0
check() { if [ "$2" = "$3" ]; then echo "ok      $1"; else echo "DIFFERS $1: $2, now $3"; failures=1; fi; }
# Background work writes its own tables.
compared() { printf '%s\n' "$1" | grep -vE '^(pgboss\.|process_liveness )' ; }
check 'rows of all tables' "$(compared "$before")" "$(compared "$(rows)")"
check 'AI credit' "$credit" "$(call /ai)"
check 'the books' '(none)' "$(operator ai verify)"
check 'the customer'\''s own provider key can be read' 201 "$(call /ai/messages -o /dev/null -w '%{http_code}' --json '{"messages":[{"role":"user","content":"Hello"}],"max_tokens":5}')"
printf 'x' >>"$backups"/account-*/account.dump
check 'a damaged backup is refused' 'The backup is damaged; nothing has been changed' "$(stack restore "$backups"/account-* --yes 2>&1 >/dev/null | tail -n 1)"
rm -rf "$backups"
exit $failures
