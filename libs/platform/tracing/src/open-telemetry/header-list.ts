/** Reads `name=value,name=value` with percent-encoded values, as OTEL_EXPORTER_OTLP_HEADERS is written. */
export function readHeaderList(text: string): Record<string, string> {
  return Object.fromEntries(
    text
      .split(',')
      .map((part) => /^\s*([^=\s]+)\s*=\s*(.*?)\s*$/.exec(part))
      .filter((match) => match !== null)
      .map(([, name = '', value = '']) => [name, decoded(value)]),
  );
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
