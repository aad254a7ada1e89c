# Functions of all commands.

# Who does it, for the audit log of the operator's commands that these run.
export OPERATOR_NAME=${OPERATOR_NAME:-${SUDO_USER:-$(id -un 2>/dev/null || id -u)}}

# dc ARGUMENTS…: docker compose, without its messages about each container
dc() { docker compose --progress quiet "$@"; }

say() { printf '%s\n' "$*"; }

fail() {
  printf '%s\n' "$*" >&2
  exit 1
}

# from_caller PATH: one that was given in the folder where the command was called
from_caller() {
  case $1 in
    /*) printf '%s' "$1" ;;
    *) printf '%s/%s' "${called_in:-$PWD}" "$1" ;;
  esac
}

compose_project=$(dc config --format json | sed -n 's/^  "name": "\(.*\)",\{0,1\}$/\1/p' | head -n 1)

# make_containers SERVICE [OPTION]…: those that are missing; starts none. Not with --no-deps: some versions of compose then
# note another configuration, and would replace the container at the next docker compose up
make_containers() {
  # A proxy depends on the API, whose replicas compose would make as many as the compose file says.
  case $1 in proxy*) set -- "$1" --scale "api=$(replicas_made)" "${@:2}" ;; esac
  dc up --no-start --no-recreate --no-build "${@:2}" "$1"
}

# setting NAME [DEFAULT]: of the environment, or else of .env, as compose reads it: without quotes around it, and without a comment or spaces
# behind it
setting() {
  local value=${!1:-}
  [ -n "$value" ] || value=$(sed -nE "s/^[[:space:]]*(export[[:space:]]+)?$1[[:space:]]*=[[:space:]]*//p" .env 2>/dev/null | tail -n 1 |
    sed -E "s/^(['\"])(.*)\1[[:space:]]*(#.*)?\$/\2/; t; s/[[:space:]]+#.*//; s/[[:space:]]+\$//")
  printf '%s' "${value:-${2:-}}"
}

# listed SERVICE [OPTION]…: the ids of its containers, the oldest first. Asks the engine itself, which is ten times as fast
listed() {
  local service=$1
  shift
  docker ps -q --no-trunc --filter "label=com.docker.compose.project=$compose_project" --filter label=com.docker.compose.oneoff=False \
    --filter "label=com.docker.compose.service=$service" "$@" | tac
}

running() { listed "$1" --filter status=running; }

is_running() { [ -n "$(running "$1")" ]; }

# ending_again: of the containers on standard input those that end again and again: between two ends they count as running
ending_again() {
  xargs -r docker inspect -f '{{.Id}} {{.RestartCount}} {{if .State.Health}}{{.State.Health.Status}}{{end}}' | awk '$2 > 1 && $3 == "starting" {print $1}'
}

# in_service SERVICE COMMAND…: in its (one) container
in_service() { docker exec -i "$(running "$1")" "${@:2}"; }

# containers SERVICE: the ids of all of them, in any state
containers() { listed "$1" --all; }

count_of() { running "$1" | wc -l; }

# replicas_made: the number of replicas of the API, those too that have ended and should not have
replicas_made() { containers api | wc -l; }

# replicas_meant: their number without those that a command left behind which was interrupted
replicas_meant() {
  local noted
  noted=$(secret owner/replicas)
  echo "${noted:-$(replicas_made)}"
}

# wanted_replicas: the number in .env, or else the present number. Fails if .env has none that is a number
wanted_replicas() {
  local given present
  given=$(setting API_REPLICAS)
  if [ -n "$given" ]; then
    is_count "$given" || fail "API_REPLICAS is a number of replicas, at least 1, not $given. Nothing has been changed"
    echo "$given"
    return
  fi
  present=$(replicas_meant)
  if [ "$present" -gt 0 ]; then echo "$present"; else echo 2; fi
}

# stop_seconds: longer than a replica, or a proxy before it, takes to answer its requests
stop_seconds() {
  local grace_ms
  grace_ms=$(setting SHUTDOWN_GRACE_MS)
  if is_count "$grace_ms" && [ "$grace_ms" -gt 620000 ]; then echo $((grace_ms / 1000 + 100)); else echo 720; fi
}

is_count() { [[ $1 =~ ^[1-9][0-9]*$ ]]; }

# outdated SERVICE: whether it has a container that was made with other settings or another image, one too that ends again and
# again and does not run at this moment, or runs with other files
outdated() {
  local hash present container name made_with
  present=$(containers "$1")
  [ -n "$present" ] || return 1
  hash=$(dc config --hash "$1" | awk '{print $2}')
  for container in $present; do
    name=$(docker inspect -f '{{.Config.Image}}' "$container")
    made_with=$(docker inspect -f '{{index .Config.Labels "com.docker.compose.config-hash"}} {{.Image}}' "$container")
    [ "$made_with" = "$hash $(docker image inspect -f '{{.Id}}' "$name")" ] || return 0
  done
  is_running "$1" && ! has_present_files "$1"
}

# has_present_files SERVICE: whether it read those files of this folder that are there now. Compose does not look into files
has_present_files() {
  case $1,$(docker inspect -f '{{.Config.Cmd}}' "$(running "$1" | head -n 1)") in
    postgres,*start.sh*) in_service postgres /etc/account-postgres/start.sh current ;;
    archive,*) in_service archive /etc/account-postgres/archive.sh current ;;
    console-tls,*) unchanged_since_start console-tls console-proxy ;;
    prometheus,*) unchanged_since_start prometheus monitoring/prometheus.yml monitoring/alerts.yml ;;
    alertmanager,*) unchanged_since_start alertmanager monitoring/alertmanager.yml monitoring/alertmanager.sh ;;
    grafana,*) unchanged_since_start grafana monitoring/datasource.yml monitoring/dashboards ;;
  esac
}

# unchanged_since_start SERVICE FILE…: of apps/operator. Its program is not ours and cannot name the version that it read
unchanged_since_start() {
  local began
  began=$(docker inspect -f '{{.State.StartedAt}}' "$(running "$1")")
  [ -z "$(cd apps/operator && find "${@:2}" -type f -newermt "$began")" ]
}

# is_cluster: whether the database is one (docker-compose.citus.yml)
is_cluster() { dc config --services | grep -qx cluster; }

# not_on_a_cluster COMMAND: fails if the database is a cluster
not_on_a_cluster() { ! is_cluster || fail "$1 is not for a cluster: see docs/handbook/cluster.md"; }
