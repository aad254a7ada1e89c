# upgrade, rollback: the image of the programs, tagged with version and commit, and the one before it

# The image that the compose file names, and its repository
image() { dc config --format json | sed -n '/^    "api": {/,/^    }/ s/^      "image": "\(.*\)",\{0,1\}$/\1/p'; }
repository() { image | sed 's/:[^:]*$//'; }

# release: version and commit of this folder, such as 1.0.0-3576db9; changes that are not committed count as another
release() {
  local version commit
  version=$(sed -n 's/^  "version": "\(.*\)",$/\1/p' package.json)
  commit=$(git rev-parse --short HEAD 2>/dev/null) || commit=$(date -u +%Y%m%dT%H%M%SZ)
  [ -z "$(git status --porcelain -- apps libs package-lock.json Dockerfile 2>/dev/null | head -n 1)" ] || commit+=-changed
  printf '%s-%s' "$version" "$commit"
}

# former: the tag of the image that this installation ran before; others on the same engine have their own
former() { printf 'former-%s' "$compose_project"; }

# candidate: the tag of an image that is built, until the database is migrated for it
candidate() { printf 'candidate-%s' "$compose_project"; }

# build_image: as the candidate. A command that makes containers does not take it before take_image: its programs need the migrations
build_image() { RELEASE=$(release) VERSION=$(candidate) dc build; }

# migrate_candidate [OPTION]…: the database, by the candidate. Compose starts a database that does not run: the service is stopped, or a command was
# interrupted while it replaced it. One that runs compose would replace at once if its settings have changed
migrate_candidate() {
  local alone=(--no-deps)
  is_running postgres || alone=()
  VERSION=$(candidate) dc run --rm "${alone[@]}" "$@" migrate
}

# run_image: all programs run the image that was taken. Where no replica runs, or all end again and again, nobody is served meanwhile
run_image() {
  local replicas
  if [ "$(count_of api)" != 0 ]; then
    apply_changes "$(replicas_meant)"
  else
    replicas=$(wanted_replicas)
    start_all --scale "api=$replicas"
    forget_rollback
  fi
}

# take_image: tags the candidate as the compose file says and with its release; that which runs, or which would be run if the service is
# stopped, stays as the former one
take_image() {
  local container running=
  container=$(running api | head -n 1)
  if [ -n "$container" ]; then
    running=$(docker inspect -f '{{.Image}}' "$container")
  else
    # First: only the tag that the candidate gets says which one it is.
    keep_former "$(id_of "$(image)")" "$(repository):$(candidate)"
  fi
  docker tag "$(repository):$(candidate)" "$(image)"
  tag_release
  docker image rm "$(repository):$(candidate)" >/dev/null || true
  keep_former "$running" "$(image)"
  remove_old_images
}

# keep_former ID NEXT: tags it as the former one, if there is one and NEXT is another
keep_former() { [ -z "$1" ] || [ "$1" = "$(id_of "$2")" ] || docker tag "$1" "$(repository):$(former)"; }

tag_release() { docker tag "$(image)" "$(repository):$(release)"; }

# id_of IMAGE: nothing if it is not there
id_of() { docker image inspect -f '{{.Id}}' "$1" 2>/dev/null || true; }

# tags: of the releases that are here, the newest first
tags() { docker images "$(repository)" --format '{{.Tag}}' | grep -E '^[0-9]+\.' || true; }

# remove_old_images: all but the newest three, what runs and what ran before; and what builds kept for more than two weeks
remove_old_images() {
  local tag kept
  kept=" $(id_of "$(image)") $(id_of "$(repository):$(former)") "
  for tag in $(tags | tail -n +4); do
    [[ $kept == *" $(id_of "$(repository):$tag") "* ]] || docker image rm "$(repository):$tag" >/dev/null || true
  done
  docker image prune --force --filter label=org.opencontainers.image.title=customer-account-service >/dev/null
  docker builder prune --force --filter until=336h >/dev/null 2>&1 || true
}

# stack_rollback [TAG]: to the image before the last upgrade. The database stays as it is: migrations only add, and a release says how
# far back its schema can be used. Both images are noted in owner/rollback as long as it lasts: one that was interrupted is gone on with, as
# the former image is the other one by then
stack_rollback() {
  local target present taken wanted noted_target noted_present
  taken=$(id_of "$(image)")
  present=$taken
  wanted=$(id_of "$(repository):${1:-$(former)}")
  read -r noted_target noted_present <<<"$(secret owner/rollback)" || true
  if [[ -n $noted_target && $present =~ ^($noted_target|$noted_present)$ ]] && { [ $# = 0 ] || [ "$wanted" = "$noted_target" ]; }; then
    say "A rollback was interrupted: it goes on. To the other image instead: apps/operator/stack.sh rollback $(former)"
    target=$noted_target present=$noted_present
  else
    [ -n "$wanted" ] || fail "There is no image $(repository):${1:-$(former)}. There are: $(tags | xargs)"
    [ "$wanted" != "$present" ] || fail "${1:-$(former)} is the image that runs"
    target=$wanted
    printf '%s %s' "$target" "$present" | put owner/rollback
  fi
  if [ "$taken" != "$target" ]; then
    check_target "$target"
    docker tag "$target" "$(image)"
    docker image rm "$(repository):$(candidate)" >/dev/null || true
  fi
  docker tag "$present" "$(repository):$(former)"
  run_image
  say "The service runs with $(tags_of "$(image)"). apps/operator/stack.sh rollback goes back again, upgrade builds this folder's version"
}

# check_target ID: fails if the programs of this image cannot use the present database. As the candidate: the image of the programs it becomes
# only then, since whatever is started, if this command is interrupted, takes that one
check_target() {
  local said
  docker tag "$1" "$(repository):$(candidate)"
  if said=$(migrate_candidate -T 2>&1); then
    say "$said"
    return 0
  fi
  say "$said" >&2
  docker image rm "$(repository):$(candidate)" >/dev/null || true
  forget_rollback
  [[ $said != *'made by another version'* ]] ||
    fail 'Nothing has been changed: that image cannot use the present database. Restore a backup from before the upgrade'
  say_interrupted >&2
  fail 'Nothing has been changed: the image could not be checked against the present database'
}

forget_rollback() { secrets_sh 'rm -f owner/rollback'; }

# tags_of IMAGE: its release, or its id
tags_of() {
  local tag
  for tag in $(tags); do
    if [ "$(id_of "$(repository):$tag")" = "$(id_of "$1")" ]; then echo "$tag"; return; fi
  done
  id_of "$1" | cut -c 8-19
}
