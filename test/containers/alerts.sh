#!/usr/bin/env bash
# The profile monitoring, and one alert end to end: the API is stopped, and a receiver gets the alert and its end.
#   npm run build && PROMETHEUS_IMAGE=… ALERTMANAGER_IMAGE=… test/containers/alerts.sh
# Needs a Docker engine with the images of the compose file. WITHOUT=grafana leaves that out. Ends with 1 if something differs.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
export PROMETHEUS_PORT=${PROMETHEUS_PORT:-9390} GRAFANA_PORT=${GRAFANA_PORT:-3310}
cat >>"$stage/.env" <<END
COMPOSE_PROFILES=monitoring
ALERT_WEBHOOK=http://receiver:4020/hook?a=1&b=#|2
END
[ -z "${WITHOUT:-}" ] || sed -i "/^  $WITHOUT:/,/^    profiles/ s/profiles: .*/profiles: [left-out]/" "$stage/docker-compose.yml"
receiver=$COMPOSE_PROJECT_NAME-receiver
trap 'docker rm -f "$receiver" >/dev/null 2>&1; tear_down' EXIT

start_receiver() {
  docker run -d --rm --name "$receiver" --network "${COMPOSE_PROJECT_NAME}_monitoring" --network-alias receiver --no-healthcheck --entrypoint node customer-account-service:drill -e "
    require('http').createServer((request, response) => {
      let body = '';
      request.on('data', (part) => (body += part)).on('end', () => {
        for (const { status, labels } of JSON.parse(body).alerts) console.log(status, labels.alertname, request.url);
        response.end();
      });
    }).listen(4020);" >/dev/null
}
# received PATTERN: waits for a line of the receiver, at most four minutes
received() {
  local try
  for try in $(seq 240); do
    ! docker logs "$receiver" 2>/dev/null | grep -q "$1" || { echo yes; return; }
    sleep 1
  done
  echo no
}
health_of() { docker inspect -f '{{.State.Health.Status}}' "$(dc ps -aq "$1")"; }

dc build >&2
dc up -d --wait >&2
start_receiver
check 'Prometheus and Alertmanager are healthy' 'healthy healthy' "$(health_of prometheus) $(health_of alertmanager)"
# Alertmanager has the address as .env has it, signs of shells and of YAML included.
stack up >&2
check 'another up leaves the address' 'http://receiver:4020/hook?a=1&b=#|2' "$(docker exec "$(dc ps -q alertmanager)" cat /tmp/alertmanager.yml | sed -n "s/.*url: '\(.*\)'/\1/p")"
dc stop -t 2 api >&2
check 'an alert arrives' yes "$(received 'firing ServiceDown /hook?a=1')"
dc start api >&2
check 'and its end' yes "$(received 'resolved ServiceDown')"
exit $failures
