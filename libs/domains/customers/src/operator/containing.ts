/** The pattern of `like` for texts that contain this one, whatever is in it. */
export function containing(text: string): string {
  return `%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
}
