import type { z } from 'zod';

/** What is wrong with a setting, in plain words and without its value; nothing where the schema says it itself. */
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
