import { readFileSync } from 'node:fs';
import { parse, stringify } from 'yaml';

const FOLDER = 'apps/operator/monitoring';

/** A window has this many seconds at least: with fewer samples there is no rate. */
const SHORTEST_WINDOW_SECONDS = 10;
const SECONDS: Record<string, number> = { s: 1, m: 60, h: 3600 };

interface Rule {
  alert: string;
  expr: string;
  for?: string;
}

interface Rules {
  groups: { interval: string; rules: Rule[] }[];
}

/** Names of all alerts. */
export function alertNames(): string[] {
  return readRules().groups.flatMap(({ rules }) => rules.map(({ alert }) => alert));
}

/** What an alert waits for by its rule: `for` and windows, as they are and, after a `/`, as shortened. */
export function timing(alert: string, factor: number): { for: string; windows: string } {
  const of = ({ groups }: Rules) => groups.flatMap(({ rules }) => rules).find((rule) => rule.alert === alert);
  const [own, short] = [of(readRules()), of(parse(shortenedRules(factor)) as Rules)];
  const windows = (rule?: Rule) => [...new Set(rule?.expr.match(/\[\d+[smh]\]/g) ?? [])].join(' ');
  const both = (a = '', b = '') => (a === b ? a : `${a} / ${b}`);
  return { for: both(own?.for, short?.for), windows: both(windows(own), windows(short)) };
}

/**
 * A copy of the service's alert rules whose `for:` and windows are shorter by a factor, and which are evaluated every second.
 * Thresholds and everything else are as they are. @param factor 1: the rules as they are
 */
export function shortenedRules(factor: number): string {
  const rules = readRules();
  if (factor === 1) return stringify(rules);
  for (const group of rules.groups) {
    group.interval = '1s';
    for (const rule of group.rules) {
      rule.expr = rule.expr.replaceAll(/\[(\d+[smh])\]/g, (_, window: string) => {
        return `[${Math.max(SHORTEST_WINDOW_SECONDS, Math.ceil(secondsOf(window) / factor))}s]`;
      });
      if (rule.for !== undefined) rule.for = `${Math.ceil((secondsOf(rule.for) / factor) * 1000)}ms`;
    }
  }
  return stringify(rules);
}

/** The service's configuration of Alertmanager, with an address for the alerts. It tells of changes at once if asked to. */
export function alertmanagerConfiguration(webhook: string, atOnce: boolean): string {
  const text = readFileSync(`${FOLDER}/alertmanager.yml`, 'utf8').replace('url: ALERT_WEBHOOK', `url: ${webhook}`);
  return atOnce
    ? text.replace('group_wait: 10s', 'group_wait: 0s').replace('group_interval: 1m', 'group_interval: 1s')
    : text;
}

function readRules(): Rules {
  return parse(readFileSync(`${FOLDER}/alerts.yml`, 'utf8')) as Rules;
}

function secondsOf(duration: string): number {
  const [, count = '', unit = ''] = /^(\d+)([smh])$/.exec(duration) ?? [];
  return Number(count) * (SECONDS[unit] ?? NaN);
}
