# rotate

stack_rotate() {
  case ${1:-} in
    secrets-key) rotate_secrets_key ;;
    former-secrets-key) forget_former_key ;;
    database-passwords) rotate_database_passwords ;;
    *) fail 'rotate takes secrets-key, former-secrets-key (a day later: forgets the former one) or database-passwords. Keys of other systems are in .env: change them there, then: apps/operator/stack.sh up' ;;
  esac
}

# The key in .env if that is another one, else a new one. Both open stored data until former-secrets-key is forgotten.
rotate_secrets_key() {
  local present given
  present=$(secrets_sh 'cat operator/secrets-key')
  given=$(key_in_env)
  [ "$given" != "$present" ] || fail 'SECRETS_KEY in .env is the present key. Put a new one there (openssl rand -base64 32), or remove it and one is made'
  secrets_sh '[ ! -s operator/former-secrets-key ]' || fail 'The key was rotated before; a day after that: apps/operator/stack.sh rotate former-secrets-key'
  # Every replica can read data sealed under the new key before one seals under it.
  printf '%s' "${given:-$(head -c 32 /dev/urandom | base64 -w0)}" | put_secret former-secrets-key
  replace_programs
  swap_keys
  replace_programs
  dc run --rm -T operator secrets reencrypt || fail 'A key of a customer could not be read: operator ai configure --customer ID --key-stdin'
  say 'SECRETS_KEY is replaced. Make a backup. In a day: apps/operator/stack.sh rotate former-secrets-key'
}

# key_in_env: SECRETS_KEY in .env, if there is one
key_in_env() { dc config --format json secrets | sed -n 's/^ *"SECRETS_KEY": "\(.*\)",\{0,1\}$/\1/p'; }

forget_former_key() {
  : | put_secret former-secrets-key
  replace_programs
  say 'Only the present SECRETS_KEY is known to the programs now'
}

# A login of each program gets a successor; the old one goes when nobody uses it any more.
rotate_database_passwords() {
  local program role login old password
  not_on_a_cluster 'rotate database-passwords'
  password=$(new_password)
  sql "alter role account_owner password '$password'"
  printf 'postgres://account_owner:%s@postgres:5432/customer_account' "$password" | put owner/database-url
  printf '%s' "$password" | put owner/password
  for program in api:customer_api operator:account_operator; do
    role=${program#*:} program=${program%:*}
    old+=("$(secrets_sh "sed -E 's|^postgres://([^:]+):.*|\1|' $program/database-url")")
    login=${program}_login_$(date +%s)
    password=$(new_password)
    sql "create role $login login noinherit password '$password' in role $role"
    printf 'postgres://%s:%s@postgres:5432/customer_account' "$login" "$password" | put "$program/database-url"
  done
  replace_programs
  for login in "${old[@]}"; do sql "drop role $login"; done
  say 'The database passwords are replaced'
}

replace_programs() {
  replace_replicas "$(replicas_made)"
  replace worker
}

# sql STATEMENT: on standard input, so that no list of processes has a password
sql() { printf '%s\n' "$1" | in_postgres psql -q -v ON_ERROR_STOP=1 -d customer_account; }

new_password() { head -c 24 /dev/urandom | od -An -v -tx1 | tr -d ' \n'; }

# put FILE…: standard input, one line or nothing, into files of secrets_sh. It does not wait for the end of the input, which
# docker compose run may lose when it comes at once
put() {
  { cat; echo; } | secrets_sh "IFS= read -r line
    for file in $*; do printf %s \"\$line\" >\$file.new; chmod 444 \$file.new; mv -f \$file.new \$file; done"
}

# put_secret NAME: standard input, for every program
put_secret() { put "owner/$1" "api/$1" "operator/$1"; }

swap_keys() {
  secrets_sh 'for who in owner api operator; do mv $who/secrets-key $who/.swap; mv $who/former-secrets-key $who/secrets-key; mv $who/.swap $who/former-secrets-key; done'
}
