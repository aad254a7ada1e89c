/** Replaces an address that cannot be decoded, so that such a request passes all hooks too. No client can send it. */
export const UNREADABLE_ADDRESS = '/\0';

/** Whether an address's path has a valid percent encoding. */
export function isReadable(url: string): boolean {
  const [path = ''] = url.split('?', 1);
  return !path.includes('%') || decodedPath(path) !== undefined;
}

/** The decoded path; undefined for an invalid percent encoding. */
export function decodedPath(path: string): string | undefined {
  try {
    return decodeURIComponent(path) && decodeURI(path);
  } catch {
    return undefined;
  }
}
