#!/usr/bin/env bash
# Rotations that are killed at one of their steps after the other, in containers: npm run build && test/containers/rotation-kills.sh
# A step is a command to the engine that changes something. After each kill the service must be able to read what it has stored, and the same
# command again goes on. Each run is killed EVERY (10) steps after its start; EVERY=1: at the first one, then at the second, and so on, which
# takes hours. ONLY=secrets-key does one of the rotations. Needs a Docker engine with the images of the compose file. Ends with 1 if something
# differs.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
every=${EVERY:-10}

mkdir "$stage/bin"
cat >"$stage/bin/docker" <<END
#!/usr/bin/env bash
result=0
"$(command -v docker)" "\$@" || result=\$?
case " \$* " in
  *' run '* | *' up '* | ' start '* | ' stop '* | ' rm '* | ' exec '*psql*)
    echo "\$*" >>"$stage/steps"
    [ "\$(wc -l <"$stage/steps")" -lt "\${KILL_AT:-1000000}" ] || kill -9 0
    ;;
esac
exit \$result
END
chmod +x "$stage/bin/docker"

# killed_at STEP ARGUMENTS…: whether the rotation was killed there; otherwise it has ended, well or not
killed_at() {
  rm -f "$stage/steps"
  result=0
  PATH="$stage/bin:$PATH" KILL_AT=$1 setsid --wait "$stage/apps/operator/stack.sh" rotate "${@:2}" >"$stage/said" 2>&1 || result=$?
  [ $result = 137 ]
}
# own_key: the status of a message that the provider answers only if it comes with the customer's own key, which is stored encrypted
own_key() { status_of "$token" /ai/messages '{"messages":[{"role":"user","content":"[[sandbox:api-key=customers-own-key]] Hello"}],"max_tokens":5}'; }
reads() { echo "$(status_of "$token" /customer) $(own_key)"; }
key_of() { dc run --rm -T --no-deps --entrypoint cat operator "/run/service/$1"; }

# kill_and_go_on ARGUMENTS…
kill_and_go_on() {
  local step kills=0
  [[ $1 =~ ^(${ONLY:-.*})$ ]] || return 0
  for ((step = every; ; step += every)); do
    killed_at "$step" "$@" || break
    kills=$((kills + 1))
    check "$*, killed at step $step ($(tail -n 1 "$stage/steps" | cut -c 1-60)): what is stored can be read" '200 201' "$(reads)"
  done
  check "$*, after $kills kills, ends" 0 "$result"
  [ "$result" = 0 ] || cat "$stage/said"
  check "and what is stored can be read" '200 201' "$(reads)"
  check 'no replica is left behind' 2 "$(dc ps -aq api | wc -l)"
}

start_stack
printf 'customers-own-key' | operator ai configure --customer "$(call /customer | field id)" --key-stdin >&2
first=$(key_of secrets-key)
kill_and_go_on secrets-key
check 'the key is another one' another "$([ "$(key_of secrets-key)" = "$first" ] || echo another)"
check 'and the former one is known' "$first" "$(key_of former-secrets-key)"
kill_and_go_on former-secrets-key --now
check 'the former key is forgotten' '' "$(key_of former-secrets-key)"
kill_and_go_on database-passwords
check 'one login of each program is left' '1 1' "$(for program in api operator; do
  docker exec "$(dc ps -q postgres)" psql -qAtX -U account_owner customer_account -c "select count(*) from pg_roles where rolcanlogin and rolname like '${program}_login%'"
done | xargs)"
check 'the books' agree "$(operator ai verify >&2 && echo agree)"
exit $failures
