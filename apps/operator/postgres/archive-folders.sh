# The archive's folders: /archive/HISTORY/{wal,base}. A history is an unbroken chain of WAL with the base backups on it; a
# restore, or WAL that is missing, begins another. Histories are named by when they began, base backups by when they were
# complete: UTC, so that names sort by time.

now() { date -u +%Y%m%dT%H%M%SZ; }

# moment_of NAME: as people write it, and date reads it
moment_of() { sed -E 's/^(....)(..)(..)T(..)(..)(..)Z$/\1-\2-\3 \4:\5:\6 UTC/' <<<"$1"; }

histories() { ls /archive | grep -x '[0-9]\{8\}T[0-9]\{6\}Z' || true; }

# history: the one that goes on
history() { histories | tail -n 1; }

# bases: all that are complete, the oldest first, as HISTORY/base/NAME
bases() { (cd /archive && ls -d */base/*Z 2>/dev/null | sort -t / -k 3) || true; }

# base_before TIME: the newest that was complete then
base_before() { bases | awk -F / -v time="$1" '$3 <= time' | tail -n 1; }
