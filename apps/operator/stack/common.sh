# What all commands need.

# dc ARGUMENTS…: docker compose, quiet about what it does to each container
dc() { docker compose --progress quiet "$@"; }

say() { printf '%s\n' "$*"; }

fail() {
  printf '%s\n' "$*" >&2
  exit 1
}

# running SERVICE: the ids of its containers that run, the oldest first
running() {
  dc ps --status running --format '{{.CreatedAt}} {{.ID}}' "$1" | sort | awk '{print $NF}'
}

# containers SERVICE: the ids of all of them, whatever their state
containers() { dc ps -a -q "$1"; }

count_of() { running "$1" | wc -l; }

# wanted_replicas: what .env says, or else as many as there are
wanted_replicas() {
  local given=${API_REPLICAS:-$(sed -n 's/^API_REPLICAS=\([0-9]\{1,\}\).*/\1/p' .env 2>/dev/null | tail -n 1)}
  local present
  present=$(count_of api)
  if [ -n "$given" ]; then echo "$given"; elif [ "$present" -gt 0 ]; then echo "$present"; else echo 2; fi
}

# outdated SERVICE: whether a container of it was made with other settings or another image
outdated() {
  local hash container name made_with
  hash=$(dc config --hash "$1" | awk '{print $2}')
  for container in $(running "$1"); do
    name=$(docker inspect -f '{{.Config.Image}}' "$container")
    made_with=$(docker inspect -f '{{index .Config.Labels "com.docker.compose.config-hash"}} {{.Image}}' "$container")
    [ "$made_with" = "$hash $(docker image inspect -f '{{.Id}}' "$name")" ] || return 0
  done
  return 1
}
