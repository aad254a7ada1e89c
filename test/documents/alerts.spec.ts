import { readFileSync } from 'node:fs';
import { shortenedRules } from '@test/monitoring/shortened-rules';
import { tableRows } from '@test/documents/tables';

const FOLDER = 'apps/operator/monitoring';
const ALERTS = readFileSync(`${FOLDER}/alerts.yml`, 'utf8');
const TESTS = ['alerts', 'alerts.day'].map((name) => readFileSync(`${FOLDER}/${name}.test.yml`, 'utf8')).join('');

/** Metrics that every Node.js process and every scrape has. */
const GIVEN = /^(up|process_\w+|nodejs_\w+)$/;

const alertNames = [...ALERTS.matchAll(/- alert: (\w+)/g)].map(([, name = '']) => name);

/** The metrics that expressions name: what is no function, label or keyword. */
function metricsIn(expression: string): string[] {
  const bare = expression
    .replaceAll(/"[^"]*"/g, '')
    .replaceAll(/\{[^}]*\}/g, '')
    .replaceAll(/\[[^\]]*\]/g, '')
    .replaceAll(/\b(by|on|without)\s*\([^)]*\)/g, '');
  return [...bare.matchAll(/\b([a-z_]{2,}[a-z0-9_]*)\b(?!\s*\()/g)]
    .map(([, name = '']) => name)
    .filter((name) => !['or', 'and', 'by', 'unless'].includes(name));
}

/** All metrics of the handbook, which another spec compares with those of the programs. */
function documentedMetrics(): string[] {
  const rows = tableRows('docs/handbook/monitoring.md').filter(([, of]) => /^(API|worker|API, worker)$/.test(of ?? ''));
  return rows.flatMap(([name = '']) => [...name.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text));
}

function unknownMetrics(expressions: string[]): string[] {
  const known = new Set(documentedMetrics());
  return expressions
    .flatMap(metricsIn)
    .filter((name) => !GIVEN.test(name) && !known.has(name) && !known.has(name.replace(/_(count|sum|bucket)$/, '')));
}

describe('alerts', () => {
  it('have an entry in the handbook each, which has no others', () => {
    const entries = [...readFileSync('docs/handbook/alerts.md', 'utf8').matchAll(/^### (\w+)$/gm)].map(
      ([, name]) => name,
    );
    expect(alertNames.length).toBeGreaterThan(20);
    expect(entries.sort()).toEqual(alertNames.toSorted());
  });

  it('have a test each that raises them, and one in which none is raised', () => {
    const raised = [...TESTS.matchAll(/alertname: (\w+)\n\s+exp_alerts:\n/g)].map(([, name]) => name);
    const quiet = [...TESTS.matchAll(/alertname: (\w+), exp_alerts: \[\]/g)].map(([, name]) => name);
    expect([...new Set(raised)].sort()).toEqual(alertNames.toSorted());
    expect(quiet.sort()).toEqual(alertNames.toSorted());
  });

  it('name metrics that exist', () => {
    const expressions = [...ALERTS.matchAll(/expr: (?:\|\n((?:\s{10,}.*\n)+)|(.*)\n)/g)].map(
      ([, long, short]) => long ?? short ?? '',
    );
    expect(expressions).toHaveLength(alertNames.length);
    expect(unknownMetrics(expressions)).toEqual([]);
    expect(unknownMetrics(['max(no_such_metric{a="b"})'])).toEqual(['no_such_metric']);
  });
});

describe('the shortened rules of the end-to-end test', () => {
  it('differ from the alerts in windows and durations only', () => {
    const strip = (text: string) =>
      text
        .replaceAll(/\[\d+[smh]\]/g, '[]')
        .replaceAll(/^\s+(for|interval): .*$/gm, '')
        .replaceAll(/\s+/g, ' ');
    const short = shortenedRules(120);
    expect(short).toContain('[10s]');
    expect(strip(short)).toBe(strip(shortenedRules(1)));
  });
});

describe('the dashboard', () => {
  it('shows metrics that exist', () => {
    const { panels } = JSON.parse(readFileSync(`${FOLDER}/dashboards/service.json`, 'utf8')) as {
      panels: { targets: { expr: string }[] }[];
    };
    expect(panels.length).toBeGreaterThan(10);
    expect(unknownMetrics(panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)))).toEqual([]);
  });
});
