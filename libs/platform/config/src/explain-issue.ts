import type { z } from 'zod';

/** Describes the fault of a setting without its value; undefined if the schema's own message is used. */
export function explainIssue(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_value':
      return `must be one of ${issue.values.map(String).join(', ')}`;
    case 'invalid_format':
      return issue.format === 'url' ? 'must be an address such as https://example.com' : undefined;
    default:
      return undefined;
  }
}
