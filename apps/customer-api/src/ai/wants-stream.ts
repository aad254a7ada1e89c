const EVENT_STREAM = 'text/event-stream';
const JSON_TYPE = 'application/json';

/** Whether an `Accept` header (RFC 9110 §12.5.1) names a stream of events, and not JSON with at least the same weight. */
export function wantsStream(accept: string | undefined): boolean {
  if (accept === undefined) return false;
  const stream = weightOf(accept, EVENT_STREAM);
  return stream > 0 && stream > weightOf(accept, JSON_TYPE);
}

/** The weight of a media type; 0 if it is not named. */
function weightOf(accept: string, wanted: string): number {
  for (const range of accept.split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    if (type !== wanted) continue;
    const weight = parameters.find((parameter) => parameter.startsWith('q='));
    return weight === undefined ? 1 : Number(weight.slice(2)) || 0;
  }
  return 0;
}
