#!/usr/bin/env bash
# Makes data, backs it up, destroys everything, restores it, and compares; once more after a change of SECRETS_KEY; and with a
# SECRETS_KEY that is not the data's: npm run build && test/containers/restore.sh
# Needs a Docker engine with the images of the compose file. Ends with 1 if something differs.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
backups=$(mktemp -d)

# what a customer sees, and the rows of all tables
state() {
  call /ai
  rows_of_customers
}
# own_key TOKEN KEY: the status of a message that the provider answers only if it comes with this key
own_key() { status_of "$1" /ai/messages "{\"messages\":[{\"role\":\"user\",\"content\":\"[[sandbox:api-key=$2]] Hello\"}],\"max_tokens\":5}"; }
check_keys() {
  check "$1: the customer's own provider key is used for that customer" 201 "$(own_key "$token" customers-own-key)"
  check "$1: and for no other" 201 "$(own_key "$other" sandbox-key)"
}
last_line() { tail -n 1 | cut -c 1-100; }

start_stack
customer=$(call /customer | field id)
other=$(operator token issue --customer "$(new_company 'Havblikk AS' 987654325)" --scopes "$SCOPES" --json | field token)
check 'a key of the customer is stored' true "$(printf 'customers-own-key' | operator ai configure --customer "$customer" --key-stdin --json | field own_key)"
check_keys 'before'
check "before: the provider refuses another key" 502 "$(own_key "$other" customers-own-key)"
make_rows 20
# Uses of tokens and refused requests are written within two seconds.
before=
until [ "$before" = "$(state)" ]; do before=$(state) && sleep 3; done

echo "backup: $(seconds_of stack backup "$backups") s"
first=$(echo "$backups"/account-*)
stop_sandbox
dc down -v -t 5 >&2
echo "restore into empty volumes: $(seconds_of stack restore "$first" --yes) s"
start_sandbox
check 'rows of all tables, and the credit' "$before" "$(state)"
check 'the books' agree "$(operator ai verify >&2 && echo agree)"
check_keys 'restored'

echo "rotation of SECRETS_KEY: $(seconds_of stack rotate secrets-key) s"
check_keys 'rotated'
echo "the former key is forgotten: $(seconds_of stack rotate former-secrets-key --now) s"
check_keys 'forgotten'
before=$(state)
stack backup "$backups" >&2
second=$(ls -d "$backups"/account-* | tail -n 1)
make_rows 3
echo "restore while the service runs: $(seconds_of stack restore "$second" --yes) s"
check 'rows of all tables, and the credit, after the rotation' "$before" "$(state)"
check_keys 'restored after the rotation'

stack rotate database-passwords >&2
stop_sandbox
dc down -t 5 >&2
docker volume rm "${COMPOSE_PROJECT_NAME}_postgres-data" >/dev/null
echo "restore into a new volume of the database alone: $(seconds_of stack restore "$second" --yes) s"
start_sandbox
check 'rows of all tables, and the credit, with the logins that the secrets have' "$before" "$(state)"
check_keys 'restored beside the former secrets'

# The first backup needs the former SECRETS_KEY.
rm -rf "$backups/other" && cp -r "$first" "$backups/other" && rm "$backups/other/secrets-key"
check 'a backup without its key is refused' "$backups/other/secrets-key is missing" "$(stack restore "$backups/other" --yes 2>&1 | last_line | cut -c 1-$((${#backups} + 29)))"
check 'with a key that does not fit, it says so' 1 "$(stack restore "$backups/other" --secrets-key "$second/secrets-key" --yes >"$backups/log" 2>&1; echo $?)"
check 'and whose provider key it does not open' 1 "$(grep -cE "^provider key +$customer +unreadable" "$backups/log")"
[ $failures = 0 ] || cat "$backups/log"
check 'the service is up then, and calls that need the key are refused' '200 403' "$(status_of "$token" /customer) $(own_key "$token" customers-own-key)"
# As long as a large restore would take.
dc stop api worker >&2
until docker inspect -f '{{.State.Health.Status}}' "$(dc ps -q proxy)" | grep -qx unhealthy; do sleep 1; done
stack restore "$backups/other" --secrets-key "$first/secrets-key" --yes >&2
check_keys 'restored again with the key that fits'
stack restore "$backups/other" --keep-secrets-key --yes >&2 || failures=1
check_keys 'restored under the present key, which is the same'

openssl rand -base64 32 | sed 's/^/SECRETS_KEY=/' >>"$stage/.env"
check 'another SECRETS_KEY in .env is refused by up' 'SECRETS_KEY is not the key' "$(stack up 2>&1 >/dev/null | last_line | cut -c 1-26)"
check 'and by restore' 'SECRETS_KEY in .env is not' "$(stack restore "$first" --yes 2>&1 >/dev/null | last_line | cut -c 1-26)"
stack rotate secrets-key >&2
check_keys 'rotate takes it'
sed -i "s|^SECRETS_KEY=.*|SECRETS_KEY=$(cat "$first/secrets-key")|" "$stage/.env"
check 'restore takes the key of the backup from .env' 0 "$(stack restore "$first" --yes >&2; echo $?)"
check_keys 'restored with the key in .env'

printf 'x' >>"$first/account.dump"
check 'a damaged backup is refused' 'The backup is damaged; nothing has been changed' "$(stack restore "$first" --yes 2>&1 >/dev/null | tail -n 1)"
rm -rf "$backups"
exit $failures
