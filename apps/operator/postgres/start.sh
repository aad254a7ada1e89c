#!/bin/bash
# Becomes PostgreSQL, sized for the memory of its container, as the data folder's own settings are for any machine. Settings
# of `alter system` take precedence over these.
#   start.sh [OPTION]…    further options of the server: -c NAME=VALUE
#   start.sh current   whether PostgreSQL was started by this script as it is now
set -euo pipefail

if [ "${1:-}" = current ]; then exec cmp -s "$0" /tmp/made-of; fi
if [ -e "$PGDATA/.swapping" ]; then
  echo 'A restore was interrupted while it replaced the database. Run it again: apps/operator/stack.sh restore --to TIME. Or go back to the database before it: docker compose run --rm --no-deps recover undo' >&2
  exit 1
fi
# The former release had no .swapping: its .former beside a whole database is what a restore had replaced.
if [ -e "$PGDATA/PG_VERSION" ] && [ ! -e "$PGDATA/.recovered" ]; then rm -rf "$PGDATA/.former"; fi
rm -rf "$PGDATA/.replaced" # left by a restore that was interrupted at its end
cp "$0" /tmp/made-of

if [ -e "$PGDATA/PG_VERSION" ]; then
  # Only a new database is given it. Its volume may be empty: compose makes this container anew before that of the secrets where a command has it do so.
  unset POSTGRES_PASSWORD_FILE
else
  # The container secrets makes it at the first start, after the logins.
  until [ -e /run/owner-secrets/password ]; do
    [ -n "${waits:-}" ] || echo 'Waits for the secrets, which the container secrets makes' >&2
    waits=yes
    sleep 0.2
  done
fi

# megabytes: the container's limit (cgroup 2, cgroup 1), or the machine's memory if that is less
megabytes() {
  {
    cat /sys/fs/cgroup/memory.max /sys/fs/cgroup/memory/memory.limit_in_bytes 2>/dev/null | grep -x '[0-9]*'
    awk '/^MemTotal/ {printf "%.0f\n", $2 * 1024}' /proc/meminfo
  } | sort -n | head -n 1 | awk '{printf "%d", $1 / 1048576}'
}

# between LEAST MOST NUMBER
between() { echo $(($3 < $1 ? $1 : $3 > $2 ? $2 : $3)); }

memory=$(megabytes)
cat >/tmp/postgresql.conf <<END
include '$PGDATA/postgresql.conf'
max_connections = $(between 100 500 $((memory / 5)))
shared_buffers = $((memory / 4))MB
effective_cache_size = $((memory * 5 / 8))MB
work_mem = $(between 2 64 $((memory / 256)))MB
maintenance_work_mem = $(between 32 1024 $((memory / 16)))MB
autovacuum_work_mem = $(between 16 512 $((memory / 32)))MB
# An archive that is away for longer begins anew, rather than filling the disk.
max_slot_wal_keep_size = 4GB
END
# PostgreSQL 15, which a cluster may have, cannot include a file there, and needs none: there is no archive of a cluster.
if [ "${PG_MAJOR:-17}" -ge 16 ]; then
  cat >/tmp/pg_hba.conf <<END
# For base backups and the archive; the rest as initdb wrote it.
host replication account_owner samenet scram-sha-256
include $PGDATA/pg_hba.conf
END
  echo "hba_file = '/tmp/pg_hba.conf'" >>/tmp/postgresql.conf
fi
exec docker-entrypoint.sh postgres -c config_file=/tmp/postgresql.conf "$@"
