import { type Document, operationsOf } from './document';

/** Descriptions of the scopes, by name. */
export type ScopeDescriptions = Readonly<Record<string, string>>;

/** The scopes as a Markdown table. */
export function scopeTable(scopes: ScopeDescriptions): string {
  const rows = Object.entries(scopes).map(([name, opens]) => `| \`${name}\` | ${opens} |`);
  return ['| scope | opens |', '| --- | --- |', ...rows].join('\n');
}

/** Adds the needed scope to every operation's description: tools do not show the scopes of a bearer scheme. */
export function describeScopes(document: Document): void {
  for (const operation of operationsOf(document)) {
    const [scope] = scopesOf(operation);
    const needs = scope === undefined ? 'Any valid token will do.' : `Needs the scope \`${scope}\`.`;
    operation.description = [operation.description, needs].filter(Boolean).join('\n\n');
  }
}

/** The scopes that an operation declares. */
export function scopesOf({ security = [] }: { security?: Record<string, string[]>[] }): string[] {
  return security.flatMap((alternative) => Object.values(alternative).flat());
}
