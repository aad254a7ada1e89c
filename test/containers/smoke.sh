#!/usr/bin/env bash
# The small version of operations.sh and restore.sh, for every run of CI: an upgrade under some load, a broken setting, a changed
# start script of the database, and a restore into empty volumes. npm run build && test/containers/smoke.sh
# Needs a Docker engine with the images of the compose file. Ends with 1 if a request is lost, or something after the restore.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
export LOAD_PER_SECOND=${LOAD_PER_SECOND:-20} ONLY='upgrade|broken setting'
. "$(dirname "${BASH_SOURCE[0]}")/under-load.sh"
backups=$(mktemp -d)

start_stack
begin_load
phase 'upgrade' upgrade
phase 'broken setting' broken_setting
end_load || failures=1

former=$(dc ps -q | sort)
stack up >&2
check 'what has not changed is not replaced' "$former" "$(dc ps -q | sort)"
database() { dc ps -q postgres; }
former=$(database)
echo '# changed' >>"$stage/apps/operator/postgres/start.sh"
stack up >&2
check 'a changed start script of the database is noticed' another "$([ "$(database)" = "$former" ] || echo another)"
stack replace proxy >&2
call /customer >/dev/null

make_rows 5
before=$(rows_of_customers)
stack backup "$backups" >&2
stop_sandbox
dc down -v -t 5 >&2
stack restore "$backups"/account-* --yes >&2
rm -rf "$backups"
check 'rows of all tables' "$before" "$(rows_of_customers)"
check 'the books' agree "$(operator ai verify >&2 && echo agree)"
exit $failures
