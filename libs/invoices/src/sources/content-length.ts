/** A file's length as its `Content-Length` header gives it. */
export function lengthOf(header: string | string[] | undefined): { length?: number } {
  const length = Number([header].flat()[0]);
  return header !== undefined && Number.isSafeInteger(length) ? { length } : {};
}
