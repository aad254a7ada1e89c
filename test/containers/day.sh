#!/usr/bin/env bash
# The 45 commands of an operator's day (day.txt), each three times, with its time: npm run build && test/containers/day.sh
# On a machine that does nothing else. Needs a Docker engine with the images of the compose file. Ends with 1 if a command fails, or
# takes longer than DAY_LIMIT_MS (700), of three the one in the middle.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
limit=${DAY_LIMIT_MS:-700}

start_stack
# The container that operator.sh starts goes too.
trap 'docker ps -aq --filter "label=com.docker.compose.project=$COMPOSE_PROJECT_NAME" --filter label=account.commands | xargs -r docker rm -f >/dev/null; tear_down' EXIT
operate() { "$stage/apps/operator/operator.sh" "$@" </dev/null; }
# id_of WORDS…: the id of what a command made
id_of() { operate "$@" --json | field id; }
# org_number N: the Nth valid organisation number
org_number() {
  local n found=0 digit sum weights=(3 2 7 6 5 4 3 2)
  for ((n = 81000000; ; n++)); do
    sum=0
    for digit in {0..7}; do sum=$((sum + ${n:digit:1} * weights[digit])); done
    sum=$(((11 - sum % 11) % 11))
    [ $sum -eq 10 ] || found=$((found + 1))
    [ $found -lt "$1" ] || { echo "$n$sum"; return; }
  done
}

# The values of the words in capital letters; those that a command uses up are three.
declare -A value
value[CUSTOMER]=$(operate customer list --json | field 'at(0).id')
value[OTHER_CUSTOMER]=$(id_of customer create --name 'Nordlys AS' --org-number "$(org_number 1)" --email it@nordlys.example)
value[FINGERPRINT]=$(printf %s "$token" | sha256sum | cut -c 1-12)
value[SERVICE]=$(id_of service add --customer "${value[CUSTOMER]}" --type hosting --name 'Web server')
value[INVOICE]=$(id_of invoice add --customer "${value[CUSTOMER]}" --number H-0 --amount-nok 100 --issue-date 2027-01-01 --due-date 2027-01-15)
value[MONTH]=$(date -u +%Y-%m)
operate customer limits --customer "${value[CUSTOMER]}" --pending-credit-requests 100 >&2
for n in 1 2 3; do
  value[ORG_NUMBER$n]=$(org_number $((n + 1)))
  value[INVOICE_NUMBER$n]=H-$n
  value[LEAKED_TOKEN$n]=$(id_of token issue --customer "${value[CUSTOMER]}" --scopes status:read)
  value[EVENT$n]=$(id_of status post --service "${value[SERVICE]}" --status degraded --message Slow)
  value[CREDIT_REQUEST$n]=$(call /ai/credit-requests --json '{"amount_nok":100}' | field id)
  value[REJECTED_REQUEST$n]=$(call /ai/credit-requests --json '{"amount_nok":100}' | field id)
done
make_rows 20
value[TICKET]=$(call /support/tickets --json '{"title":"The disk is full","body":"Since this morning"}' | field id)
call /sms/send --json '{"to":"+4790000000","message":"Hello"}' >&2
value[REQUEST_ID]=$(curl -sS -D - -o /dev/null -H "Authorization: Bearer $token" "$origin/api/v1/invoices/0" | tr -d '\r' | sed -n 's/^x-request-id: //p')
# Refusals are written once a second.
sleep 3

too_slow=()
while IFS=$'\t' read -r question command; do
  times=()
  for n in 1 2 3; do
    line=$command
    for name in $(grep -oE '\b[A-Z][A-Z_]+\b' <<<"$command" || true); do
      found=${value[$name$n]:-${value[$name]:-}}
      [ -z "$found" ] || line=$(sed "s/\b$name\b/$found/" <<<"$line")
    done
    eval "words=($line)"
    began=$(date +%s%N)
    operate "${words[@]}" >"$stage/output" 2>&1 || { echo "FAILED  $line"; cat "$stage/output"; failures=1; }
    times+=($((($(date +%s%N) - began) / 1000000)))
  done
  median=$(printf '%s\n' "${times[@]}" | sort -n | sed -n 2p)
  printf '%5d ms  %-40s %s\n' "$median" "$(cut -d ' ' -f 1-2 <<<"$command")" "$question"
  [ "$median" -le "$limit" ] || too_slow+=("$median ms: $command")
done <"$project/test/containers/day.txt"
if [ ${#too_slow[@]} -gt 0 ]; then
  printf 'longer than %d ms: %s\n' "$limit" "${#too_slow[@]}"
  printf '  %s\n' "${too_slow[@]}"
  failures=1
fi
exit $failures
