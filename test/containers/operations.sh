#!/usr/bin/env bash
# Does what operators do, under a load of 200 requests a second through the proxy, and prints how many failed meanwhile.
# ONLY='upgrade|scale.*' does some of it.
#   npm run build && test/containers/operations.sh
# Run as root: the proxy is replaced by rules of the firewall. Needs a Docker engine with the images of the compose file. Ends with 1 if a
# planned operation lost a request, if a restart of PostgreSQL had other failures than 503 for 2 s, or if a killed replica lost more
# than it had.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

. "$(dirname "${BASH_SOURCE[0]}")/under-load.sh"

start_stack
begin_load
phase 'upgrade' upgrade
phase 'rollback' stack rollback
phase 'settings change' settings
phase 'provider key' provider_key
phase 'broken setting' broken_setting
phase 'scale 2 to 6' stack scale 6
phase 'scale 6 to 1' stack scale 1
phase 'scale 1 to 2' stack scale 2
phase 'restart api' stack restart api
phase 'restart worker' stack restart worker
phase 'reload proxy' stack restart proxy
phase 'replace proxy' stack replace proxy
phase 'restart valkey' stack restart valkey
phase 'rotate passwords' stack rotate database-passwords
phase 'rotate secrets key' stack rotate secrets-key
phase 'restart postgres' dc restart postgres
phase 'kill -9 of a replica' kill_one
phase 'up after it' up_again
end_load || failures=1
! [[ 'provider key' =~ ^(${ONLY:-.*})$ ]] || check 'the provider is called with its new key' 201 "$(status_of "$token" /ai/messages '{"messages":[{"role":"user","content":"[[sandbox:api-key=another-key]]"}],"max_tokens":5}')"
exit $failures
