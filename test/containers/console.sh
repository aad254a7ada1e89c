#!/usr/bin/env bash
# The operator console in containers: its page and its API on a port of its own, a login by a link of the command line, nothing of it under
# the customers' address, and the profile console-tls with a certificate of its own making: npm run build && test/containers/console.sh
# Needs a Docker engine with the images of the compose file. Ends with 1 if something differs.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
certificates=$stage/certificates
console=http://localhost:$CONSOLE_PORT
export CONSOLE_TLS_PORT=${CONSOLE_TLS_PORT:-3944}
https=https://localhost:$CONSOLE_TLS_PORT

status() { curl -sS -o /dev/null -w '%{http_code}' "$@"; }
# link_of E-MAIL: the link that the command line prints for a new person
link_of() { operator account invite --email "$1" --role admin --json | field link; }
# logged_in ADDRESS LINK [CURL'S ARGUMENTS]…: the cookie of a session. curl itself keeps no cookie of a page without TLS
logged_in() {
  curl -sS -D - -o /dev/null "${@:3}" -H "Origin: $1" --json "{\"token\":\"${2##*token=}\"}" "$1/operator/v1/login/link" |
    tr -d '\r' | sed -n 's/^set-cookie: \([^;]*\).*/\1/p'
}
# role_of ADDRESS COOKIE [CURL'S ARGUMENTS]…: of its session
role_of() { curl -sS "${@:3}" -H "Cookie: $2" "$1/operator/v1/session" | field account.role; }
# check_page WHAT ADDRESS [CURL'S ARGUMENTS]…: the page, and each file that it names
check_page() {
  local page files
  page=$(curl -sS "${@:3}" -H 'Accept: text/html' "$2/")
  files=$(grep -oE '/assets/[A-Za-z0-9._-]+' <<<"$page" || true)
  check "$1: the page and the files that it names" '200 200' "$(status "${@:3}" -H 'Accept: text/html' "$2/") $([ -z "$files" ] || for file in $files; do status "${@:3}" "$2$file"; echo; done | sort -u | xargs)"
}

dc build >&2
stack up >&2
check 'the console is healthy' healthy "$(docker inspect -f '{{.State.Health.Status}}' "$(dc ps -q console)")"
check_page 'up' "$console"
link=$(link_of kari@example.com)
check 'the link of the command line leads to its port' "$console/" "$(grep -o '^http://[^/]*/' <<<"$link")"
session=$(logged_in "$console" "$link")
check 'the link logs in' admin "$(role_of "$console" "$session")"
check 'once' '' "$(logged_in "$console" "$link")"
check 'and customers are listed' 200 "$(status -H "Cookie: $session" "$console/operator/v1/customers")"
check 'nobody else sees them' 401 "$(status "$console/operator/v1/customers")"
check 'another name is refused' 403 "$(status -H 'Host: evil.example' "$console/operator/v1/login/methods")"
check "the customers' address has neither the page nor the API" '404 404 404' \
  "$(status -H 'Accept: text/html' "$origin/") $(status -H "Cookie: $session" "$origin/operator/v1/customers") $(status -H 'Host: console' "$origin/operator/v1/login/methods")"
check 'only this machine reaches its port' 127.0.0.1 "$(docker inspect -f '{{range .NetworkSettings.Ports}}{{range .}}{{.HostIp}}{{"\n"}}{{end}}{{end}}' "$(dc ps -q console)" | sed '/^$/d' | sort -u)"
stack restart console >&2
check 'a restart leaves the session' admin "$(role_of "$console" "$session")"

mkdir -p "$certificates"
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost \
  -keyout "$certificates/privkey.pem" -out "$certificates/fullchain.pem" 2>/dev/null
chmod 644 "$certificates"/*.pem # of a test; docs/handbook/install.md says how to give the proxy's user alone the key
cat >>"$stage/.env" <<END
COMPOSE_PROFILES=console-tls
OPERATOR_URL=$https
CONSOLE_CERTIFICATES=$certificates
CONSOLE_TLS_ADDRESS=127.0.0.1
CONSOLE_TLS_PORT=$CONSOLE_TLS_PORT
END
stack up >&2
trusted=(--cacert "$certificates/fullchain.pem")
check_page 'over TLS' "$https" "${trusted[@]}"
check 'HTTP/2 and HSTS' '2 max-age=31536000' "$(curl -sS "${trusted[@]}" -D - -o /dev/null "$https/" | tr -d '\r' | sed -n 's/^HTTP\/\([0-9]*\).*/\1/p;s/^strict-transport-security: //p' | xargs)"
link=$(link_of ola@example.com)
check 'links lead there' "$https/" "$(grep -o '^https://[^/]*/' <<<"$link")"
check 'and log in' admin "$(role_of "$https" "$(logged_in "$https" "$link" "${trusted[@]}")" "${trusted[@]}")"
stack replace console >&2
check 'a new container of the console is found' 200 "$(sleep 6; status "${trusted[@]}" "$https/operator/v1/login/methods")"
sed -i '/^COMPOSE_PROFILES=/d' "$stage/.env"
stack up >&2
check 'without its profile it is away' '' "$(dc --profile console-tls ps -aq console-tls)"
exit $failures
