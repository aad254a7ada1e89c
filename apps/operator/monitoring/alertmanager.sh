#!/bin/sh
# Becomes Alertmanager, with the address of ALERT_WEBHOOK in its configuration. Of the shell and its own commands alone, as
# images differ in what else they have.
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
