import { type OutgoingReport } from './report-courier';

type Body = Pick<OutgoingReport, 'contentType' | 'body'>;

/** The body of a delivery report as a form. */
export function asForm(fields: object): Body {
  const form = new URLSearchParams(
    Object.entries(fields).map(([name, value]): [string, string] => [name, String(value)]),
  );
  return { contentType: 'application/x-www-form-urlencoded', body: form.toString() };
}

/** The body of a delivery report as JSON. */
export function asJson(fields: object): Body {
  return { contentType: 'application/json', body: JSON.stringify(fields) };
}
