# A stack of its own on the container engine, with the sandbox as its upstreams.

project=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
stage=$(mktemp -d)
export COMPOSE_PROJECT_NAME=${COMPOSE_PROJECT_NAME:-account-drill} PORT=${PORT:-3900} CONSOLE_PORT=${CONSOLE_PORT:-3950} OPERATOR_NAME=${OPERATOR_NAME:-drill}
origin=http://127.0.0.1:$PORT

# A copy, so that the settings are not the developer's.
(cd "$project" && git ls-files -co --exclude-standard -z | while IFS= read -r -d '' file; do [ -e "$file" ] && printf '%s\0' "$file"; done | tar c --no-recursion --null -T -) | tar x -C "$stage"
cat >"$stage/.env" <<END
PORT=$PORT
CONSOLE_PORT=$CONSOLE_PORT
VERSION=drill
ANTHROPIC_BASE_URL=http://sandbox:4010/anthropic
ANTHROPIC_API_KEY=sandbox-key
SMS_GATEWAY=46elks
ELKS_URL=http://sandbox:4010/46elks
ELKS_USERNAME=u0123456789
ELKS_PASSWORD=sandbox-password
SMS_DAILY_CAP=1000000
SMS_DAILY_PARTS_CAP=1000000
RATE_LIMIT_REQUESTS_PER_MINUTE=1000000
RATE_LIMIT_AI_PER_MINUTE=1000000
RATE_LIMIT_SMS_PER_MINUTE=1000000
RATE_LIMIT_ADDRESS_PER_MINUTE=1000000
END

dc() { docker compose --progress quiet --project-directory "$stage" -f "$stage/docker-compose.yml" "$@"; }
stack() { "$stage/apps/operator/stack.sh" "$@"; }
# Production wants to know who does it.
export OPERATOR_NAME=containers
operator() { dc run --rm -T operator "$@"; }
# seconds_of COMMAND…: prints how long it took; fails as it does
seconds_of() {
  local began result=0
  began=$(date +%s.%N)
  "$@" >&2 || result=$?
  awk -v a="$began" -v b="$(date +%s.%N)" 'BEGIN {printf "%.1f", b - a}'
  return $result
}

# start_stack: builds and starts everything, with one customer, whose token is then in $token
start_stack() {
  dc build >&2
  dc up -d --wait >&2
  start_sandbox
  token=$(new_customer)
}

start_sandbox() {
  [ -f "$project/dist/apps/sandbox/src/main.js" ] || { echo 'The service is not compiled: npm run build' >&2; exit 1; }
  docker run -d --rm --name "$COMPOSE_PROJECT_NAME-sandbox" --network "${COMPOSE_PROJECT_NAME}_public" --network-alias sandbox --no-healthcheck -e NODE_ENV=test \
    -v "$project:/project:ro" -w /project --entrypoint node customer-account-service:drill test/containers/sandbox.cjs >/dev/null
}

stop_sandbox() { docker rm -f "$COMPOSE_PROJECT_NAME-sandbox" >/dev/null; }

# new_customer: prints a token of a customer who may do everything
new_customer() {
  operator ai price --model claude-haiku-4-5 --input 12 --output 60 >&2
  operator token issue --customer "$(new_company 'Fjordlys AS' 123456785)" --scopes "$SCOPES" --json | field token
}

# new_company NAME NUMBER: prints the id of a customer with hosting, SMS and AI
new_company() {
  local id
  id=$(operator customer create --name "$1" --org-number "$2" --email it@fjordlys.example --json | field id)
  operator service add --customer "$id" --type hosting --name 'Web hosting' >&2
  operator service add --customer "$id" --type sms --name SMS >&2
  operator sms configure --customer "$id" --enabled true --sender-id Fjordlys --daily-cap 1000000 --daily-parts-cap 1000000 >&2
  operator ai configure --customer "$id" --enabled true --model claude-haiku-4-5 --included-nok 100000 >&2
  operator customer limits --customer "$id" --requests-per-minute 1000000 --ai-per-minute 1000000 --sms-per-minute 1000000 >&2
  echo "$id"
}
SCOPES=ai:read,ai:use,ai:topup,invoices:read,support:read,support:write,sms:send,sms:read,status:read

# field NAME: of the JSON on standard input
field() { node -pe "JSON.parse(require('fs').readFileSync(0, 'utf8')).$1"; }

# call PATH [CURL'S ARGUMENTS]…: as the customer; fails if the API does
call() { curl -fsS -H "Authorization: Bearer $token" "$origin/api/v1$1" "${@:2}"; }

# status_of TOKEN PATH [JSON]
status_of() { curl -sS -o /dev/null -w '%{http_code}' -H "Authorization: Bearer $1" "$origin/api/v1$2" ${3:+--json "$3"}; }

# make_rows COUNT: so many AI messages, and tickets
make_rows() {
  local n
  for n in $(seq "$1"); do
    call /ai/messages --json "{\"messages\":[{\"role\":\"user\",\"content\":\"Message $n\"}],\"max_tokens\":20}" >/dev/null
    call /support/tickets --json "{\"title\":\"Ticket $n\",\"body\":\"Text\"}" >/dev/null
  done
}

# rows: the number of rows of each table
rows() {
  (cd "$stage" && bash -c '. apps/operator/stack/common.sh; . apps/operator/stack/backup.sh; count_rows')
}

# rows_of_customers: without the tables that background work writes by itself; a recovery makes and notes a base backup
rows_of_customers() { rows | grep -vE '^(pgboss\.|(process_liveness|backup) )'; }

# check WHAT EXPECTED ACTUAL
failures=0
check() {
  if [ "$2" = "$3" ]; then
    echo "ok      $1"
  else
    echo "DIFFERS $1: $(diff <(echo "$2") <(echo "$3"))"
    failures=1
  fi
}

tear_down() {
  docker rm -f "$COMPOSE_PROJECT_NAME-sandbox" >/dev/null 2>&1 || true
  dc down -v --remove-orphans -t 2 >/dev/null 2>&1 || true
  rm -rf "$stage"
}
trap tear_down EXIT
