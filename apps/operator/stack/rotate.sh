# rotate

SHOW_KEPT_KEYS='docker compose run --rm --no-deps -T secrets cat /secrets/owner/replaced-secrets-keys'

stack_rotate() {
  case ${1:-} in
    secrets-key) rotate_secrets_key ;;
    former-secrets-key) forget_former_key "${2:-}" ;;
    database-passwords) rotate_database_passwords ;;
    *) fail 'rotate takes secrets-key, former-secrets-key (three days later: forgets the former one) or database-passwords. Keys of other systems are in .env: change them there, then: apps/operator/stack.sh up' ;;
  esac
}

# Its steps, each of which can be repeated; a command that was interrupted at any of them goes on where it was. Both keys are kept
# in owner/next-secrets-key and owner/previous-secrets-key as long as it lasts.
rotate_secrets_key() {
  local next previous given
  next=$(secret owner/next-secrets-key)
  given=$(key_in_env)
  if [ -z "$next" ]; then
    check_rotation_may_begin "$given"
    secrets_sh 'rm -f owner/previous-secrets-key owner/secrets-key-replaced'
    # The key in .env if that is another one, else a new one.
    printf '%s' "${given:-$(head -c 32 /dev/urandom | base64 -w0)}" | put owner/next-secrets-key
    next=$(secret owner/next-secrets-key)
  else
    [ -z "$given" ] || [ "$given" = "$next" ] ||
      fail 'A rotation to another key than SECRETS_KEY in .env was interrupted: remove SECRETS_KEY from .env, then again. Nothing has been changed'
    say 'A rotation was interrupted: it goes on'
  fi
  previous=$(secret owner/previous-secrets-key)
  if [ -z "$previous" ]; then
    # Every replica can read data sealed under the new key before one seals under it.
    printf '%s' "$next" | put_secret former-secrets-key
    replace_programs
    secret operator/secrets-key | put owner/previous-secrets-key
  fi
  # In this order no folder is ever without the key that most data is sealed under.
  secrets_sh 'for who in owner api operator; do
      for pair in previous:former-secrets-key next:secrets-key; do
        cp "owner/${pair%:*}-secrets-key" "$who/rotated.new"; chmod 444 "$who/rotated.new"; mv -f "$who/rotated.new" "$who/${pair#*:}"
      done
    done'
  replace_programs
  reencrypt
  date +%s | put owner/secrets-key-replaced
  secrets_sh 'rm -f owner/next-secrets-key; rm -f owner/previous-secrets-key'
  say 'SECRETS_KEY is replaced. Make a backup, and where you keep a copy of the key apart, put the new one: docker compose run --rm --entrypoint cat operator /run/service/secrets-key'
  say 'In three days: apps/operator/stack.sh rotate former-secrets-key'
}

# is_secrets_key TEXT: whether the programs take it: 32 bytes in base64, which look random
is_secrets_key() {
  [[ $1 =~ ^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$ ]] &&
    [ "$(base64 -d <<<"$1" | od -An -v -tx1 | tr -s ' ' '\n' | grep . | sort -u | wc -l)" -ge 20 ]
}

# check_rotation_may_begin GIVEN: fails if the programs know a former key already, or GIVEN, the key in .env, is no new one
check_rotation_may_begin() {
  # Begun with another text, it could neither end, as no program starts with that, nor be given up.
  [ -z "$1" ] || is_secrets_key "$1" ||
    fail 'SECRETS_KEY in .env must be 32 random bytes in base64 (openssl rand -base64 32). Nothing has been changed'
  [ "$1" != "$(secret operator/secrets-key)" ] ||
    fail 'SECRETS_KEY in .env is the present key. Put a new one there (openssl rand -base64 32), or remove it and one is made'
  [ -z "$(secret operator/former-secrets-key)" ] ||
    fail 'The programs still know a former key. First: apps/operator/stack.sh rotate former-secrets-key, which forgets it when nothing is encrypted under it any more'
}

# secret FILE: its content, or nothing
secret() { secrets_sh "[ ! -f $1 ] || cat $1"; }

reencrypt() {
  dc run --rm -T operator secrets reencrypt ||
    fail 'Some keys of customers could not be encrypted under the present SECRETS_KEY; no key has been forgotten. If one is unreadable: operator ai configure --customer ID --key-stdin, or operator webhook rotate-secret --endpoint ID. Then again'
}

# key_in_env: SECRETS_KEY in .env, if there is one
key_in_env() { dc config --format json secrets | sed -n 's/^ *"SECRETS_KEY": "\(.*\)",\{0,1\}$/\1/p'; }

# forget_former_key [--now]: when nothing is encrypted or signed under it any more: replies are kept for Idempotency-Keys for a day, and
# gateways try to deliver an SMS for up to three; a report under a key that is forgotten counts as forged
forget_former_key() {
  local replaced age former most=259200
  [ -z "$(secret owner/next-secrets-key)" ] ||
    fail 'The rotation was interrupted, and data may be encrypted under either key. No key has been forgotten. To go on with it: apps/operator/stack.sh rotate secrets-key'
  former=$(secret operator/former-secrets-key)
  if [ -n "$former" ]; then
    replaced=$(secret owner/secrets-key-replaced)
    if [ -z "$replaced" ]; then
      # A former version of this script may have been interrupted: some programs may still encrypt under the former key.
      replace_programs
      replaced=$(date +%s)
      printf '%s' "$replaced" | put owner/secrets-key-replaced
    fi
    reencrypt
    age=$(($(date +%s) - replaced))
    [ "${1:-}" = --now ] || [ "$age" -ge "$most" ] ||
      fail "Delivery reports of SMS may come under the former key until $(date -u -d "@$((replaced + most))" '+%Y-%m-%d %H:%M UTC'), and replies kept for Idempotency-Keys be encrypted under it for a day. No key has been forgotten; then again. With --now they are lost"
  fi
  # The archive and older backups have data that only it opens.
  keep_key "$former"
  : | put_secret former-secrets-key
  replace_programs
  say "Only the present SECRETS_KEY is known to the programs now. Restores of former data may need the other: $SHOW_KEPT_KEYS"
}

# keep_key KEY: one that no program knows any more. Nobody else may have it
keep_key() {
  [ -n "$1" ] && [[ $'\n'$(secret owner/replaced-secrets-keys)$'\n' != *$'\n'"$1"$'\n'* ]] || return 0
  printf '%s\n' "$1" | secrets_sh 'umask 077; IFS= read -r line; printf "%s\n" "$line" >>owner/replaced-secrets-keys'
}

# A login of each program gets a successor; the old one goes when nobody uses it any more.
rotate_database_passwords() {
  local program role login password
  not_on_a_cluster 'rotate database-passwords'
  # Until its end, as the database's owner may have a password that no program knows.
  printf yes | put owner/passwords-are-rotated
  password=$(new_password)
  sql "alter role account_owner password '$password'"
  printf 'postgres://account_owner:%s@postgres:5432/customer_account' "$password" | put owner/database-url
  printf '%s' "$password" | put owner/password postgres/password
  for program in api:customer_api operator:account_operator; do
    role=${program#*:} program=${program%:*}
    login=${program}_login_$(date +%s)
    password=$(new_password)
    sql "create role $login login noinherit password '$password' in role $role"
    printf 'postgres://%s:%s@postgres:5432/customer_account' "$login" "$password" | put "$program/database-url"
  done
  replace_programs
  drop_other_logins
  secrets_sh 'rm -f owner/passwords-are-rotated'
  say 'The database passwords are replaced'
}

# say_interrupted: which rotation was, and how to go on with it
say_interrupted() {
  local found
  for found in $(secrets_sh 'ls owner'); do
    case $found in
      next-secrets-key) say 'A rotation of SECRETS_KEY was interrupted. To go on with it: apps/operator/stack.sh rotate secrets-key' ;;
      passwords-are-rotated) say 'A rotation of the database passwords was interrupted: migrations and the archive may have a former one. To go on with it: apps/operator/stack.sh rotate database-passwords' ;;
    esac
  done
}

# drop_other_logins: those that the programs do not use, also of rotations that were interrupted
drop_other_logins() {
  local program login
  for program in api operator; do
    login=$(login_of "$program")
    for login in $(logins | grep -E "^${program}_login(_[0-9]+)?$" | grep -vxF "$login"); do
      sql "drop role $login" || say "The login $login has rights or objects of its own, and stays: drop it by hand"
    done
  done
}

# login_of PROGRAM: the one that it uses
login_of() { secrets_sh "sed -E 's|^postgres://([^:]+):.*|\1|' $1/database-url"; }

logins() { in_postgres psql -qAtX -d customer_account -c 'select rolname from pg_roles where rolcanlogin order by 1'; }

replace_programs() {
  replace_replicas "$(replicas_meant)"
  replace worker
  replace console
}

# sql STATEMENT: on standard input, so that no list of processes has a password
sql() { printf '%s\n' "$1" | in_postgres psql -q -v ON_ERROR_STOP=1 -d customer_account; }

new_password() { head -c 24 /dev/urandom | od -An -v -tx1 | tr -d ' \n'; }

# put FILE…: standard input, one line or nothing, into files of secrets_sh. It does not wait for the end of the input, which
# docker compose run may lose when it comes at once
put() {
  printf '%s\n' "$(cat)" | secrets_sh "IFS= read -r line
    for file in $*; do printf %s \"\$line\" >\$file.new; chmod 444 \$file.new; mv -f \$file.new \$file; done"
}

# put_secret NAME: standard input, for every program
put_secret() { put "owner/$1" "api/$1" "operator/$1"; }
