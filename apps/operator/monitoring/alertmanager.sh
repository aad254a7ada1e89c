#!/bin/sh
# Becomes Alertmanager, with the address of ALERT_WEBHOOK in its configuration. Uses only the shell and its own commands, as
# images differ in their other programs.
set -eu
: "${ALERT_WEBHOOK:?}"
folder=$(dirname "$0")
while IFS= read -r line; do
  case $line in
    *'url: ALERT_WEBHOOK') printf "%s'%s'\n" "${line%ALERT_WEBHOOK}" "$ALERT_WEBHOOK" ;;
    *) printf '%s\n' "$line" ;;
  esac
done <"$folder/alertmanager.yml" >/tmp/alertmanager.yml
exec alertmanager --config.file=/tmp/alertmanager.yml --storage.path=/alertmanager "$@"
