# backup

stack_backup() {
  case ${1:-} in
    --base)
      not_on_a_cluster 'backup --base'
      base_backup
      ;;
    *) dump "$@" ;;
  esac
}

base_backup() {
  is_running archive || fail 'The archive is not running: COMPOSE_PROFILES=archive in .env, then apps/operator/stack.sh up'
  in_service archive /etc/account-postgres/archive.sh base
}

dump() {
  local folder
  [ -d "${1:-}" ] || fail 'backup takes a directory that exists, or --base'
  folder=$1/account-$(date -u +%Y%m%dT%H%M%SZ)
  umask 077
  mkdir "$folder"
  trap 'rm -rf "$folder"' EXIT
  in_postgres pg_dump --format=custom customer_account >"$folder/account.dump"
  secrets_sh 'cat operator/secrets-key' >"$folder/secrets-key"
  # As long as it is known, something may be encrypted under it.
  secrets_sh 'cat operator/former-secrets-key' >"$folder/former-secrets-key"
  [ -s "$folder/former-secrets-key" ] || rm "$folder/former-secrets-key"
  # Exact only if nothing was written meanwhile: for a comparison after a restore by hand.
  count_rows >"$folder/rows.txt"
  (cd "$folder" && sha256sum account.dump *secrets-key >SHA256SUMS)
  trap - EXIT
  say "$folder: $(du -sh "$folder" | cut -f1), $(awk '{n += $2} END {print n + 0}' "$folder/rows.txt") rows"
  say 'The files together give access to every customer'\''s data and keys: keep secrets-key and former-secrets-key apart from account.dump'
}

# in_postgres COMMAND…: as the owner, in the database's container
in_postgres() { in_service postgres env PGUSER=account_owner "$@"; }

# secrets_sh SCRIPT: in the folder with all programs' secrets
secrets_sh() { dc run --rm --no-deps -T secrets bash -euc "cd /secrets; $1"; }

# count_rows: a line for each table with its name and its number of rows
count_rows() {
  in_postgres psql -qAt -F ' ' -d customer_account -c \
    "select c.oid::regclass::text, (xpath('/row/n/text()', query_to_xml('select count(*) as n from only ' || c.oid::regclass, false, true, '')))[1]
     from pg_class c where c.relkind = 'r' and c.relnamespace::regnamespace::text not in ('pg_catalog', 'information_schema') order by 1"
}
