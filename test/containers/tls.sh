#!/usr/bin/env bash
# The profile tls with a certificate of its own making: HTTPS, redirects, HSTS, streams, and a certificate that is renewed:
#   npm run build && test/containers/tls.sh
# Needs a Docker engine with the images of the compose file. Ends with 1 if something differs.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
certificates=$stage/certificates
export HTTPS_PORT=${HTTPS_PORT:-3943} HTTP_PORT=${HTTP_PORT:-3980}
printf 'COMPOSE_PROFILES=tls\nTLS_ADDRESS=127.0.0.1\nHTTPS_PORT=%s\nHTTP_PORT=%s\n' "$HTTPS_PORT" "$HTTP_PORT" >>"$stage/.env"
https=https://localhost:$HTTPS_PORT

# certify NAME: a certificate of that organisation
certify() {
  mkdir -p "$certificates"
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj "/O=$1/CN=localhost" -addext subjectAltName=DNS:localhost \
    -keyout "$certificates/privkey.pem" -out "$certificates/fullchain.pem" 2>/dev/null
  chmod 644 "$certificates"/*.pem # of a test; docs/handbook/install.md says how to give the proxy's user alone the key
}
secure() { curl -sS --cacert "$certificates/fullchain.pem" -H "Authorization: Bearer $token" "$@"; }

certify first
start_stack
check 'HTTPS, and HTTP/2' '200 2' "$(secure -o /dev/null -w '%{http_code} %{http_version}' "$https/api/v1/customer")"
check 'HSTS' 'max-age=31536000' "$(secure -D - -o /dev/null "$https/api/v1/customer" | tr -d '\r' | sed -n 's/^strict-transport-security: //p')"
check 'no HSTS over plain HTTP' '' "$(curl -sS -D - -o /dev/null "$origin/api/v1/customer" | grep -i strict-transport || true)"
check 'HTTP sends to HTTPS, method and body kept' "308 $https/api/v1/support/tickets?limit=1" \
  "$(curl -sS -o /dev/null -w '%{http_code} %{redirect_url}' -d '{}' "http://localhost:$HTTP_PORT/api/v1/support/tickets?limit=1")"
check 'TLS 1.1 is refused' 35 "$(curl -sS --cacert "$certificates/fullchain.pem" --tls-max 1.1 --ciphers DEFAULT@SECLEVEL=0 "$https/" >/dev/null 2>&1 || echo $?)"
# Ten events, each 200 ms after the one before: the first is there long before the last.
check 'a stream flows' 'event: message_start yes event: message_stop' "$(secure -N "$https/api/v1/ai/messages" \
  --json '{"messages":[{"role":"user","content":"[[sandbox:events=10]] [[sandbox:event-delay=200]] Hello"}],"max_tokens":50,"stream":true}' |
  while IFS= read -r line; do [[ $line != event:* ]] || echo "$(date +%s%3N) $line"; done |
  awk 'NR == 1 {first = $1; printf "%s %s ", $2, $3} {last = $1; name = $2 " " $3} END {printf "%s %s", (last - first > 1000 ? "yes" : last - first), name}')"
certify second
stack restart proxy >&2
check 'a renewed certificate is used after restart proxy' 'O = second' "$(openssl s_client -connect "localhost:$HTTPS_PORT" </dev/null 2>/dev/null | sed -n 's/^subject=\(O = [a-z]*\).*/\1/p')"
check 'and HTTPS goes on' 200 "$(secure -o /dev/null -w '%{http_code}' "$https/api/v1/customer")"
stack restart api >&2
check 'after replicas were replaced, too' 200 "$(secure -o /dev/null -w '%{http_code}' "$https/api/v1/customer")"
exit $failures
