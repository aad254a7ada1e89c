import { readFileSync } from 'node:fs';
import type { AppConfig } from '@platform/config';

/** File descriptors for other purposes: files, timers, signals, the log, the listening sockets, Redis. */
const OTHER_DESCRIPTORS = 64;
/** Minimum number of client connections, even with few descriptors. */
const LEAST = 16;

/**
 * The maximum number of client connections that leaves enough file descriptors for the database and the upstreams:
 * without them a request could be accepted but not served. If descriptors are few, half of the rest is kept for calls
 * to upstreams.
 */
export function mostConnections(config: AppConfig, descriptors = descriptorLimit()): number {
  const { DATABASE_POOL_SIZE, DATABASE_PIPELINES, AI_LEDGER_CONNECTIONS, AI_UPSTREAM_CONNECTIONS } = config;
  const database = DATABASE_POOL_SIZE + DATABASE_PIPELINES + AI_LEDGER_CONNECTIONS + 6;
  const left = descriptors - OTHER_DESCRIPTORS - database;
  const upstreams = Math.min(AI_UPSTREAM_CONNECTIONS, Math.floor(left / 2));
  return Math.max(LEAST, Math.min(config.CLIENT_CONNECTIONS, left - upstreams));
}

/** The process's limit of open files; Infinity if the system does not tell. */
function descriptorLimit(): number {
  try {
    const [, soft] = /^Max open files\s+(\S+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return soft === undefined || soft === 'unlimited' ? Infinity : Number(soft);
  } catch {
    return Infinity;
  }
}
