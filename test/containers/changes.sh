#!/usr/bin/env bash
# What apps/operator/stack.sh does about mistakes and what was left behind: a wrong setting at the first start, a changed port, a
# worker that ended, two commands at once: npm run build && test/containers/changes.sh
# Needs a Docker engine with the images of the compose file. Ends with 1 if something differs.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
log=$(mktemp)
state_of() { docker inspect -f '{{.State.Status}} {{.RestartCount}}' "$(dc ps -aq "$1")"; }

dc build >&2
echo 'RATE_LIMIT_AI_PER_MINUTE=many' >>"$stage/.env"
check 'a wrong setting at the first start is refused' 1 "$(stack up >"$log" 2>&1 && echo 0 || echo 1)"
check 'and named, with the reason' yes "$(grep -q '^RATE_LIMIT_AI_PER_MINUTE' "$log" && echo yes || cat "$log")"
sed -i '$d' "$stage/.env"
stack up >&2
check 'corrected, it starts' 200 "$(curl -sS -o /dev/null -w '%{http_code}' "$origin/health/live")"

dc stop -t 1 worker >&2
stack replace worker >&2
check 'a worker that had stopped is replaced' 'running 0' "$(state_of worker)"

# The worker alone ends again and again for this one.
dc stop -t 1 worker >&2
dc rm -f worker >&2
(LOG_LEVEL=nonsense dc up -d --no-deps worker) >&2
sleep 4
stack up >&2
check 'a worker with a wrong setting gets the corrected one' 'running 0' "$(state_of worker)"

dc stop -t 1 proxy >&2
unset PORT
sed -i "s/^PORT=.*/PORT=$((${origin##*:} + 1))/" "$stage/.env"
stack up >&2
check 'a proxy that had stopped starts on its new port' 200 "$(curl -sS -o /dev/null -w '%{http_code}' "http://127.0.0.1:$((${origin##*:} + 1))/health/live")"

stack restart api >/dev/null 2>&1 &
first=$!
sleep 2
check 'a second command at the same time is refused' 'Another apps/operator/stack.sh is at work here: wait until it has ended' "$(stack up 2>&1 | tail -n 1)"
wait $first
stack up >&2

containers=$(dc ps -q | sort)
dc up -d --wait >&2
check 'compose alone finds nothing to change then' "$containers" "$(dc ps -q | sort)"

openssl rand -base64 32 | sed 's/^/SECRETS_KEY=/' >>"$stage/.env"
check 'another SECRETS_KEY is refused with the reason' 'SECRETS_KEY is not the key' "$(stack up 2>&1 >/dev/null | grep -o '^SECRETS_KEY is not the key')"
check 'compose alone refuses it, too, and customers are served all the same' '1 200' \
  "$(dc up -d --wait >/dev/null 2>&1; echo $?) $(curl -sS -o /dev/null -w '%{http_code}' "http://127.0.0.1:$((${origin##*:} + 1))/health/ready")"
rm -f "$log"
exit $failures
